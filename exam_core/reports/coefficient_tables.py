"""Correlation coefficients as tables: all of one leaderboard, or of many leaderboards."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from exam_core.analysis.comparisons.correlation import Correlated
from exam_core.analysis.evaluation.truths import MEANING, MIDDLE, NO_INTERVAL, SOURCE
from exam_core.analysis.shared_columns import RUNS
from exam_core.numbers.rank_correlations import COEFFICIENTS
from exam_core.numbers.true_means import ORDERED
from exam_core.results import ResultTable, decimal, interval, text

MEANINGS = {
    "spearman": (
        "Spearman's rho",
        "Pearson's correlation of the ranks; ties share their mean rank (EXAM, section 4.1)",
    ),
    "kendall": (
        "Kendall's tau-b",
        "(concordant - discordant pairs of runs) / square root of (pairs untied in one order * pairs untied in the "
        "other) (Kendall 1945)",
    ),
    "tau_ap": (
        "tau-AP a",
        "tauAP_a: like Kendall's, but a swap at the top counts more; the reference is taken as the truth, and may have "
        "no ties (Yilmaz et al. 2008; ties as in Urbano & Marrero 2017)",
    ),
    "tau_ap_b": (
        "tau-AP b",
        "tauAP_b: mean of tau-AP in both directions; both orders may have ties (Urbano & Marrero 2017)",
    ),
    "rbo": (
        "RBO",
        "overlap of the first d runs, averaged over d with weight 0.9^(d - 1) (Webber et al. 2010; ties as in Corsi & "
        "Urbano 2024)",
    ),
    "r2": ("R²", "squared Pearson correlation of the scores; needs scores on both sides (POURPRE)"),
    "rmse": ("RMSE", "root of the mean squared difference of the scores; needs both sides on one scale"),
}
"""Name of each coefficient, and what it says."""
LABELS = {name: label for name, (label, _) in MEANINGS.items()}
ALL_COEFFICIENTS = ResultTable(
    "correlation: coefficients",
    "Every correlation coefficient of a leaderboard and its reference",
    text("coefficient", "Coefficient", "; ".join(map(": ".join, MEANINGS.values())) + ".", pinned=True),
    decimal("value", "Value"),
    interval(
        "value_interval",
        "95% interval",
        f"{MEANING} A dash where it is undefined.",
        source=SOURCE,
    ),
    decimal("value_middle", "Corrected for noise", MIDDLE, source=SOURCE),
    text("meaning", "Meaning", width="large"),
)
METHODS = ResultTable(
    "correlation: methods",
    "Every correlation coefficient of several leaderboards and their reference",
    text("leaderboard", "Published result", pinned=True),
    *(decimal(name, label, meaning) for name, (label, meaning) in MEANINGS.items()),
    RUNS,
)
INTERVALS = {
    name: interval(f"{name}_interval", f"{label}, 95%", MEANING if name in ORDERED else NO_INTERVAL, source=SOURCE)
    for name, (label, _) in MEANINGS.items()
}
MIDDLES = {
    name: decimal(
        f"{name}_middle", f"{label}, corrected for noise", MIDDLE if name in ORDERED else NO_INTERVAL, source=SOURCE
    )
    for name, (label, _) in MEANINGS.items()
}
CORRELATED = ResultTable(
    "correlate: rows",
    "Every correlation coefficient of each leaderboard with its reference; undefined values are NaN, or None",
    text("leaderboard", "Leaderboard", pinned=True),
    text("reference", "Reference"),
    RUNS,
    *(decimal(name, label, meaning) for name, (label, meaning) in MEANINGS.items()),
    *(INTERVALS[name] for name in MEANINGS),
    *(MIDDLES[name] for name in MEANINGS),
)
BESIDE = (
    *("leaderboard", "reference", "n"),
    *(name for one in MEANINGS for name in (one, f"{one}_interval")),
    *(f"{one}_middle" for one in MEANINGS),
)
"""Its columns where each coefficient has its interval beside it."""


def coefficients_table(found: Correlated) -> pd.DataFrame:
    """A row for each coefficient: `ALL_COEFFICIENTS`; its interval is None where it can't be told."""
    values = [getattr(found.correlation, name) for name in COEFFICIENTS]
    intervals = [found.intervals.get(name) for name in COEFFICIENTS]
    return ALL_COEFFICIENTS.of(
        {
            "coefficient": [MEANINGS[name][0] for name in COEFFICIENTS],
            "value": pd.Series(values, dtype=float),
            "value_interval": pd.Series(intervals, dtype=object),
            "value_middle": pd.Series([found.middles.get(name) for name in COEFFICIENTS], dtype=float),
            "meaning": [MEANINGS[name][1] for name in COEFFICIENTS],
        }
    )


def methods_table(found: Sequence[Correlated]) -> pd.DataFrame:
    """A row for each leaderboard: `METHODS`."""
    rows = [
        [one.leaderboard, *(getattr(one.correlation, name) for name in COEFFICIENTS), one.correlation.n]
        for one in found
    ]
    return METHODS.of(rows)
