"""Item analysis: what a question tells of the runs, as a test's items are judged by those who take it."""

from __future__ import annotations

import numpy as np

from exam_core.numbers.arrays import Bools, Floats
from exam_core.numbers.rank_correlations import DIGITS


def item_rest_correlations(answered: Bools, enabled: Bools) -> Floats:
    """Correlation of answering a question with the score on all other questions, over the runs.

    The score is Cover without the question: the mean over queries of the share of a query's other questions that a
    run answers. A query that has no other question is left out. Pearson's correlation with a yes or no is the
    point-biserial one; without the question itself it does not correlate with its own part of the score.

    Parameters
    ----------
    answered : (S, R, Q) whether a run answers the question in a column of a query
    enabled : (Q, S) which columns hold a question that counts

    Returns
    -------
    (Q, S) in [-1, 1]; NaN where all runs or none answer it, where the runs' other scores are equal, where there is no
    other question, and where the question does not count

    Source: Henrysson 1963, item-total correlations corrected for the item; Lord & Novick 1968, chapter 15.

    >>> answered = np.array([[[1], [1], [0]], [[1], [0], [0]]], bool)  # two questions, three runs, one query
    >>> item_rest_correlations(answered, np.array([[True, True]])).round(2).tolist()
    [[0.5, 0.5]]
    """
    found = np.full(enabled.shape, np.nan)
    sizes = enabled.sum(axis=1)
    asked = np.where(enabled.T[:, None], answered, False)
    counts = asked.sum(axis=0)
    shares = counts / np.maximum(sizes, 1)
    total = shares.sum(axis=1, keepdims=True)
    left = (sizes > 0).sum() - (sizes == 1)
    for column in range(enabled.shape[1]):
        others = np.where(sizes > 1, (counts - asked[column]) / np.maximum(sizes - 1, 1), 0.0)
        rest = np.where(left > 0, (total - shares + others) / np.maximum(left, 1), np.nan)
        found[:, column] = _pearson(asked[column].astype(float), rest)
    return np.where(enabled, found, np.nan)


def _pearson(x: Floats, y: Floats) -> Floats:
    """(Q,) correlation of the columns of two (R, Q) arrays; NaN where one is constant."""
    if len(x) < 2:
        return np.full(x.shape[1], np.nan)
    constant = (np.round(np.ptp(x, axis=0), DIGITS) == 0) | ~(np.round(np.ptp(y, axis=0), DIGITS) > 0)
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    size = np.sqrt((x * x).sum(axis=0) * (y * y).sum(axis=0))
    return np.where(constant, np.nan, np.clip((x * y).sum(axis=0) / np.where(constant, 1.0, size), -1.0, 1.0))


def smallest_correlation(n: int) -> float:
    """The smallest correlation of n pairs that a two-sided t test (p < 0.05) tells from 0; NaN for fewer than three.

    Source: t = r sqrt((n - 2) / (1 - r^2)) with n - 2 degrees of freedom, solved for r.

    >>> print(round(smallest_correlation(10), 3), round(smallest_correlation(100), 3))
    0.632 0.197
    """
    if n < 3:
        return float("nan")
    from scipy.special import stdtrit  # not at the top: scipy takes long to load

    t = stdtrit(n - 2, 0.975)
    return float(t / np.sqrt(n - 2 + t * t))
