"""Between which ranks a run would be with endless queries of the same kind."""

from __future__ import annotations

import numpy as np

from exam_core.numbers import DRAWS, SEED
from exam_core.numbers.arrays import Floats
from exam_core.numbers.rank_correlations import DIGITS, mean_rank
from exam_core.numbers.true_means.fixed_reference import draws_alone
from exam_core.numbers.true_means.modelled import FEWEST, distinct, means_of, modelled

ENDS = (0.015, 0.985)
"""Quantiles of the draws that are called 95%, as of correlations (`intervals.ENDS`)."""


def rank_intervals(values: Floats, draws: int = DRAWS, seed: int = SEED) -> tuple[Floats, Floats]:
    """Interval of each run's rank with endless queries, all runs ranked on the same draws of true means.

    Draws of queries would add the noise of the means a second time: with 10 queries and values of 0 and 1 their
    intervals held 76% of ranks, and that of the best run in 18% of samples.

    Parameters
    ----------
    values : (R, Q) one value for each run and query; NaN doesn't count
    draws, seed : of true means from a model of the observed ones

    Returns best and worst rank, (R,) each, from 1, whole ranks but where runs are equal on every query and share their
    mean rank; NaN for a run without a mean, and for all where fewer than five queries count, or all means are the same.

    Source: Fay & Herriot 1979 (the model's kind); Louis 1984 (ranks from draws of the true means).
    benchmarks/intervals.md has how often they hold.
    """
    ranks = drawn_ranks(values, draws, seed)
    low = np.quantile(ranks, ENDS[0], axis=0, method="lower")
    return low, np.quantile(ranks, ENDS[1], axis=0, method="higher")


def drawn_ranks(values: Floats, draws: int = DRAWS, seed: int = SEED) -> Floats:
    """(draws, R) rank of each run in draws of true means; arguments, and what is NaN, are those of `rank_intervals`."""
    ranks = np.full((draws, len(values)), np.nan)
    known = ~np.isnan(values).all(axis=1)
    counted = values[known][:, ~np.isnan(values[known]).all(axis=0)]
    if (
        counted.shape[1] < FEWEST
        or len(distinct(counted[None])[0]) < 2
        or not np.ptp(np.round(means_of(counted), DIGITS))
    ):
        return ranks
    model = modelled(counted[None])
    drawn = draws_alone(model.observed, draws, np.random.default_rng(seed))[:, None]
    ranks[:, known] = mean_rank(model.of_all(drawn)[:, 0])
    return ranks
