"""What tells runs of a leaderboard apart: tests, error bars, and the tiers that they make."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from exam_core.asked import PairTest
from exam_core.numbers import significance_tests as measures
from exam_core.numbers.arrays import Floats, Ints
from exam_core.numbers.means import mean_and_stderr

ALPHA = 0.05
CRITERIA = {
    "error_bars": "error bars (mean ± standard error) don't overlap",
    "t": "paired t",
    "t_holm": "paired t, Holm",
    "bootstrap": "paired bootstrap",
    "bootstrap_holm": "paired bootstrap, Holm",
    "randomisation": "randomisation",
    "randomisation_holm": "randomisation, Holm",
}
"""What tells runs apart, in words."""
TESTS: dict[PairTest, Callable[[Floats, int, int], Floats]] = {
    "t": lambda values, _draws, _seed: measures.paired_t(values),
    "bootstrap": measures.paired_bootstrap,
    "randomisation": measures.randomisation,
}
RANK_INTERVAL_LABEL = "95% rank interval"
RANK_INTERVAL = (
    "95% interval of the run's rank with unlimited queries, from 2,000 simulations of the true means, with a fixed "
    "seed. docs/explanation/intervals.md says how often such intervals hold."
)
TIER = "A tier ends before the first run that is significantly worse than its best run"
BY_T = "(paired t-test, p < 0.05 after Holm's adjustment for all pairs)"
BY_BARS = "or whose printed error bar does not overlap"
"""What ends a tier: with values by query, and of printed figures."""


def tiers(values: Floats) -> Ints:
    """(R,) tier of each run from 1, by the paired t-test with Holm's adjustment; 0 for a run without a mean.

    Parameters
    ----------
    values : (R, Q) one value for each run and query; NaN doesn't count
    """
    mean, _, _ = mean_and_stderr(values)
    return measures.tiers(mean, measures.holm(measures.paired_t(values)) < ALPHA)


def tiers_by_bars(mean: Floats, stderr: Floats) -> Ints:
    """The same by error bars that don't overlap; 0 where no run has one."""
    if np.isnan(stderr).all():
        return np.zeros(len(mean), np.int64)
    return measures.tiers(mean, ~measures.overlap(mean, stderr))


def known(tier: Ints) -> pd.Series:
    """Tiers as a column: NA for a run that has none."""
    found = pd.Series(tier, dtype="Int64")
    return found.mask(found == 0)


def about_draws(draws: int, pairs: int) -> list[str]:
    """Whether the tests by draws can find anything after Holm's adjustment."""
    needed = round(pairs / ALPHA)
    if draws >= needed:
        return []
    return [
        f"With {draws:,} samples the bootstrap and the randomisation test have no p below 1/{draws + 1:,}; with Holm's "
        f"adjustment for {pairs:,} pairs they need at least {needed:,} samples (--draws)."
    ]
