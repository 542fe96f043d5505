"""What the page Leaderboard draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from exam_core.analysis.beside.comparison import AGREEMENTS, CORRELATIONS, Comparison
from exam_core.analysis.evaluation.caveats import about_few, heading
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.leaderboard import Leaderboard
from exam_core.analysis.evaluation.run_details import PASSAGES, QUERIES
from exam_core.analysis.evaluation.standing import SCORES, own_order
from exam_core.analysis.figures.protocol import Basis
from exam_core.charts.compare import differences_alternative, differences_figure
from exam_core.charts.leaderboard import leaderboard_alternative, leaderboard_figure
from exam_core.charts.rank_intervals import rank_intervals_alternative, rank_intervals_figure
from exam_core.charts.strips import MANY
from exam_core.reports.boards import about_gaps
from exam_core.reports.tables import Frame
from exam_core.results import ResultTable
from pages.shared import data, naming, picking, show, words
from pages.shared.chosen import Chosen
from pages.shared.passages import OPEN, link
from pages.shared.static import Static

ALL_RUNS = "the mean of all runs"
RANKS, RUN = "rank_intervals", "leaderboard_run"
RANK_INTERVALS = (
    "Each run's rank in place of its score, with where the rank is in 95% of 2,000 draws of the queries with "
    "replacement, all runs ranked on the same draw (Efron & Tibshirani 1993, chapter 13)."
)
NO_QUERIES = (
    "Printed figures end here: no per-query figures are printed, so that there are no tests, no rank intervals, and a "
    "run has no queries to look into. Collections with grades and runs, such as the demo, have both."
)
NO_AGREEMENT: dict[Basis, str] = {
    "grades": "There are no human judgments. Add them with: examboard import qrels FILE.",
    "print": "No agreement table is printed at this cut.",
}
PICK_RUN = f"{words.ROW} {words.POINT}"
PASSAGE = f"{words.ROW} Below is a link then to all that is known of the passage."


def chart(found: Comparison, chosen: Chosen) -> str | None:
    """Figure 2; returns the run whose point is clicked."""
    opens, ranks = chosen.basis == "grades", _ranks_asked_for(chosen)
    alt = leaderboard_alternative(*_sides(found, chosen))
    clicked = show.chart(
        data.drawn(_with_ranks if ranks else _figure, chosen, _highlighted(found), picked_run(found)),
        key="leaderboard_chart",
        alt=f"{alt} {rank_intervals_alternative(_standings(found, chosen))}" if ranks else alt,
        select=opens,
    )
    if opens:
        st.toggle("Ranks with intervals", key=RANKS, help=RANK_INTERVALS, bind="query-params")
        st.caption("A click on a point, or anywhere in a row of the table, opens the run query by query, below.")
    return _last(clicked)


def _highlighted(found: Comparison) -> str | None:
    """Of many series the one that the box below is about: the chart comes before it."""
    if len(found.boards) < MANY:
        return None
    picked = st.session_state.get("mode") or st.query_params.get("mode")
    return found.names[picked if picked in found.boards else next(iter(found.boards))]


def picked_run(found: Comparison) -> str | None:
    """The run that is looked into below the chart, or that a link names."""
    run = st.session_state.get(RUN) or st.query_params.get(RUN)
    return run if run in found.order else None


def stands(found: Comparison, chosen: Chosen) -> None:
    """Where the run that is looked into stands by each series and in the reference, in a sentence."""
    run = picked_run(found)
    if run is None:
        return
    places, reference = [], None
    for series, board in found.boards.items():
        row = board.rows[board.rows["run_id"] == run].iloc[0]
        of = f"of {int(board.rows['rank'].notna().sum())} by {found.names.get(series, series)}"
        places.append(f"rank {row['rank']:g} {of}" if row["rank"] == row["rank"] else f"no rank by {of[3:]}")
        reference = row["reference_rank"]
    said = f"{run}: {', '.join(places)}"
    if chosen.asked.reference and reference is not None:
        own = f"rank {reference:g}" if reference == reference else "not ranked"
        said += f"; {own} in {chosen.asked.reference}"
    show.text(naming.sentence(f"{said}. It is ringed below."))


def few(found: Comparison, chosen: Chosen) -> None:
    """That a board is about some of the queries only, before it is looked at."""
    choices = [choice for choice in map(chosen.computed, found.boards) if choice]
    said = [note for choice in choices for note in data.ask(about_few, chosen.snapshot, choice.labelling)]
    show.problems(list(dict.fromkeys(said)))


def _figure(found: Comparison, chosen: Chosen, highlighted: str | None, ringed: str | None) -> Any:
    frames, order, reference = _sides(found, chosen)
    return leaderboard_figure(
        frames,
        order,
        raw=chosen.raw,
        reference=reference,
        measured=found.measured,
        highlighted=highlighted,
        ringed=ringed,
    )


def _ranks_asked_for(chosen: Chosen) -> bool:
    """Whether the switch below the chart is on, which is drawn after it: the chart comes first."""
    said = st.session_state.get(RANKS, st.query_params.get(RANKS) == "true")
    return chosen.basis == "grades" and bool(said)


def _with_ranks(found: Comparison, chosen: Chosen, highlighted: str | None, ringed: str | None) -> Any:
    return rank_intervals_figure(
        _figure(found, chosen, highlighted, ringed),
        _standings(found, chosen),
        _sides(found, chosen)[1],
        measured=found.measured,
        highlighted=highlighted,
    )


def _standings(found: Comparison, chosen: Chosen) -> dict[str, Frame]:
    """Ranks and their intervals by series as the chart names it."""
    return {found.names[name]: data.ask(chosen.figures.standing, name, chosen.asked) for name in found.boards}


def _sides(found: Comparison, chosen: Chosen) -> tuple[dict[str, Frame], list[str], str | None]:
    """Rows by series as the chart names it, the order of the runs, and the reference whose order it is."""
    frames = {found.names[name]: board.rows for name, board in found.boards.items()}
    order, reference = (own_order(found.boards), None) if chosen.own_order else (found.order, chosen.asked.reference)
    return frames, [run_id for run_id in order if run_id not in chosen.hidden], reference


def series(found: Comparison, chosen: Chosen) -> str:
    """The series whose scores are listed: chosen where there are several."""
    st.subheader("Scores")
    picked = show.mode(chosen) if len(chosen.series) > 1 else chosen.series[0]
    return picked if picked in found.boards else next(iter(found.boards))


def scores(rows: Any, board: Leaderboard, chosen: Chosen) -> int | None:
    """The table of runs; returns the row that is clicked."""
    known = set(rows.columns[rows.notna().any()]) | ({"rank", "mean"} if board.ungraded else set())
    names = rows["run_id"].tolist()
    picking.keep_row(names, key=RUN, table="leaderboard_scores", given=(chosen, board.title))
    row = show.table(
        rows[[name for name in _in_order(chosen) if name in known]],
        _headed(board, chosen),
        key="leaderboard_scores",
        alt=f"Leaderboard by {board.title}, best run first",
        select=chosen.basis == "grades",
        export=rows,
    )
    show.text(" ".join([f"{board.title}.", *_about(board)]))
    return row


def _about(board: Leaderboard) -> list[str]:
    """What is known of the whole board."""
    sentences = [board.population]
    if board.overall:
        sentences.append(f"All graded passages together: {board.overall_heading} {show.fraction(board.overall[0])}.")
    return [*sentences, *(f"{line}." for line in about_gaps(board))]


def _in_order(chosen: Chosen) -> Sequence[str]:
    """The columns in the order in which they are shown; first, as a bar, what the chart shows."""
    bar, number = ("mean", "normalised") if chosen.raw else ("normalised", "mean")
    return (
        *("rank", "run_id", bar, "rank_low", "rank_high", "tier", number, "stderr", "displacement", "reference_rank"),
        *("holes", "normalised_stderr", "n_queries", "unanswered"),
    )


def _headed(board: Leaderboard, chosen: Chosen) -> ResultTable:
    """The table with the names of the measure and the reference, and a bar for what the chart shows."""
    changes: dict[str, dict[str, Any]] = {
        "mean": {"label": board.heading},
        "reference_rank": {"label": f"in {chosen.asked.reference or 'the reference'}"},
    }
    bar = changes.setdefault("mean" if chosen.raw else "normalised", {})
    bar |= {"kind": "bar", "width": 140, "least": min(0.0, board.rows["mean"].min()) if chosen.raw else 0.0}
    return SCORES.changed(**changes)


def pick_run(rows: Any, row: int | None, clicked: str | None, ringed: str | None) -> str | None:
    """The run that is looked into; where a click has just chosen it, the page begins anew, to ring it in the chart."""
    st.subheader("One run, query by query", anchor="run")
    run = picking.pick(
        "Run",
        rows["run_id"].tolist(),
        key=RUN,
        clicked=[_named(rows["run_id"], row), clicked],
        help=PICK_RUN,
        index=None,
        placeholder="Click a point or a row above, or choose a run",
    )
    if run is not None and run != ringed:
        st.rerun()
    return run


def _named(names: Any, row: int | None) -> str | None:
    """The name in a row of a table that is clicked."""
    return None if row is None or row >= len(names) else str(names.iloc[row])


def _last(clicked: Any | None) -> str | None:
    """The name that the custom data of a clicked point end with."""
    return str(clicked[-1]) if clicked else None


def queries(rows: Any, run: str, choice: Evaluation) -> str | None:
    """The run's values beside the mean of all runs; returns the query that is looked into."""
    clicked = show.chart(
        differences_figure(rows, ahead=run, behind=ALL_RUNS),
        key="leaderboard_differences",
        alt=differences_alternative(rows, ahead=run, behind=ALL_RUNS),
        select=True,
    )
    names = rows["query_id"].tolist()
    picking.keep_row(names, key="leaderboard_query", table="leaderboard_queries", given=(choice, run))
    row = show.table(
        rows.dropna(axis="columns", how="all"),
        QUERIES.changed(value={"label": heading(choice)}),
        key="leaderboard_queries",
        alt=f"Values of {run} by query, beside the mean of all runs",
        select=True,
    )
    return picking.pick(
        "Query",
        rows["query_id"].tolist(),
        key="leaderboard_query",
        clicked=[_named(rows["query_id"], row), _last(clicked)],
        help=f"{words.ROW} {words.POINT}",
        index=None,
        placeholder="Click a bar or a row above to see what the run ranked",
    )


def passages(rows: Any, run: str, query: str) -> None:
    """What the run ranked for a query, and what it is worth."""
    if rows.empty:
        show.text(f"{run} returned nothing for query {query}.")
        return
    row = show.table(
        rows.dropna(axis="columns", how="all"),
        PASSAGES,
        key="leaderboard_passages",
        alt=f"Passages that {run} ranked for query {query}",
        select=True,
    )
    st.caption(PASSAGE)
    if passage := _named(rows["doc_id"], row):
        link(f"Passage {show.escaped(passage)} for {show.escaped(query)}", icon=OPEN, passage=f"{query} {passage}")


def written(choice: Evaluation, run: str, query: str) -> None:
    """Where to see what a measure looks at that looks at no grades."""
    if choice.measure.info.of == "texts":
        label = f"Nuggets: what {show.escaped(run)} wrote for {show.escaped(query)}"
        show.link("pages/nuggets.py", label, ":material/fact_check:", nuggets_run=run, nuggets_query=query)
    else:
        show.link("pages/generated.py", "Generated answers and their ranks", ":material/auto_awesome:")


def agreement(found: Comparison, chosen: Chosen) -> None:
    """Rank correlations with the reference, kappa and 2 x 2 counts with the judgments, of each series."""
    st.subheader("Agreement with the reference and the human judgments")
    tables = []
    if chosen.asked.reference is None or found.correlations.empty:
        show.text("There is no leaderboard to compare with. Add one with: examboard import leaderboard FILE.")
    else:
        alt = f"Rank correlation with {chosen.asked.reference}"
        tables.append(Static("leaderboard_correlations", found.correlations, CORRELATIONS, alt, called=found.names))
    if chosen.by_judgments:
        pass
    elif found.agreements.empty:
        show.text(NO_AGREEMENT[chosen.basis])
    else:
        rank = f"label rank {chosen.asked.label_rank}" if chosen.basis == "grades" else "from the printed tables"
        alt = f"Labels of at least tau ({rank}) against passages judged {chosen.asked.relevant_from} or better"
        tables.append(Static("leaderboard_agreements", found.agreements, AGREEMENTS, alt))
    if tables:
        show.figures(tables, chosen, key="leaderboard_agreement")
