"""What the page of stability shows; only the view that is looked at is computed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from exam_core.analysis.bank.questions import questions_left_out
from exam_core.analysis.beside.rank_swaps import Swaps
from exam_core.analysis.chance.bank_size import size_curve
from exam_core.analysis.chance.stability import ITSELF, stability
from exam_core.charts import stability as charts
from exam_core.reports.stability import curve_lines, leave_one_out_lines, swaps_lines
from pages.parts.texts import shown
from pages.shared import data, show
from pages.shared.chosen import Chosen

DRAWN = {"queries": "queries", "questions": "questions", "both": "queries and questions"}
LABEL = {
    "queries": "Drawing queries",
    "questions": "Drawing questions",
    "both": "Drawing queries and questions",
}
HELP = {
    "view": (
        "Ranks: the distribution of every run's rank over draws. Fewer questions, fewer queries: correlation of "
        "leaderboards over random subsets. One question out: which single question matters. Rank swaps: pairs of runs "
        "that the leaderboard and the reference order differently."
    ),
    "of": (
        "Drawn with replacement: queries (2,000 draws), the questions of each query (200 draws), or both. Efron & "
        "Tibshirani 1993, chapter 13."
    ),
    "rank": "Rank as it is; ties share their mean rank.",
    "interval": "2.5 and 97.5 percentile of the rank over the draws.",
    "first": "Share of the draws in which no run is above it.",
    "top_k": "Share of the draws in which fewer than five runs are above it.",
    "tier": "A tier begins with the first run that a paired t-test (Holm, p < 0.05) tells from the best of the tier "
    "above.",
    "tier_kept": "Share of the draws with a rank among the places of its tier.",
    "coefficient": "Kendall's tau-b counts pairs of runs in the same order; Spearman's rho correlates ranks.",
    "change": "Correlation with the reference without the question - with all questions.",
    "rank_change": "Largest change of any run's rank without the question, in places, and the run that it is of.",
    "separable": "Whether the leaderboard's paired t-test tells the two runs apart (Holm, p < 0.05).",
}
NO_QUERIES = (
    "There are no per-query figures here, only printed means: neither queries nor questions can be drawn again. What "
    "can be counted is how often the printed column and the reference swap two runs."
)


def view(chosen: Chosen) -> str:
    """Which analysis to look at; of printed figures there is one only."""
    if chosen.basis == "print":
        show.text(NO_QUERIES)
        return SWAPS
    picked = st.segmented_control(
        "Look at",
        list(VIEWS),
        default=RANKS,
        required=True,
        key="stability_view",
        help=HELP["view"],
        bind="query-params",
    )
    return picked or RANKS


def ranks(chosen: Chosen, mode: str) -> None:
    """The distribution of every run's rank."""
    of = st.segmented_control(
        "Draw",
        list(DRAWN),
        default="queries",
        required=True,
        key="stability_of",
        help=HELP["of"],
        bind="query-params",
    )
    found = data.ask_slowly(
        LABEL[of or "queries"],
        stability,
        chosen.snapshot,
        chosen.of(mode),
        of=of or "queries",
    )
    show.text(f"{found.title}: {found.draws:,} draws of {DRAWN[found.of]}, seed {found.seed}.")
    show.chart(charts.ranks_figure(found.rows), key="stability_ranks_chart", alt=charts.ranks_alternative(found.rows))
    show.table(
        found.rows,
        key="stability_ranks",
        alt="Rank of each run as it is and over the draws",
        columns={
            "run_id": st.column_config.TextColumn("Run", pinned=True),
            "mean": st.column_config.NumberColumn(chosen.measure_heading, format=show.NUMBER),
            "rank": st.column_config.NumberColumn("Rank", help=HELP["rank"], format="%g"),
            "rank_mean": st.column_config.NumberColumn("Mean rank", format="%.1f"),
            "rank_low": st.column_config.NumberColumn("95% from", help=HELP["interval"], format="%.1f"),
            "rank_median": st.column_config.NumberColumn("Median", format="%.1f"),
            "rank_high": st.column_config.NumberColumn("to", help=HELP["interval"], format="%.1f"),
            "first": st.column_config.NumberColumn("First", help=HELP["first"], format="percent"),
            "top_k": st.column_config.NumberColumn("In the first 5", help=HELP["top_k"], format="percent"),
            "tier": st.column_config.NumberColumn("Tier", help=HELP["tier"]),
            "tier_kept": st.column_config.NumberColumn("Tier kept", help=HELP["tier_kept"], format="percent"),
        },
    )
    st.subheader("Correlation over the draws")
    show.table(
        found.correlation,
        key="stability_correlation",
        alt="Rank correlations as they are and over the draws",
        columns={
            "against": st.column_config.TextColumn(
                "With", help=f"{ITSELF} is the leaderboard itself, as it is without drawing."
            ),
            "coefficient": st.column_config.TextColumn("Coefficient", help=HELP["coefficient"]),
            "observed": st.column_config.NumberColumn("As it is", format=show.NUMBER),
            "mean": st.column_config.NumberColumn("Mean of the draws", format=show.NUMBER),
            "low": st.column_config.NumberColumn("95% from", format=show.NUMBER),
            "high": st.column_config.NumberColumn("to", format=show.NUMBER),
        },
    )
    show.notes(found.notes)


def curve(of: str, chosen: Chosen, mode: str) -> None:
    """Correlation against the number of questions or queries."""
    coefficient = st.segmented_control(
        "Coefficient",
        list(charts.COEFFICIENTS),
        default="kendall",
        required=True,
        format_func=charts.COEFFICIENTS.__getitem__,
        key="stability_coefficient",
        help=HELP["coefficient"],
        bind="query-params",
    )
    found = data.ask_slowly("Drawing subsets", size_curve, chosen.snapshot, chosen.of(mode), of=of)
    show.text(curve_lines(found)[0])
    name = coefficient or "kendall"
    show.chart(
        charts.curve_figure(found.rows, of, name),
        key=f"stability_{of}_chart",
        alt=charts.curve_alternative(found.rows, of, name),
    )
    show.table(
        found.rows,
        key=f"stability_{of}",
        alt=f"Correlation by number of {charts.SIZES[of]}",
        columns={
            "against": st.column_config.TextColumn("With"),
            "size": st.column_config.NumberColumn(charts.SIZES[of].capitalize()),
            "n_runs": st.column_config.NumberColumn("Runs"),
            **{
                f"{one}{end}": st.column_config.NumberColumn(f"{label}{what}", format=show.NUMBER)
                for one, label in charts.COEFFICIENTS.items()
                for end, what in (("", ""), ("_low", ", 95% from"), ("_high", ", to"))
            },
        },
    )
    show.notes(found.notes)


def left_out(chosen: Chosen, mode: str) -> None:
    """The questions by what the leaderboard is without them."""
    found = data.ask_slowly(
        "Leaving questions out",
        questions_left_out,
        chosen.snapshot,
        chosen.of(mode),
    )
    for line in leave_one_out_lines(found)[:2]:
        show.text(line)
    by = "kendall_change" if found.reference else "rank_change"
    show.chart(
        charts.influence_figure(found.rows, by),
        key="stability_left_out_chart",
        alt=charts.influence_alternative(found.rows, by),
    )
    show.table(
        shown(found.rows, "query_id", "question_text", *_INFLUENCE, "question_id"),
        key="stability_left_out",
        alt="Change of the leaderboard without each question, largest first",
        export=found.rows,
        columns={
            "query_id": st.column_config.TextColumn("Query", pinned=True),
            "question_text": st.column_config.TextColumn("Question", width="large"),
            "kendall": st.column_config.NumberColumn("Kendall without", format=show.NUMBER),
            "kendall_change": st.column_config.NumberColumn("Change", help=HELP["change"], format="%+.4f"),
            "spearman": st.column_config.NumberColumn("Spearman without", format=show.NUMBER),
            "spearman_change": st.column_config.NumberColumn("Change of it", help=HELP["change"], format="%+.4f"),
            "rank_change": st.column_config.NumberColumn("Places", help=HELP["rank_change"], format="%g"),
            "run_id": st.column_config.TextColumn("of run", help=HELP["rank_change"]),
            "question_id": st.column_config.TextColumn("Question ID"),
        },
    )
    show.notes(found.notes)


_INFLUENCE = ("kendall", "kendall_change", "spearman", "spearman_change", "rank_change", "run_id")


def swaps(chosen: Chosen, mode: str) -> None:
    """Pairs of runs that the leaderboard and the reference order differently."""
    found: Swaps = data.ask(chosen.figures.swaps_of, mode, chosen.asked)
    for line in swaps_lines(found)[:3]:
        if line not in found.notes:
            show.text(line)
    scores_of = found.reference if found.differences_of == "reference" else found.title
    show.chart(
        charts.swaps_figure(found.rows, scores_of),
        key="stability_swaps_chart",
        alt=charts.swaps_alternative(found.rows, scores_of),
    )
    st.caption("After Lin & Demner-Fushman 2005 (POURPRE), figure 4.")
    show.table(
        found.swapped,
        key="stability_swaps",
        alt="Swapped pairs of runs, those farthest apart first",
        columns={
            "run_a": st.column_config.TextColumn("Ahead on the board", pinned=True),
            "run_b": st.column_config.TextColumn("Ahead in the reference"),
            "difference": st.column_config.NumberColumn("Difference", format=show.NUMBER),
            "reference_difference": st.column_config.NumberColumn("Reference difference", format=show.NUMBER),
            "reference_rank_a": st.column_config.NumberColumn("Reference rank", format="%g"),
            "reference_rank_b": st.column_config.NumberColumn("of the other", format="%g"),
            "separable": st.column_config.CheckboxColumn("Told apart", help=HELP["separable"]),
        },
    )
    show.notes(found.notes)


RANKS, SWAPS = "Ranks", "Rank swaps"
VIEWS: dict[str, Callable[[Chosen, str], Any]] = {
    RANKS: ranks,
    "Fewer questions": partial(curve, "bank-size"),
    "Fewer queries": partial(curve, "queries"),
    "One question out": left_out,
    SWAPS: swaps,
}
