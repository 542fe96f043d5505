"""The interval of Cohen's kappa over queries, also where few passages are relevant or queries differ much.

Kappa is a ratio: (tp - e) / (m - e), where m is the mean of both judges' numbers of relevant passages, and e what they
would share by chance. The jackknife says what each query adds to both parts. An end is the last kappa that they do not
reject (Fieller's interval of a ratio). As in Wilson's interval of a share, the standard error is that which there would
be if the end were the true kappa:

- Two judges who found little may share nothing by chance; then all queries say the same kappa. So the standard error is
  at least that of passages that are drawn independently of each other.
- Where queries differ in how many passages are relevant, kappa is above 0 even between judges who agree within no
  query. A few queries make most of that part, and a sample without them says too little of kappa and of its error
  alike. So a kappa above the observed one is tried with queries that differ more, by as much as it takes. And Student's
  t has one degree of freedom less than there would be queries of equal shares of relevant passages (Kish's rule).

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


def kappa_interval(
    per_query: Ints | Floats, level: float = 0.95, passages: Any = None, unseen: Any = 1.0
) -> tuple[Any, Any]:
    """Confidence interval of Cohen's kappa of all queries' passages together; queries are the sample.

    Parameters
    ----------
    per_query : (..., Q, 2, 2) counts of each query, or sums of weights; queries without passages do not count
    level : share of samples in which the interval shall hold the population's kappa
    passages : (...) how many passages of equal weights would say as much; None for counts
    unseen : (..., Q) chance with which each query is not drawn; 1 where they are few of very many

    Returns lower and upper end, (...) each, within [-1, 1]; NaN with fewer than two queries or than `FEWEST_OF_CLASS`
    passages of the rarer class, and where kappa is undefined.

    Source: Fieller 1954; Efron & Tibshirani 1993, chapter 11 (jackknife); Wilson 1927; Kish 1965, section 8.2.

    >>> queries = np.array([[[4, 1], [1, 4]], [[3, 1], [0, 6]], [[5, 2], [1, 2]], [[2, 0], [1, 7]]])
    >>> low, high = kappa_interval(queries)  # of a kappa of 0.65
    >>> print(low.round(2), high.round(2))
    0.16 0.93
    """
    from scipy.special import stdtrit

    together = per_query.sum(axis=-3)
    kappa, n = cohen_kappa(together), together.sum(axis=(-2, -1))
    rarer, worth = passages_of_rarer_class(together), n if passages is None else passages
    counted = per_query.any(axis=(-2, -1))
    queries = counted.sum(axis=-1)
    enough = (queries > 1) & (rarer * worth >= FEWEST_OF_CLASS * n)
    with np.errstate(invalid="ignore", divide="ignore"):
        added, unequal = _added(per_query, together)
        agreed, possible = added[:2].sum(axis=-1)
        by_drawing = queries * possible / n  # passages that are drawn make equal queries so unequal
        effective = np.minimum(queries, worth) / (1 + np.maximum(unequal - by_drawing, 0.0) * n / rarer**2)
        t = stdtrit(np.where(enough, np.maximum(effective - 1, 1.0), np.nan), (1 + level) / 2)
        unequal = np.maximum(unequal, by_drawing)
        # (3, 3, ...) covariances of the three sums over queries.
        weights = counted * unseen
        away = added - ((weights * added).sum(axis=-1) / weights.sum(axis=-1))[..., None]
        products = np.einsum("i...q,j...q->ij...", weights * away, away) * (queries / (queries - 1)) / possible**2
        alone = np.mean(unseen, axis=-1) if np.ndim(unseen) else unseen

        def rejects(true: Any) -> Any:
            greater = np.maximum(true - kappa, 0.0) * possible / unequal
            parts = np.stack(np.broadcast_arrays(1.0, -true, (1 - true) * greater))
            over_queries = np.einsum("i...,ij...,j...", parts, products, parts)
            variance = np.maximum(over_queries, alone * _variance_if(together, worth, true))
            return abs(true - agreed / possible) > t * np.sqrt(variance)

        low = _end(np.minimum(kappa, agreed / possible), -1.0, rejects)
        high = _end(np.maximum(kappa, agreed / possible), 1.0, rejects)
        return np.where(enough, low, np.nan)[()], np.where(enough, high, np.nan)[()]


def passages_of_rarer_class(counts: Ints | Floats) -> Any:
    """(...) how many passages of (..., 2, 2) counts are of the class that fewer have, as the mean of both raters.

    >>> print(passages_of_rarer_class(np.array([[1, 2], [3, 9]])))  # 3 and 4 are relevant, 12 and 11 are not
    3.5
    """
    return ((counts.sum(axis=-1) + counts.sum(axis=-2)) / 2).min(axis=-1)


def _added(per_query: Ints | Floats, together: Ints | Floats) -> tuple[Floats, Floats]:
    """(3, ..., Q) what each query adds, and (...) how unequal queries are.

    It adds to the numerator of kappa, to its denominator, and to that part of both which there is because queries
    differ in how many passages are relevant. How unequal they are is the sum of that part for each judge with himself.
    """
    of_all = _beyond_chance(together)[..., None]
    n, *each = _margins(per_query)
    n_of_all, *all_of = (margin[..., None] for margin in _margins(together))
    first, second = (values - every * n / n_of_all for values, every in zip(each, all_of, strict=True))
    n = np.where(n > 0, n, 1.0)
    left_out = _beyond_chance(together[..., None, :, :] - per_query)
    return np.stack([*(of_all - left_out), first * second / n]), ((first**2 + second**2) / (2 * n)).sum(axis=-1)


def _beyond_chance(counts: Ints | Floats) -> Floats:
    """(2, ...) passages that both find relevant, and the most that could be so, both without those by chance."""
    n, first, second = _margins(counts)
    by_chance = first * second / n
    return np.stack([counts[..., 0, 0] - by_chance, (first + second) / 2 - by_chance])


def _margins(counts: Ints | Floats) -> tuple[Floats, Floats, Floats]:
    """Passages, and how many the one and the other find relevant."""
    first, second = (counts.sum(axis=axis, dtype=float) for axis in (-1, -2))
    return first.sum(axis=-1), first[..., 0], second[..., 0]


def _end(start: Any, side: float, rejects: Callable[[Any], Any]) -> Any:
    """The last kappa to one side of the start that is not rejected; at most 1 away from 0."""
    inside, outside = np.clip(start, -1.0, 1.0), np.full(np.shape(start), side)
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        rejected = rejects(middle)
        inside, outside = np.where(rejected, inside, middle), np.where(rejected, middle, outside)
    return inside


def _variance_if(counts: Ints | Floats, n: Any, kappa: Any) -> Any:
    """Variance of the kappa of n passages of (..., 2, 2) counts, if the true kappa is another one."""
    total = counts.sum(axis=(-2, -1), dtype=float)
    first, second = (counts.sum(axis=axis)[..., 0] / total for axis in (-1, -2))
    both = first * second + kappa * ((first + second) / 2 - first * second)
    both = np.clip(both, np.maximum(first + second - 1, 0.0), np.minimum(first, second))
    cells = np.stack([both, first - both, second - both, 1 - first - second + both], axis=-1)
    return np.maximum(kappa_variance(cells.reshape(*cells.shape[:-1], 2, 2), n), 0.0)
