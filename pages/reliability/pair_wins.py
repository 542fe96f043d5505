"""All pairs of runs: how many queries each wins, which pairs differ significantly, and every run beside a baseline."""

from __future__ import annotations

import streamlit as st

from exam_core.wings.comparing.run_pairs import BASELINE, MARK, MARKED, PAIRS, against, every_pair, wins_figure
from exam_core.wings.comparing.stability import against_lines
from pages.shared import data, naming, show
from pages.shared.selection import Selection

HELP = (
    "Compares every other run with this one: wins, ties and losses by query, mean difference, paired t-test with "
    "Holm's adjustment (Holm 1979). None: all pairs are tested."
)
READ = (
    "Share of the queries on which the row's run beats the column's. {}: the two differ significantly (paired t-test "
    "over the queries, p < 0.05 after Holm's adjustment for all pairs)."
)


def draw(mode: str, selection: Selection) -> None:
    """The matrix, and below it every pair or every run beside the baseline."""
    choice = selection.of(mode)
    result = data.ask(every_pair, selection.snapshot, choice)
    if result.pairs.empty:
        show.text("There are fewer than two runs to compare.")
        return
    runs = list(dict.fromkeys([*result.pairs["run_a"], *result.pairs["run_b"]]))
    baseline = st.selectbox(
        "Baseline", runs, None, key="compare_baseline", help=HELP, placeholder="None: all pairs", bind="query-params"
    )
    pairs = selection.shown(result.pairs, "run_a", "run_b")
    show.chart(wins_figure(pairs, baseline), key="compare_wins")
    st.caption(READ.format("Coloured" if len(runs) > MARKED else MARK))
    if baseline:
        beside = data.ask(against, selection.snapshot, choice, baseline)
        for line in against_lines(beside):
            show.text(naming.sentence(line))
        show.table(selection.shown(beside.rows), BASELINE, key="compare_baseline_rows")
        return
    show.table(pairs, PAIRS, key="compare_all_pairs")
    show.notes(result.notes)
