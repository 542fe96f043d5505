"""What the page Reliability shows: the answer, ranks over resamplings, and a tab for each other analysis."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from exam_core.errors import ExamboardError, NoQuestions
from exam_core.wings.comparing import run_pairs
from exam_core.wings.comparing import stability_charts as charts
from exam_core.wings.comparing.of_figures import swaps_of
from exam_core.wings.comparing.stability import (
    RANKS,
    SIZE_ROWS,
    Stability,
    against_lines,
    curve_lines,
    reliability_sentences,
    size_curve,
    stability,
    swaps_lines,
)
from exam_core.wings.comparing.swaps import SWAPPED
from exam_core.wording import RELIABILITY
from pages.shared import boxes, data, naming, show, wings
from pages.shared.moved import PAIRS, VIEWS
from pages.shared.selection import Selection

HELP = (
    "Compares every other run with this one: wins, ties and losses by query, mean difference, paired t-test with "
    "Holm's adjustment (Holm 1979). None: all pairs are tested."
)
READ = (
    "Share of the queries on which the row's run beats the column's. {}: the two differ significantly (paired t-test "
    "over the queries, p < 0.05 after Holm's adjustment for all pairs)."
)


def _pairs(mode: str, selection: Selection) -> None:
    """The matrix of all pairs of runs, and below it every pair or every run beside the baseline."""
    choice = selection.of(mode)
    result = data.ask(run_pairs.every_pair, selection.snapshot, choice)
    if result.pairs.empty:
        show.text("There are fewer than two runs to compare.")
        return
    runs = list(dict.fromkeys([*result.pairs["run_a"], *result.pairs["run_b"]]))
    baseline = st.selectbox(
        "Baseline", runs, None, key="compare_baseline", help=HELP, placeholder="None: all pairs", bind="query-params"
    )
    pairs = selection.shown(result.pairs, "run_a", "run_b")
    show.chart(run_pairs.wins_figure(pairs, baseline), key="compare_wins")
    st.caption(READ.format("Coloured" if len(runs) > run_pairs.MARKED else run_pairs.MARK))
    if baseline:
        beside = data.ask(run_pairs.against, selection.snapshot, choice, baseline)
        for line in against_lines(beside):
            show.text(naming.sentence(line))
        show.table(selection.shown(beside.rows), run_pairs.BASELINE, key="compare_baseline_rows")
        return
    show.table(pairs, run_pairs.PAIRS, key="compare_all_pairs")
    show.notes(result.notes)


EACH = "Rank of each run"
COEFFICIENT = "Kendall's tau-b counts pairs of runs in the same order; Spearman's rho correlates ranks."
NO_QUERIES = (
    "The papers print only means, so no queries can be resampled. Shown instead: how often the printed column and the "
    "reference order two runs differently."
)


def graded(selection: Selection) -> None:
    """How many pairs differ and how far ranks move over resamplings, the ranks, and the tabs."""
    mode = show.mode(selection, of_one=False)
    naming.titles(selection.of(mode))
    result = _ranks(selection, mode)
    tabs: dict[str, Callable[[], object]] = {PAIRS: partial(_pairs, mode, selection)}
    if result:
        tabs[EACH] = partial(_each_run, result, selection)
    without = () if selection.has_taus else OF_QUESTIONS
    tabs |= {name: partial(draw, selection, mode) for name, draw in ANALYSES.items() if name not in without}
    show.tabs(tabs if selection.by_judgments else wings.with_tabs(RELIABILITY, tabs, mode, selection), key=VIEWS)


def _ranks(selection: Selection, mode: str) -> Stability | None:
    """The answer, and every run's rank over the resamplings; None where no rank can be drawn anew."""
    answer = st.container()
    try:
        pairs = data.ask(run_pairs.every_pair, selection.snapshot, selection.of(mode))
        result = data.ask(stability, selection.snapshot, selection.of(mode))
    except NoQuestions:
        raise  # of the whole page, which says it once
    except ExamboardError as error:
        show.problems([str(error)])
        return None
    with answer:
        show.text(naming.sentence(" ".join(reliability_sentences(pairs, result))))
    rows = selection.shown(result.rows)
    show.chart(charts.ranks_figure(rows, naming.sentence(result.title)), key="stability_ranks_chart")
    return result


def _each_run(result: Stability, selection: Selection) -> None:
    """The figures of the chart."""
    of = RANKS.changed(mean={"label": selection.measure_heading})
    show.table(selection.shown(result.rows), of, key="stability_ranks")
    show.notes(result.notes)


def _curve(of: str, selection: Selection, mode: str) -> None:
    """Correlation against the number of questions or queries."""
    label = boxes.one_of("Coefficient", charts.BY_LABEL, key="stability_coefficient", help=COEFFICIENT)
    result = data.ask_slowly("Drawing subsets", size_curve, selection.snapshot, selection.of(mode), of=of)
    show.text(naming.sentence(curve_lines(result)[0]))
    name = charts.BY_LABEL[label]
    figure = charts.curve_figure(result.rows, of, name, naming.sentence(result.title), naming.names())
    show.chart(figure, key=f"stability_{of}_chart")
    show.table(result.rows, SIZE_ROWS.changed(size={"label": charts.SIZES[of].capitalize()}), key=f"stability_{of}")
    show.notes(result.notes)


def _swaps(selection: Selection, mode: str) -> None:
    """Pairs of runs that the leaderboard and the reference order differently."""
    result = data.ask(swaps_of, selection.figures, selection.request, mode)
    for line in swaps_lines(result)[:3]:
        if line not in result.notes:
            show.text(naming.sentence(line))
    scores_of = naming.sentence(result.reference if result.differences_of == "reference" else result.title)
    show.chart(charts.swaps_figure(result.rows, scores_of), key="stability_swaps_chart")
    st.caption("After Lin & Demner-Fushman 2005 (POURPRE), figure 4.")
    show.table(selection.shown(result.swapped, "run_a", "run_b"), SWAPPED, key="stability_swaps")
    show.notes(result.notes)


def printed(selection: Selection) -> None:
    """Of printed figures, the swapped pairs alone."""
    show.text(NO_QUERIES)
    _swaps(selection, show.mode(selection))


ANALYSES: dict[str, Callable[[Selection, str], None]] = {
    "Fewer queries": partial(_curve, "queries"),
    "Fewer questions": partial(_curve, "bank-size"),
    "Rank swaps": _swaps,
}
"""Tabs of an analysis each."""
OF_QUESTIONS = ("Fewer questions",)
