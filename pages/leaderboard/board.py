"""What the page Leaderboard draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from exam_core.analysis.caveats import about_few, few_queries
from exam_core.analysis.choice import Evaluation
from exam_core.analysis.comparison import Comparison, below_each_other
from exam_core.analysis.displacements import officially
from exam_core.analysis.leaderboard import GROUP_SCORES, PASSAGES, QUERIES, ROWS, SCORES, Leaderboard
from exam_core.charts.chart_layout import View
from exam_core.charts.query_differences import differences_figure
from exam_core.charts.strips import MANY
from exam_core.reports.board_lines import (
    HEADLINE,
    about_gaps,
    all_tied,
    board_latex,
    closest_to_reference,
    headline,
    headline_table,
)
from exam_core.reports.part import Picture, about_outside
from exam_core.results import ResultTable
from exam_core.wording import method_in_words, ordinal, rank_heading
from pages.mending import following
from pages.shared import controls, data, doing, help_texts, naming, picking, scrolling, show
from pages.shared.charting import At, DrawnFigure
from pages.shared.passage_texts import OPEN, link
from pages.shared.selection import Selection
from pages.shared.show import static

ALL_RUNS = "the mean of all runs"
RUN, CHART = "leaderboard_run", "leaderboard_chart"
VIEWS: tuple[View, ...] = ("raw", "re-normalised", "ranks")
"""What the chart can show; ranks have an interval where there are queries."""
NO_QUERIES = (
    "The papers print no values by query, so there are no tests, no rank intervals and no queries to look into. "
    "Collections with grades and runs, such as the demo, have them."
)
NO_REFERENCE = "There is no leaderboard to compare with. Add one on the page Collections."
FEW_MODES, HEADLINE_HEIGHT = 5, "20rem"
"""Rows of the small table of modes that are seen whole, and its height where it has more, which are scrolled."""
SHALLOW = 5
"""A depth at which runs differ that return the same passages in their first 20."""
PICK_RUN = f"{help_texts.ROW} {help_texts.POINT}"
A_GROUP = "{} is a group of runs, so no single ranking is its own. To see a run's passages, show runs by themselves."
NO_RUN = "Click a point or a row above, or choose a run"
NO_QUERY = "Click a bar or a row above to see the run's passages"
PASSAGE = f"{help_texts.ROW} A link to the passage's page appears below."


def chart(comparison: Comparison, selection: Selection) -> str | None:
    """The chart of all boards (EXAM++, figure 2); returns the run whose point is clicked."""
    picture = data.picture(selection, comparison)
    # A place of its own, also for nothing: the chart is another one where it stands elsewhere.
    with st.container():
        if sentences := about_outside(picture):
            show.text(" ".join(sentences))
    with st.container(horizontal=True, vertical_alignment="center"):
        controls.draw_view(selection, VIEWS if comparison.has_queries else VIEWS[:2])
        _outside(picture, selection)
    at = At("tau", selection.tau, _looks(comparison, selection)) if following.follows(selection) else None
    clicked = show.chart(_drawn(comparison, selection), key=CHART, select=comparison.has_queries, at=at)
    order = [f"From left to right: the order of {naming.reference(picture.reference)}."] if picture.reference else []
    if sentences := [*order, *show.meanings(selection)]:
        st.caption(show.escaped(naming.sentence(" ".join(sentences))))
    return _last(clicked)


def _drawn(comparison: Comparison, selection: Selection) -> DrawnFigure:
    """The chart of a choice, made once for all who look at it."""
    mode, ringed = _picked_mode(comparison), picked_run(comparison)
    highlighted = comparison.names[mode] if mode else None
    picture = data.picture(selection, comparison)
    of = "leaderboard", highlighted, ringed, data.whole_axis()
    return data.once(lambda: DrawnFigure(picture.figure(highlighted=highlighted, ringed=ringed)), selection, *of)


def _looks(comparison: Comparison, selection: Selection) -> str:
    return following.looks(selection, _picked_mode(comparison), picked_run(comparison), data.whole_axis())


def hold(comparison: Comparison, selection: Selection) -> None:
    """Give the browser the chart at each tau, so that it draws the next one at the key."""
    following.hold_each(selection, _at, chart=CHART, of=_looks(comparison, selection))


def _at(selection: Selection) -> dict[str, Any] | None:
    """What is sent of the chart of a choice; None where there is none."""
    comparison = data.ask(selection.figures.compare, selection.series, selection.request)
    return show.changing(_drawn(comparison, selection), f"{selection.file_stem}-{CHART}") if comparison.boards else None


def _outside(picture: Picture, selection: Selection) -> None:
    runs = list(dict.fromkeys(external.run_id for external in picture.outside))
    if runs:
        label = f"Leave out {show.escaped(runs[0])}" if len(runs) == 1 else f"Leave out these {len(runs)} runs"
        doing.choose(label, key="leave_out", icon="person_remove", without=[*selection.snapshot.left_out, *runs])
    if runs or data.whole_axis():
        # Where another tau has such a run again, the axis is still as it was chosen.
        st.toggle("Show whole axis", key=data.WHOLE, bind="query-params")


def _picked_mode(comparison: Comparison) -> str | None:
    """Of many series the one that the box below the chart is about, which is drawn later; None of few."""
    if len(comparison.boards) < MANY:
        return None
    picked = st.session_state.get("mode") or st.query_params.get("mode")
    return picked if picked in comparison.boards else next(iter(comparison.boards))


def picked_run(comparison: Comparison) -> str | None:
    """The run that is looked into below the chart, or that a link names."""
    run = st.session_state.get(RUN) or st.query_params.get(RUN)
    return run if run in comparison.order else None


def stands(comparison: Comparison, selection: Selection) -> None:
    """Where the run that is looked into stands by each series and in the reference, in a sentence."""
    run = picked_run(comparison)
    if run is None:
        return
    sentences: list[str] = []
    reference, ranks = math.nan, ()
    for series, board in comparison.boards.items():
        row, name = board.rows[board.rows["run_id"] == run].iloc[0], comparison.names.get(series, series)
        of = f"of {int(board.rows['rank'].notna().sum())} by {name}"
        is_ranked = row["rank"] == row["rank"]
        place = f"{ordinal(row['rank'], board.rows['rank'])} {of}" if is_ranked else f"without a rank by {name}"
        sentences.append(place)
        reference, ranks = row["reference_rank"], board.rows["reference_rank"]
    message = f"{run}: {', '.join(sentences)}"
    if selection.request.reference:
        own = ordinal(reference, ranks) if reference == reference else "not ranked"
        message += f"; {own} {officially(selection.request.reference)}"
    show.text(naming.sentence(f"{message}. It is ringed below."))


def headlines(comparison: Comparison, selection: Selection) -> None:
    """How well the board agrees, in a sentence; of several series in a small table."""
    choices = {name: selection.computed(name) for name in comparison.boards}
    few = {
        name: data.ask(few_queries, selection.snapshot, evaluation)
        for name, evaluation in choices.items()
        if evaluation
    }
    if len(comparison.boards) < 2:
        show.choice(selection, naming.sentence(headline(comparison, selection.request.reference, few)))
        tied = any(map(all_tied, comparison.boards.values()))
        if tied and "depth" in selection.uses and (selection.request.depth or 0) > SHALLOW:
            doing.choose(f"Try depth {SHALLOW}", key="try_depth", depth=float(SHALLOW))
        _of_itself(comparison)
        return
    show.choice(selection, closest_to_reference(comparison, naming.names()))
    rows = naming.named(headline_table(comparison, few))
    beside = naming.reference(selection.request.reference)
    alt = f"Agreement with {beside}" + (" and the judgments" if "kappa" in rows else "")
    named = {name: {"label": f"{HEADLINE[name].label} with {beside}"} for name in ("spearman", "kendall")}
    named["series"] = {"label": selection.words.series}
    table = static(rows, HEADLINE.changed(**named), alt, titled=False)
    if len(rows) > FEW_MODES:
        table = f'<div style="max-height: {HEADLINE_HEIGHT}; overflow-y: auto" tabindex="0">{table}</div>'
    st.html(table)
    _of_itself(comparison)


def _of_itself(comparison: Comparison) -> None:
    """Say which boards are compared with themselves."""
    for note in filter(None, (board.of_itself for board in comparison.boards.values())):
        st.caption(show.escaped(naming.sentence(note)))


def notes(comparison: Comparison, selection: Selection) -> list[str]:
    """What must be known of the boards: which queries do not count, what there is to compare with, and more."""
    choices = [choice for choice in map(selection.computed, comparison.boards) if choice]
    sentences = [note for choice in choices for note in data.ask(about_few, selection.snapshot, choice)]
    if selection.request.reference is None or comparison.correlations.empty:
        sentences.append(NO_REFERENCE)
    if comparison.agreements.empty and selection.of_grades and not selection.by_judgments:
        sentences.append(selection.words.no_agreement)
    return list(dict.fromkeys([*sentences, *comparison.notes]))


def series(comparison: Comparison, selection: Selection) -> str:
    """The series whose scores are listed: chosen where there are several."""
    picked = show.mode(selection, of_one=False)
    return picked if picked in comparison.boards else next(iter(comparison.boards))


def scores(rows: Any, comparison: Comparison, series: str, selection: Selection) -> int | None:
    """The table of runs; returns the row that is clicked. For a paper all series stand beside each other."""
    board = comparison.boards[series]
    if choice := selection.computed(series):
        naming.titles(choice)
    known = set(rows.columns[rows.notna().any()]) | ({"rank", "mean"} if board.ungraded else set())
    names, title = rows["run_id"].tolist(), naming.sentence(board.title)
    picking.keep_row(names, key=RUN, table="leaderboard_scores", value=(selection, board.title))
    row = show.table(
        rows[[name for name in _in_order(selection) if name in known]],
        _headed(board, selection),
        key="leaderboard_scores",
        alt=f"Leaderboard by {title}, best run first",
        select=comparison.has_queries,
        export=show.Export(
            partial(_exported, rows, comparison, selection),
            partial(board_latex, comparison, selection.request.reference),
        ),
    )
    sentences = [f"{title}.", board.population]
    if board.overall:
        sentences.append(f"All graded passages together: {board.overall_heading} {show.fraction(board.overall[0])}.")
    show.text(" ".join([*sentences, *(f"{line}." for line in about_gaps(board))]))
    return row


def _exported(rows: Any, comparison: Comparison, selection: Selection) -> Any:
    """The rows of the one series; of several those of all, below each other, each with its tau."""
    if len(comparison.boards) < 2:
        return rows
    ask = partial(data.ask, selection.figures.standing)
    parts = {
        name: selection.shown(ask(name, selection.request)).assign(tau=board.tau if board.tau_applies else None)
        for name, board in comparison.boards.items()
    }
    return below_each_other(parts)


def _in_order(selection: Selection) -> Sequence[str]:
    """The columns in the order in which they are shown; first, as a bar, what the chart shows."""
    bar, number = ("mean", "normalised") if selection.raw else ("normalised", "mean")
    return (
        *("rank", "run_id", bar, "rank_low", "rank_high", "tier", number, "stderr", "displacement", "reference_rank"),
        *("spread", "n_runs", "holes", "normalised_stderr", "n_queries", "unanswered"),
    )


def _headed(board: Leaderboard, selection: Selection) -> ResultTable:
    """The declared table with the measure's and the reference's names, and a bar for what the chart shows."""
    changes: dict[str, dict[str, Any]] = {
        "mean": {"label": method_in_words(board.heading)},
        "reference_rank": {"label": rank_heading(selection.request.reference or "")},
    }
    bar = changes.setdefault("mean" if selection.raw else "normalised", {})
    bar |= {"kind": "bar", "width": 140, "least": min(0.0, board.rows["mean"].min()) if selection.raw else 0.0}
    return (SCORES if board.table is ROWS else GROUP_SCORES).changed(**changes)


def pick_run(rows: Any, row: int | None, clicked: str | None, ringed: str | None) -> str | None:
    """The run that is looked into; where a click has just chosen it, the page begins anew, to ring it in the chart."""
    st.header("One run, query by query", anchor="run")
    taken = [picking.in_row(rows["run_id"], row), clicked]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        run = picking.pick("Run", rows["run_id"], key=RUN, clicked=taken, help=PICK_RUN, empty=NO_RUN)
        scrolling.back(CHART)
    if run is not None and run != ringed:
        st.rerun()
    return run


def _last(clicked: Any | None) -> str | None:
    # What the custom data of a point end with.
    return str(clicked[-1]) if clicked else None


def queries(rows: Any, run: str, choice: Evaluation) -> str | None:
    """The run's values beside the mean of all runs; returns the query that is looked into."""
    figure = differences_figure(rows, ahead=run, behind=ALL_RUNS)
    clicked = show.chart(figure, key="leaderboard_differences", select=True)
    names = rows["query_id"].tolist()
    picking.keep_row(names[: show.MOST_ROWS], key="leaderboard_query", table="leaderboard_queries", value=(choice, run))
    of = QUERIES.changed(value={"label": choice.heading})
    row = show.table(show.filled(rows), of, key="leaderboard_queries", select=True)
    taken = [picking.in_row(names, row), _last(clicked)]
    return picking.pick("Query", names, key="leaderboard_query", clicked=taken, help=PICK_RUN, empty=NO_QUERY)


def passages(rows: Any, run: str, query: str) -> None:
    """What the run ranked for a query, and what it is worth."""
    if rows.empty:
        show.text(f"{run} returned nothing for query {query}.")
        return
    row = show.table(show.filled(rows), PASSAGES, key="leaderboard_passages", select=True)
    st.caption(PASSAGE)
    if passage := picking.in_row(rows["doc_id"], row):
        at = rows.loc[rows["doc_id"] == passage, "rank"].iloc[0]
        link(f"Passage {at:g} of query {show.escaped(query)}", icon=OPEN, passage=f"{query} {passage}")
