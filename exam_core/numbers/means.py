"""Means over queries."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from exam_core.numbers.arrays import Bools, Floats, Ints, slices
from exam_core.numbers.rank_correlations import DIGITS

AT_ONCE = 2**14
"""Values that are worked on together: intermediate arrays stay in a processor's cache."""


def counted_mask(returned: Bools, *, skips: bool) -> Bools:
    """(R, Q) which values count, given for which queries each run returned something.

    Those are the queries it answers, or all queries where `skips` is false. A run that returned nothing for any query
    has no value that counts: its queries are other ones.

    >>> counted_mask(np.array([[True, False], [False, False]]), skips=False).tolist()
    [[True, True], [False, False]]
    """
    answers = np.asarray(returned.any(axis=1))
    return returned if skips else np.broadcast_to(answers[:, None], returned.shape)


def mean_and_stderr(values: Floats) -> tuple[Floats, Floats, Ints]:
    """Mean, sample standard deviation (n - 1) over the square root of n, and n, along the last axis.

    NaN values don't count; the standard error of fewer than two values is undefined (NaN).

    >>> mean, stderr, n = mean_and_stderr(np.array([[1.0, 2.0, 3.0, np.nan]]))
    >>> print(mean, stderr.round(3), n)
    [2.] [0.577] [3]
    """
    shape, queries = values.shape[:-1], values.shape[-1]
    rows = values.reshape(math.prod(shape), queries)
    mean, squares = np.empty(len(rows)), np.empty(len(rows))
    n = np.full(len(rows), queries)
    step = max(1, AT_ONCE // max(queries, 1))
    for part in slices(len(rows), step):
        mean[part], squares[part], n[part] = _moments(rows[part])
    with np.errstate(invalid="ignore", divide="ignore"):
        stderr = np.sqrt(squares / (n - 1) / n)
    return mean.reshape(shape), np.where(n > 1, stderr, np.nan).reshape(shape), n.reshape(shape)


def rounded_means(means: Floats) -> Floats:
    """Means with the 4 decimals that trec_eval prints: the nearest, as C's `%6.4f` finds it.

    `np.round` multiplies first, and so rounds some numbers that are nearly half way to the other side.

    >>> print(rounded_means(np.array([0.00115])), np.round(0.00115, 4))
    [0.0011] 0.0012
    """
    rounded = [float(f"{mean:.4f}") for mean in np.ravel(means).tolist()]
    return np.array(rounded, float).reshape(np.shape(means))


@dataclass(frozen=True)
class ScoreSpan:
    """From the lowest to the highest score of a board, which re-normalise to 0 and 1; `n` runs have a score."""

    low: float
    high: float
    n: int

    @property
    def width(self) -> float:
        """NaN where all scores are equal, to 1e-9, or there is none."""
        return self.high - self.low if round(self.high - self.low, DIGITS) > 0 else np.nan

    def mapped(self, scores: Floats) -> Floats:
        """(score - low) / (high - low)."""
        return (scores - self.low) / self.width


def span(scores: Floats) -> ScoreSpan:
    """The span of a board's scores; NaN doesn't count.

    >>> found = span(np.array([0.2, np.nan, 0.6]))
    >>> print(found, found.mapped(np.array([0.5])).round(2))
    ScoreSpan(low=0.2, high=0.6, n=2) [0.75]
    """
    known = scores[~np.isnan(scores)]
    return ScoreSpan(float(known.min()), float(known.max()), len(known)) if len(known) else ScoreSpan(np.nan, np.nan, 0)


def _moments(rows: Floats) -> tuple[Floats, Floats, Ints | int]:
    """Of each row's values that are not NaN: mean, sum of squared differences to it, and number."""
    n: Ints | int = rows.shape[1]
    total = rows.sum(axis=1)
    if np.isnan(total).any():
        counted = ~np.isnan(rows)
        n, rows = counted.sum(axis=1), np.where(counted, rows, 0.0)
        total = rows.sum(axis=1)
        with np.errstate(invalid="ignore"):
            mean = total / n
        away = np.where(counted, rows - mean[:, None], 0.0)
    else:
        mean = total / n if n else np.full(len(rows), np.nan)
        away = rows - mean[:, None]
    return mean, np.einsum("rq,rq->r", away, away), n
