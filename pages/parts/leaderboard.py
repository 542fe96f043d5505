"""What the page Leaderboard draws."""

from __future__ import annotations

from typing import Any

import streamlit as st

from exam_core.analysis.beside.comparison import Comparison
from exam_core.analysis.evaluation.caveats import heading
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.leaderboard import Leaderboard
from exam_core.analysis.evaluation.standing import own_order
from exam_core.analysis.figures.protocol import Basis
from exam_core.charts.compare import differences_alternative, differences_figure
from exam_core.charts.leaderboard import leaderboard_alternative, leaderboard_figure
from exam_core.reports.tables import Frame
from pages.shared import data, picking, show, words
from pages.shared.chosen import Chosen
from pages.shared.passages import OPEN, link
from pages.shared.static import Static

IN_PRESENTATION = ("rank", "run_id", "normalised", "mean", "stderr", "rank_low", "rank_high", "tier", "displacement")
ALL_RUNS = "the mean of all runs"
NO_QUERIES = (
    "Printed figures end here: no per-query figures are printed, so that there are no tests, no rank intervals, and a "
    "run has no queries to look into. Collections with grades and runs, such as the demo, have both."
)
NO_AGREEMENT: dict[Basis, str] = {
    "grades": "There are no human judgments. Add them with: examboard import qrels FILE.",
    "print": "No agreement table is printed at this cut.",
}
TIER = (
    "A tier ends before the first run that is worse than its best run beyond chance: paired t-test over the queries, "
    "p < 0.05 after Holm's adjustment for all pairs (Student 1908; Holm 1979). Printed columns: before the first run "
    "whose error bar does not reach that of its best run."
)
RANK_INTERVAL = (
    "Where the rank is in 95% of 2,000 draws of the queries with replacement, all runs ranked on the same draw, from a "
    "fixed seed (Efron & Tibshirani 1993, chapter 13)."
)
DISPLACEMENT = (
    "Rank in the reference minus own rank, both among the runs that have both: positive where this leaderboard "
    "promotes the run."
)
HOLES = (
    "Share of the places, down to the measure's depth and over all queries, without a grade: passages that nobody "
    "graded, whose grades can't be read, or that the run's file left out."
)
UNANSWERED = "Queries for which the run returned nothing; they count 0."
PICK_RUN = f"{words.ROW} {words.POINT}"
PASSAGE = f"{words.ROW} Below is a link then to all that is known of the passage."
QUERY_VALUE = "The run's value of the measure on this query."
QUERY_MEAN = "Mean of all runs on this query, this run included."
QUERY_DIFFERENCE = "Value minus the mean of all runs: where the run falls short most comes first."
LABEL = "The passage's N-th best grade over the questions (EXAM, eq. 3), or the grade of the whole passage."
ANSWERED = "Questions of the query whose grade on this passage is at least tau."
FIRST_ANSWERED = "Those that no passage before it answers: they add up to what Cover counts."
RELEVANCE = "Human judgment; a dagger where there is none."

_COLUMN = st.column_config
CORRELATIONS = {
    "series": _COLUMN.TextColumn("Series"),
    "spearman": _COLUMN.NumberColumn("Spearman", help=words.SPEARMAN, format=show.NUMBER),
    "kendall": _COLUMN.NumberColumn("Kendall", help=words.KENDALL, format=show.NUMBER),
    "n": _COLUMN.NumberColumn("Runs"),
}
AGREEMENTS = {
    "series": _COLUMN.TextColumn("Series"),
    "tau": _COLUMN.NumberColumn("tau"),
    "kappa": _COLUMN.NumberColumn("Cohen's kappa", help=words.KAPPA, format=show.NUMBER),
    "tp": _COLUMN.NumberColumn("both relevant", format="localized"),
    "fp": _COLUMN.NumberColumn("only predicted", format="localized"),
    "fn": _COLUMN.NumberColumn("only judged", format="localized"),
    "tn": _COLUMN.NumberColumn("neither", format="localized"),
    "n": _COLUMN.NumberColumn("Passages", format="localized"),
}


def chart(found: Comparison, chosen: Chosen) -> str | None:
    """Figure 2; returns the run whose point is clicked."""
    opens = chosen.basis == "grades" and not chosen.present
    clicked = show.chart(
        data.drawn(_figure, chosen),
        key="leaderboard_chart",
        alt=leaderboard_alternative(*_sides(found, chosen)),
        select=opens,
    )
    if opens:
        st.caption("A click on a point, or anywhere in a row of the table, opens the run query by query, below.")
    return _last(clicked)


def _figure(found: Comparison, chosen: Chosen) -> Any:
    frames, order, reference = _sides(found, chosen)
    return leaderboard_figure(frames, order, raw=chosen.raw, reference=reference)


def _sides(found: Comparison, chosen: Chosen) -> tuple[dict[str, Frame], list[str], str | None]:
    """Rows by series as the chart names it, the order of the runs, and the reference whose order it is."""
    frames = {found.names[name]: board.rows for name, board in found.boards.items()}
    return (
        (frames, own_order(found.boards), None) if chosen.own_order else (frames, found.order, chosen.asked.reference)
    )


def series(found: Comparison, chosen: Chosen) -> str:
    """The series whose scores are listed: chosen where there are several."""
    st.subheader("Scores")
    picked = show.mode(chosen) if len(chosen.series) > 1 else chosen.series[0]
    return picked if picked in found.boards else next(iter(found.boards))


def scores(rows: Any, board: Leaderboard, chosen: Chosen) -> int | None:
    """The table of runs; returns the row that is clicked."""
    columns = _score_columns(board, chosen)
    if chosen.present:
        columns = {name: columns[name] for name in IN_PRESENTATION}
    known = rows.dropna(axis="columns", how="all")
    picking.keep_row(rows["run_id"].tolist(), key="leaderboard_run", table="leaderboard_scores")
    row = show.table(
        known[[name for name in columns if name in known]],
        key="leaderboard_scores",
        alt=f"Leaderboard by {board.title}, best run first",
        columns={name: config for name, config in columns.items() if name in known},
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
    if board.ungraded:
        pairs, missing, share = board.ungraded.pairs, board.ungraded.slots_missing, board.ungraded.share_at_depth
        sentences.append(
            f"{board.ungraded_heading}: {pairs:,} passages, and {missing:,} places of rankings that the files left "
            f"out; {share:.1%} of all places."
        )
    return sentences


def _score_columns(board: Leaderboard, chosen: Chosen) -> dict[str, Any]:
    """How the columns look, in the order in which they are shown; what is shown in the chart has a bar."""
    column, measure = st.column_config, board.heading
    scores: dict[str, dict[str, Any]] = {
        "normalised": {"label": "Re-normalised", "help": words.SCORES, "format": show.NUMBER},
        "mean": {"label": measure, "help": words.MEAN, "format": show.NUMBER},
    }
    bar, number = ("mean", "normalised") if chosen.raw else ("normalised", "mean")
    least, most = (0.0, 1.0) if bar == "normalised" else (min(0.0, board.rows["mean"].min()), 1.0)
    reference = chosen.asked.reference or "the reference"
    return {
        "rank": column.NumberColumn("Rank", help=words.RANK, format="%g", width=55),
        "run_id": column.TextColumn("Run", pinned=True, width=140),
        bar: column.ProgressColumn(**scores[bar], min_value=least, max_value=most, width=140),
        "rank_low": column.NumberColumn("from", help=RANK_INTERVAL, format="%.0f", width=50),
        "rank_high": column.NumberColumn("to", help=RANK_INTERVAL, format="%.0f", width=45),
        "tier": column.NumberColumn("Tier", help=TIER, width=45),
        number: column.NumberColumn(**scores[number], width=85),
        "stderr": column.NumberColumn("± SE", help=words.STDERR, format=show.NUMBER, width=65),
        "displacement": column.NumberColumn("Displaced", help=DISPLACEMENT, format="%+g", width=85),
        "reference_rank": column.NumberColumn(f"in {reference}", help=words.REFERENCE, format="%g", width=85),
        "holes": column.NumberColumn("Holes", help=HOLES, format="percent", width=75),
        "normalised_stderr": column.NumberColumn("± re-normalised", help=words.SCORES, format=show.NUMBER),
        "n_queries": column.NumberColumn("Queries", help="Queries that the mean is taken over."),
        "unanswered": column.NumberColumn("Unanswered", help=UNANSWERED),
    }


def pick_run(rows: Any, row: int | None, clicked: str | None) -> str | None:
    """The run that is looked into."""
    st.subheader("One run, query by query", anchor="run")
    return picking.pick(
        "Run",
        rows["run_id"].tolist(),
        key="leaderboard_run",
        clicked=[_named(rows["run_id"], row), clicked],
        help=PICK_RUN,
        index=None,
        placeholder="Click a point or a row above, or choose a run",
    )


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
    column = st.column_config
    picking.keep_row(rows["query_id"].tolist(), key="leaderboard_query", table="leaderboard_queries")
    row = show.table(
        rows.dropna(axis="columns", how="all"),
        key="leaderboard_queries",
        alt=f"Values of {run} by query, beside the mean of all runs",
        columns={
            "query_id": column.TextColumn("Query", pinned=True),
            "query_text": column.TextColumn("Text", width="large"),
            "value": column.NumberColumn(heading(choice), help=QUERY_VALUE, format=show.NUMBER),
            "mean": column.NumberColumn("Mean of all runs", help=QUERY_MEAN, format=show.NUMBER),
            "difference": column.NumberColumn("Difference", help=QUERY_DIFFERENCE, format="%+.3f"),
            "rank": column.NumberColumn("Rank", help=words.RANK, format="%g"),
            "n_runs": column.NumberColumn("of runs"),
        },
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
    column = st.column_config
    row = show.table(
        rows.dropna(axis="columns", how="all"),
        key="leaderboard_passages",
        alt=f"Passages that {run} ranked for query {query}",
        columns={
            "rank": column.NumberColumn("Rank", width=60),
            "doc_id": column.TextColumn("Passage"),
            "label": column.NumberColumn("Label", help=LABEL, format="%g", width=70),
            "answered": column.NumberColumn("Answers", help=ANSWERED, format="%g", width=80),
            "first_answered": column.NumberColumn("for the first time", help=FIRST_ANSWERED, format="%g"),
            "relevance": column.NumberColumn("Judged", help=RELEVANCE, format="%g", width=70),
            "text": column.TextColumn("Text", width="large"),
        },
        select=True,
    )
    st.caption(PASSAGE)
    if passage := _named(rows["doc_id"], row):
        link(f"Evidence: {show.escaped(passage)} for {show.escaped(query)}", icon=OPEN, passage=f"{query} {passage}")


def agreement(found: Comparison, chosen: Chosen) -> None:
    """Rank correlations with the reference, kappa and 2 x 2 counts with the judgments, of each series."""
    st.subheader("Agreement with the reference and the human judgments")
    tables = []
    if chosen.asked.reference is None or found.correlations.empty:
        show.text("There is no leaderboard to compare with. Add one with: examboard import leaderboard FILE.")
    else:
        alt = f"Rank correlation with {chosen.asked.reference}"
        tables.append(Static("leaderboard_correlations", _named_series(found.correlations, found), CORRELATIONS, alt))
    if found.agreements.empty:
        show.text(NO_AGREEMENT[chosen.basis])
    else:
        rank = f"label rank {chosen.asked.label_rank}" if chosen.basis == "grades" else "from the printed tables"
        alt = f"Labels of at least tau ({rank}) against passages judged {chosen.asked.relevant_from} or better"
        tables.append(Static("leaderboard_agreements", found.agreements, AGREEMENTS, alt))
    if tables:
        show.figures(tables, key="leaderboard_agreement")


def _named_series(rows: Frame, found: Comparison) -> Frame:
    """Rows with their series as the chart names it."""
    if all(name == series for series, name in found.names.items()):
        return rows
    return rows.assign(series=rows["series"].map(found.names))
