"""What the page of stability shows; only the view that is looked at is computed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from exam_core.analysis.bank.questions import questions_left_out
from exam_core.analysis.beside.rank_swaps import SWAPPED, Swaps
from exam_core.analysis.chance import bank_size
from exam_core.analysis.chance.bank_size import size_curve
from exam_core.analysis.chance.leave_one_out import WORDED
from exam_core.analysis.chance.stability import CORRELATION, ROWS, stability
from exam_core.charts import stability as charts
from exam_core.reports.stability import curve_lines, leave_one_out_lines, swaps_lines
from pages.parts.texts import shown
from pages.shared import data, naming, show
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
    show.text(f"{naming.sentence(found.title)}: {found.draws:,} draws of {DRAWN[found.of]}, seed {found.seed}.")
    rows = chosen.shown(found.rows)
    show.chart(
        charts.ranks_figure(rows, naming.sentence(found.title)),
        key="stability_ranks_chart",
        alt=charts.ranks_alternative(rows),
    )
    show.table(
        rows,
        ROWS.changed(mean={"label": chosen.measure_heading}),
        key="stability_ranks",
        alt="Rank of each run as it is and over the draws",
    )
    st.subheader("Correlation over the draws")
    show.table(
        found.correlation,
        CORRELATION,
        key="stability_correlation",
        alt="Rank correlations as they are and over the draws",
    )
    show.notes(found.notes)


def curve(of: str, chosen: Chosen, mode: str) -> None:
    """Correlation against the number of questions or queries."""
    coefficient = st.segmented_control(
        "Coefficient",
        list(charts.BY_LABEL),
        default=charts.COEFFICIENTS["kendall"],
        required=True,
        key="stability_coefficient",
        help=CORRELATION["coefficient"].explained,
        bind="query-params",
    )
    found = data.ask_slowly("Drawing subsets", size_curve, chosen.snapshot, chosen.of(mode), of=of)
    show.text(curve_lines(found)[0])
    name = charts.BY_LABEL[str(coefficient)]
    show.chart(
        charts.curve_figure(found.rows, of, name, naming.sentence(found.title)),
        key=f"stability_{of}_chart",
        alt=charts.curve_alternative(found.rows, of, name),
    )
    show.table(
        found.rows,
        bank_size.ROWS.changed(size={"label": charts.SIZES[of].capitalize()}),
        key=f"stability_{of}",
        alt=f"Correlation by number of {charts.SIZES[of]}",
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
        charts.influence_figure(found.rows, by, naming.sentence(found.title)),
        key="stability_left_out_chart",
        alt=charts.influence_alternative(found.rows, by),
    )
    show.table(
        shown(found.rows, *WORDED.names),
        WORDED,
        key="stability_left_out",
        alt="Change of the leaderboard without each question, largest first",
        export=found.rows,
    )
    show.notes(found.notes)


def swaps(chosen: Chosen, mode: str) -> None:
    """Pairs of runs that the leaderboard and the reference order differently."""
    found: Swaps = data.ask(chosen.figures.swaps_of, mode, chosen.asked)
    for line in swaps_lines(found)[:3]:
        if line not in found.notes:
            show.text(line)
    scores_of = naming.sentence(found.reference if found.differences_of == "reference" else found.title)
    show.chart(
        charts.swaps_figure(found.rows, scores_of),
        key="stability_swaps_chart",
        alt=charts.swaps_alternative(found.rows, scores_of),
    )
    st.caption("After Lin & Demner-Fushman 2005 (POURPRE), figure 4.")
    show.table(
        chosen.shown(found.swapped, "run_a", "run_b"),
        SWAPPED,
        key="stability_swaps",
        alt="Swapped pairs of runs, those farthest apart first",
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
