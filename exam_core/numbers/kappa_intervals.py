"""The interval of Cohen's kappa over queries, also where few passages are relevant.

Passages of a query are alike, so their number says little about the uncertainty. Two judges who found little may
share nothing by chance; then kappa is the same whichever query is left out. And a few queries with many relevant
passages decide on numerator and denominator of kappa alike. So an end is the last kappa that is not rejected by
any of three:

- cluster jackknife: each query is left out in turn, and the spread of these kappas gives the standard error, around
  the observed kappa, or that without the jackknife's bias
- Fieller's interval of a ratio of two sums over the queries, which kappa is: (tp - e) / (m - e), where m is the
  mean of both judges' numbers of relevant passages, and e what they would share by chance
- a score interval, as Wilson's of a share: the standard error is that which the passages alone would give if the
  end were the true kappa

Student's t has as many degrees of freedom as the jackknife's spread is worth, at most queries - 1: a few queries
that weigh more than the others make them fewer (Satterthwaite's rule, by the kurtosis). In the score interval it
has at most as many as queries share the passages of the rarer class (Kish's effective number), less 1.

docs/explanation/intervals.md says how often the 95% interval held the kappa of simulated populations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from exam_core.numbers.annotator_agreement import cohen_kappa, kappa_variance
from exam_core.numbers.arrays import Floats, Ints

FEWEST_OF_CLASS = 5
"""Passages of the rarer class, as the mean of both raters, without which kappa has no interval: it says too little."""
HALVINGS = 50
"""Steps that find an end of an interval to the last digit."""


def kappa_interval(per_query: Ints, level: float = 0.95) -> tuple[Any, Any]:
    """Confidence interval of Cohen's kappa of all queries' passages together; queries are what is drawn.

    Parameters
    ----------
    per_query : (..., Q, 2, 2) counts of each query; queries without passages do not count
    level : share of samples in which the interval shall hold the population's kappa

    Returns
    -------
    low, high : (...) within [-1, 1]; NaN with fewer than two queries or than `FEWEST_OF_CLASS` passages of the rarer
        class, and where kappa is undefined with all or without one of the queries

    Source: Efron & Tibshirani 1993, chapter 11; Satterthwaite 1946; Fieller 1954; Wilson 1927; Kish 1965, section 8.2.

    >>> queries = np.array([[[4, 1], [1, 4]], [[3, 1], [0, 6]], [[5, 2], [1, 2]], [[2, 0], [1, 7]]])
    >>> low, high = kappa_interval(queries)  # of a kappa of 0.65
    >>> print(low.round(2), high.round(2))
    0.09 0.95
    """
    from scipy.special import stdtrit

    together = per_query.sum(axis=-3)
    kappa = cohen_kappa(together)
    counted = per_query.any(axis=(-2, -1))
    queries = counted.sum(axis=-1)
    rarer = _of_rarer_class(per_query, together)
    with np.errstate(invalid="ignore", divide="ignore"):
        left_out = np.where(counted, cohen_kappa(together[..., None, :, :] - per_query), 0.0)
        mean = left_out.sum(axis=-1) / np.where(queries > 1, queries, np.nan)
        squares = np.where(counted, left_out - mean[..., None], 0.0) ** 2
        spread, degrees = squares.sum(axis=-1), _degrees(squares, queries)
        effective = rarer.sum(axis=-1) ** 2 / (rarer**2).sum(axis=-1)
        jackknife = spread * (queries - 1) / np.where(rarer.sum(axis=-1) < FEWEST_OF_CLASS, np.nan, queries)
        unbiased = kappa + (queries - 1) * (kappa - mean)
        t, of_passages = (
            stdtrit(one, (1 + level) / 2) for one in (degrees, np.fmax(np.fmin(degrees, effective - 1), 1))
        )
        ratio = _variance_of_ratio(per_query, together, counted)

        def reach(true: Any) -> Any:
            over_queries = t * np.sqrt(np.maximum(jackknife, ratio(true)))
            return np.maximum(over_queries, of_passages * np.sqrt(_variance_if(together, true)))

        return _end(np.minimum(kappa, unbiased), reach, -1.0), _end(np.maximum(kappa, unbiased), reach, 1.0)


def _degrees(squares: Floats, queries: Any) -> Any:
    """Degrees of freedom that the sum of (..., Q) squares over some queries is worth, from 1 to queries - 1."""
    spread, fourth = squares.sum(axis=-1), (squares**2).sum(axis=-1)
    unequal = fourth - spread**2 / queries
    worth = np.where(unequal > 1e-12 * fourth, 2 * spread**2 / unequal, np.inf)
    return np.fmax(np.fmin(worth, queries - 1), 1)


def passages_of_rarer_class(counts: Ints) -> Any:
    """(...) how many passages of (..., 2, 2) counts are of the class that fewer have, as the mean of both raters.

    >>> print(passages_of_rarer_class(np.array([[1, 2], [3, 9]])))  # 3 and 4 are relevant, 12 and 11 are not
    3.5
    """
    return _of_rarer_class(counts[..., None, :, :], counts)[..., 0]


def _of_rarer_class(per_query: Ints, together: Ints) -> Floats:
    """(..., Q) passages of each query that are of the class which is the rarer of all queries together."""
    classes, of_all = ((one.sum(axis=-1) + one.sum(axis=-2)) / 2 for one in (per_query, together))
    found: Floats = np.take_along_axis(classes, of_all.argmin(axis=-1)[..., None, None], axis=-1)[..., 0]
    return found


def _end(centre: Any, reach: Callable[[Any], Any], side: float) -> Any:
    """The last kappa to one side of a centre whose reach holds the centre; at most 1 away from 0."""
    inside, outside = np.clip(centre, -1.0, 1.0), np.full(np.shape(centre), side)
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        rejected = abs(middle - centre) > reach(middle)
        inside, outside = np.where(rejected, inside, middle), np.where(rejected, middle, outside)
    return np.where(np.isnan(reach(centre)), np.nan, inside)[()]


def _variance_of_ratio(per_query: Ints, together: Ints, counted: Any) -> Callable[[Any], Any]:
    """The variance of kappa over queries, as that of a ratio of two sums, if the true kappa is another one."""
    n, sizes = together.sum(axis=(-2, -1), dtype=float)[..., None], per_query.sum(axis=(-2, -1))
    first, second = (per_query.sum(axis=axis, dtype=float)[..., 0] for axis in (-1, -2))
    all_first, all_second = (one.sum(axis=-1)[..., None] for one in (first, second))
    by_chance = (first * all_second + second * all_first - all_first * all_second * sizes / n) / n
    above, below = per_query[..., 0, 0] - by_chance, (first + second) / 2 - by_chance
    queries = counted.sum(axis=-1)[..., None]
    away, away_below = (
        np.where(counted, one - one.sum(axis=-1, keepdims=True) / queries, 0.0) for one in (above, below)
    )
    scale = queries[..., 0] / (queries[..., 0] - 1) / below.sum(axis=-1) ** 2
    return lambda true: scale * ((away - np.asarray(true)[..., None] * away_below) ** 2).sum(axis=-1)


def _variance_if(counts: Ints, kappa: Any) -> Any:
    """Variance of the kappa of (..., 2, 2) counts over their passages, if the true kappa is another one."""
    n = counts.sum(axis=(-2, -1), dtype=float)
    first, second = (counts.sum(axis=axis)[..., 0] / n for axis in (-1, -2))
    both = first * second + kappa * ((first + second) / 2 - first * second)
    both = np.clip(both, np.maximum(first + second - 1, 0.0), np.minimum(first, second))
    cells = np.stack([both, first - both, second - both, 1 - first - second + both], axis=-1)
    return np.maximum(kappa_variance(cells.reshape(*cells.shape[:-1], 2, 2), n), 0.0)
