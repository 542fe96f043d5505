"""Intervals: bootstrap over queries, the same draws for every run and board, and Student's t."""

from __future__ import annotations

from math import prod

import numpy as np

from exam_core.numbers import DRAWS, SEED
from exam_core.numbers.arrays import Floats, Ints, slices
from exam_core.numbers.quantiles import step_quantiles

LEVEL = 0.95

DEFINED_SHARE = 0.9
"""Share of the draws that must have a value before their percentiles say anything about the whole."""

BLOCK_VALUES = 2**18
"""Numbers that are drawn at a time (2 MiB)."""
BLOCK_WEIGHTS = 2**22
"""Counts that are weights at a time (32 MiB)."""


def bootstrap_counts(n: int, draws: int = DRAWS, seed: int = SEED) -> Ints:
    """How often each query occurs in each draw of n queries with replacement; the same seed gives the same draws.

    Returns (draws, n) counts of two bytes each: many draws of many queries have to fit; each row adds up to n.

    Source: Efron 1979, the nonparametric bootstrap.

    >>> bootstrap_counts(3, draws=2).tolist()
    [[0, 2, 1], [3, 0, 0]]
    """
    counts = np.zeros((draws, n), np.int16)
    rng = np.random.default_rng(seed)
    for part in slices(draws if n else 0, max(1, BLOCK_VALUES // max(1, n))):
        block = counts[part]
        drawn = rng.integers(0, n, block.shape) + n * np.arange(len(block))[:, None]
        block[:] = np.bincount(drawn.ravel(), minlength=block.size).reshape(block.shape)
    return counts


def bootstrap_means(values: Floats, counts: Ints) -> Floats:
    """(draws, ...) mean over the queries of each draw, of (..., Q) values and (draws, Q) `bootstrap_counts`.

    A NaN among the values doesn't count; a mean is NaN where no value of the draw counts.

    >>> bootstrap_means(np.array([0.0, 0.5, 1.0]), counts=np.array([[1, 1, 1], [2, 0, 1]])).round(3).tolist()
    [0.5, 0.333]
    """
    rows = values.reshape(prod(values.shape[:-1]), values.shape[-1])
    counted = ~np.isnan(rows)
    known = np.where(counted, rows, 0.0).T
    # where every value counts, each draw has as many as it has queries: the second product is not needed
    presence = None if counted.all() else counted.T.astype(float)
    means = np.empty((len(counts), len(rows)))
    for part in slices(len(counts), max(1, BLOCK_WEIGHTS // max(1, counts.shape[1]))):
        weights = counts[part].astype(float)
        with np.errstate(invalid="ignore"):
            means[part] = (
                weights @ known / (weights.sum(axis=1, keepdims=True) if presence is None else weights @ presence)
            )
    return means.reshape(len(counts), *values.shape[:-1])


def percentile_interval(samples: Floats, level: float = LEVEL) -> tuple[Floats, Floats]:
    """Percentile interval of bootstrap samples: their (1 - level) / 2 and (1 + level) / 2 quantiles.

    Samples are (draws, ...); lower and upper ends are (...), NaN where fewer than 90% of the draws have a
    value.

    Source: Efron & Tibshirani 1993, chapter 13; quantiles are interpolated linearly (numpy's default).

    >>> low, high = percentile_interval(np.arange(101.0), level=0.9)
    >>> print(low.round(1), high)
    5.0 95.0
    """
    ordered = np.sort(samples, axis=0)  # NaN comes last
    defined = (~np.isnan(samples)).sum(axis=0)
    enough = (defined >= DEFINED_SHARE * len(samples)) & (defined > 0)
    low, high = (_quantile(ordered, defined, share) for share in ((1 - level) / 2, (1 + level) / 2))
    return np.where(enough, low, np.nan), np.where(enough, high, np.nan)


def _quantile(ordered: Floats, defined: Ints, share: float) -> Floats:
    """Quantile of the first `defined` of the ordered samples."""
    if not len(ordered):
        return np.full(ordered.shape[1:], np.nan)
    place = share * np.maximum(defined - 1, 0)
    before = np.floor(place).astype(np.int64)
    after = np.ceil(place).astype(np.int64)
    first, second = (np.take_along_axis(ordered, row[None], axis=0)[0] for row in (before, after))
    return first + (second - first) * (place - before)


def jackknife_interval(whole: float, without: Floats) -> tuple[float, float]:
    """Student's t interval (95%) of a figure over n queries, by leaving out each in turn; for smooth figures.

    Parameters
    ----------
    whole : of all queries
    without : (n,) of all but each; NaN where that is undefined, which makes both ends NaN

    Source: Tukey 1958; Efron & Tibshirani 1993, chapter 11.

    >>> low, high = jackknife_interval(2.0, np.array([2.5, 2.0, 1.5]))  # of the values 1, 2, 3 their mean
    >>> print(round(low, 3), round(high, 3))
    -0.484 4.484
    """
    from scipy.special import stdtrit  # not at the top: scipy takes long to load

    n = len(without)
    if n < 2:
        return np.nan, np.nan
    half = stdtrit(n - 1, (1 + LEVEL) / 2) * (n - 1) * without.std(ddof=1) / np.sqrt(n)
    return float(whole - half), float(whole + half)


def defined_mean(samples: Floats) -> Floats:
    """(...) mean over the draws of (draws, ...) samples that have a value; NaN where fewer than 90% have one.

    >>> print(defined_mean(np.array([0.2, 0.4])), defined_mean(np.array([0.2, np.nan])))
    0.30000000000000004 nan
    """
    defined = ~np.isnan(samples)
    n = defined.sum(axis=0)
    enough = (n >= DEFINED_SHARE * len(samples)) & (n > 0)
    return np.where(enough, np.where(defined, samples, 0.0).sum(axis=0) / np.maximum(n, 1), np.nan)


def step_interval(samples: Floats, level: float = LEVEL) -> tuple[float, float]:
    """Percentile interval of bootstrap samples that take few values, such as mean ranks: their `step_quantiles`.

    NaN among the (draws,) samples doesn't count; both ends are NaN where fewer than 90% of the draws have a value.

    >>> step_interval(np.array([1.0, 1.0, 1.0, 2.0]), level=0.5)  # 1 is at 3/8 of the samples, 2 at 7/8
    (1.0, 1.75)
    """
    defined = samples[~np.isnan(samples)]
    if not len(defined) or len(defined) < DEFINED_SHARE * len(samples):
        return np.nan, np.nan
    low, high = step_quantiles(defined, ((1 - level) / 2, (1 + level) / 2))
    return float(low), float(high)


def expanded(n: int, level: float = LEVEL) -> float:
    """The level of a percentile interval of draws of n values that has the width of Student's t interval of their mean.

    Draws vary by (n - 1) / n of what the sample's variance says, and percentiles are those of a normal distribution
    where Student's has longer tails. n is at least 2.

    Source: Hesterberg 2015, What Teachers Should Know About the Bootstrap.

    >>> print(round(expanded(10), 3), round(expanded(1000), 3))
    0.983 0.95
    """
    from scipy.special import ndtr, stdtrit  # not at the top: scipy takes long to load

    return float(1 - 2 * ndtr(-np.sqrt(n / (n - 1)) * stdtrit(n - 1, (1 + level) / 2)))


def mean_interval(
    values: Floats, level: float = LEVEL, *, bounds: tuple[float, float] = (-np.inf, np.inf)
) -> tuple[Floats, Floats]:
    """Student's t interval of the mean over queries: mean -+ t stderr, t with n - 1 degrees of freedom.

    Its ends are cut at the range that the values' measure declares, where no mean can lie beyond it: what is cut off
    never holds the true mean, so the interval covers it as often.

    Values are (..., Q); bounds are `MeasureInfo.bounds`, or `difference_bounds` for differences. Lower and upper ends
    are (...), NaN where fewer than two values count.

    Source: Student 1908.

    >>> low, high = mean_interval(np.array([1.0, 2.0, 3.0]))  # 2 -+ 4.303 / sqrt(3)
    >>> print(low.round(3), high.round(3))
    -0.484 4.484
    >>> low, high = mean_interval(np.array([1.0, 0.9, 0.8]), bounds=(0, 1))  # 0.9 -+ 0.248
    >>> print(low.round(3), high)
    0.652 1.0
    """
    from scipy.special import stdtrit  # not at the top: scipy takes long to load

    counted = ~np.isnan(values)
    n = counted.sum(axis=-1)
    few = n < 2
    mean = np.where(counted, values, 0.0).sum(axis=-1) / np.maximum(n, 1)
    squares = (np.where(counted, values - mean[..., None], 0.0) ** 2).sum(axis=-1)
    freedom = np.maximum(n - 1, 1)
    half = stdtrit(freedom, (1 + level) / 2) * np.sqrt(squares / freedom / np.maximum(n, 1))
    low, high = np.clip((mean - half, mean + half), *bounds)
    return np.where(few, np.nan, low), np.where(few, np.nan, high)
