"""Estimates of many queries shrunk towards their mean: empirical Bayes with a normal model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from exam_core.numbers.annotator_agreement import kappa_variance
from exam_core.numbers.arrays import Floats, Ints

FEWEST = 5
"""Estimates without which the spread between queries is not told."""
ADDED = 2.0
"""Passages that a table gets in the proportions of the whole, for the variance of its kappa alone."""
_Z, _LEAST = 1.959963984540054, 1e-12
"""Quantile of the normal distribution, and the least variance: weights are finite."""


class Shrunk(NamedTuple):
    """Shrunk estimates (Q,) with their 95% intervals, the mean of all, and the variance between queries."""

    values: Floats
    low: Floats
    high: Floats
    mean: float
    between: float


def shrunk(estimates: Floats, variances: Floats) -> Shrunk:
    """Estimates of Q queries, each shrunk towards the mean of all by as much as chance explains of its distance.

    The model: estimate ~ N(own value, its variance), own value ~ N(mean, between). Between is what makes the weighted
    squares of the distances as large as they are to be expected (Paule & Mandel), at least 0. An interval holds the
    uncertainty of the query's own value, of the mean and of the variance between; because that is estimated, an
    estimate is drawn to the mean by (Q - 3) / (Q - 1) of what the model says.

    Values are NaN where a query has no estimate or no variance, and everywhere where fewer than five have both.

    Source: Efron & Morris 1975; Morris 1983 (shrinkage and interval); Paule & Mandel 1982 (variance between).

    >>> estimates = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
    >>> for variance in (0.001, 1.0):
    ...     print(shrunk(estimates, np.full(5, variance)).values.round(2))
    [0.1 0.3 0.5 0.7 0.9]
    [0.3 0.4 0.5 0.6 0.7]
    """
    known = ~np.isnan(estimates) & ~np.isnan(variances)
    unknown = np.full(len(estimates), np.nan)
    if known.sum() < FEWEST:
        return Shrunk(unknown, unknown, unknown, np.nan, np.nan)
    own, variance = estimates[known], np.maximum(variances[known], _LEAST)
    between = between_variance(own, variance)
    weights = 1 / (variance + between)
    mean, queries = float((weights * own).sum() / weights.sum()), len(own)
    drawn = (queries - 3) / (queries - 1) * variance * weights
    typical = (weights * variance).sum() / weights.sum() + between
    of_between = 2 / (queries - 3) * drawn**2 * typical * weights * (own - mean) ** 2
    half = _Z * np.sqrt(variance * (1 - drawn * (1 - weights / weights.sum())) + of_between)
    values, low, high = unknown.copy(), unknown.copy(), unknown.copy()
    values[known] = own + drawn * (mean - own)
    low[known], high[known] = values[known] - half, values[known] + half
    return Shrunk(values, low, high, mean, between)


def kappa_variances(tables: Ints) -> Floats:
    """(Q,) variance of Cohen's kappa of each query's table (Q, k, k) over its passages; NaN for an empty table.

    A table gets two passages more, in the proportions of all queries together: else a query whose few passages all
    agree had no variance at all.

    Source: Fleiss, Cohen & Everitt 1969, eq. 13.

    >>> kappa_variances(np.array([[[4, 1], [1, 4]], [[40, 10], [10, 40]]])).round(3).tolist()
    [0.053, 0.006]
    """
    whole = tables.sum(axis=0, dtype=float)
    n = tables.sum(axis=(-2, -1), dtype=float)
    if not whole.sum():
        return np.full(len(tables), np.nan)
    shares = (tables + ADDED * whole / whole.sum()) / (n + ADDED)[:, None, None]
    return np.where(n > 0, kappa_variance(shares, n + ADDED), np.nan)


def shrunk_kendall(coefficients: Floats, runs: int) -> Shrunk:
    """Kendall's tau of Q queries, over so many runs each, shrunk on Fisher's scale: atanh(tau).

    Its variance there is 0.437 / (n - 4) for n runs. A coefficient of 1 is taken as half a swap of two runs less. NaN
    is no coefficient, and everything is NaN with fewer than five runs. `between` is the variance on Fisher's scale.

    Source: Fieller, Hartley & Pearson 1957, the runs being the sample.

    >>> shrunk_kendall(np.array([0.9, 0.5, 0.5, 0.5, 0.1]), runs=20).values.round(2).tolist()
    [0.89, 0.5, 0.5, 0.5, 0.13]
    """
    if runs < FEWEST:
        return shrunk(np.full(len(coefficients), np.nan), coefficients)
    most = 1 - 2 / (runs * (runs - 1))
    on_fisher = shrunk(np.arctanh(np.clip(coefficients, -most, most)), np.full(len(coefficients), 0.437 / (runs - 4)))
    return Shrunk(
        np.tanh(on_fisher.values),
        np.tanh(on_fisher.low),
        np.tanh(on_fisher.high),
        float(np.tanh(on_fisher.mean)),
        on_fisher.between,
    )


def between_variance(own: Floats, variance: Floats) -> float:
    """Paule and Mandel's variance: where the weighted squares are what is expected of them, by bisection.

    >>> print(round(between_variance(np.array([0.2, 0.4, 0.9]), np.array([0.01, 0.01, 0.01])), 3))
    0.12
    """

    def excess(between: float) -> float:
        weights = 1 / (variance + between)
        mean = (weights * own).sum() / weights.sum()
        return float((weights * (own - mean) ** 2).sum() - (len(own) - 1))

    low, high = 0.0, float(np.ptp(own) ** 2 + 1e-12)
    if excess(low) <= 0:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return (low + high) / 2
