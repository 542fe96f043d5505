"""How far runs stand from where a reference has them: differences of ranks and of scores, and their significance."""

from __future__ import annotations

import numpy as np

from exam_core.numbers.arrays import Floats
from exam_core.numbers.rank_correlations import DIGITS, mean_rank
from exam_core.numbers.resampling import DEFINED_SHARE

AROUND = 2
"""Neighbours above a run, and as many below."""


def displacements(scores: Floats, reference: Floats) -> Floats:
    """Rank in the reference minus own rank, on each of many boards.

    Parameters
    ----------
    scores : (..., n) larger is better
    reference : (..., n) larger is better; one (n,) for all boards, or one for each

    Returns
    -------
    (..., n) positive where a run is promoted; ties share their mean rank. NaN where a side has no score

    >>> displacements(np.array([0.1, 0.3, 0.2]), reference=np.array([0.9, 0.8, 0.7])).tolist()
    [-2.0, 1.0, 1.0]
    """
    return mean_rank(reference) - mean_rank(scores)


def beyond_ties(ranks: Floats, reference: Floats) -> Floats:
    """Places between a run's rank and that of the reference which no order of tied runs takes away.

    Parameters
    ----------
    ranks, reference : (n,) from 1, ties share their mean rank

    Returns
    -------
    (n,) whole places, positive where a run is promoted; 0 where the places that it shares with tied runs on one side
    meet those on the other. NaN where a side has no rank

    >>> beyond_ties(np.array([1.5, 1.5, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0])).tolist()
    [0.0, 1.0, -1.0, 0.0]
    """
    moved = reference - ranks
    shared = sum((one[:, None] == one).sum(axis=1) - 1 for one in (ranks, reference)) / 2
    return np.sign(moved) * np.maximum(np.abs(moved) - shared, 0.0) + 0.0  # -0 becomes 0


def means_without_each(values: Floats) -> Floats:
    """Mean of each run over all queries but one, for each query.

    Parameters
    ----------
    values : (R, Q) one value for each run and query; NaN doesn't count

    Returns
    -------
    (Q, R); NaN where no other query counts for the run

    >>> means_without_each(np.array([[1.0, 2.0, 6.0]])).tolist()
    [[4.0], [3.5], [1.5]]
    """
    counted = ~np.isnan(values)
    known = np.where(counted, values, 0.0)
    sums = known.sum(axis=1, keepdims=True) - known
    n = counted.sum(axis=1, keepdims=True) - counted
    return np.where(n > 0, sums / np.maximum(n, 1), np.nan).T


def ranks_without_each(values: Floats) -> Floats:
    """Rank of each run on the board of means over all queries but one, for each query.

    Parameters
    ----------
    values : (R, Q) one value for each run and query; NaN doesn't count

    Returns
    -------
    (Q, R) ranks from 1, ties share their mean rank; NaN where no other query counts for the run

    >>> ranks_without_each(np.array([[1.0, 0.0, 0.0], [0.0, 0.4, 0.4]])).tolist()
    [[2.0, 1.0], [1.0, 2.0], [1.0, 2.0]]
    """
    return mean_rank(means_without_each(values))


def normalise(scores: Floats) -> Floats:
    """(n,) scores mapped to (score - min) / (max - min); NaN where all are equal or there is none.

    >>> normalise(np.array([0.2, 0.3, 0.6])).round(2).tolist()
    [0.0, 0.25, 1.0]
    """
    if not len(scores):
        return scores
    low, high = scores.min(), scores.max()
    if not round(high - low, DIGITS) > 0:
        return np.full(len(scores), np.nan)
    return (scores - low) / (high - low)


def on_line(x: Floats, y: Floats) -> Floats:
    """(n,) what the least-squares line through the points gives at each x; NaN where all x are equal.

    >>> on_line(np.array([0.0, 1.0, 2.0]), np.array([0.0, 0.0, 3.0])).tolist()
    [-0.5, 1.0, 2.5]
    """
    centred = x - x.mean() if len(x) else x
    square = (centred**2).sum()
    if not square > 0:
        return np.full(len(x), np.nan)
    return y.mean() + centred * ((centred * y).sum() / square)


def sign_p(samples: Floats) -> Floats:
    """Two-sided bootstrap p that what was drawn is 0.

    Parameters
    ----------
    samples : (draws, n); NaN doesn't count

    Returns
    -------
    (n,) 2 min(share <= 0, share >= 0), at least 1 / (draws + 1), at most 1; NaN where fewer than 90% are defined

    >>> sign_p(np.array([[0.3], [0.1], [0.2], [-0.1]])).tolist()  # twice the quarter that is below 0
    [0.5]
    """
    defined = (~np.isnan(samples)).sum(axis=0)
    enough = (defined >= DEFINED_SHARE * len(samples)) & (defined > 0)
    shares = [side.sum(axis=0) / np.maximum(defined, 1) for side in (samples <= 0, samples >= 0)]
    p = np.clip(2 * np.minimum(*shares), 1 / (len(samples) + 1), 1.0)
    return np.where(enough, p, np.nan)


def neighbours_of(ranks: Floats, run: int) -> list[int]:
    """The runs around a run: two with smaller ranks and two with larger ones; ties go in the given order.

    >>> neighbours_of(np.array([1.0, 2.0, 3.0, 4.0]), 0)
    [1, 2]
    """
    order = np.argsort(ranks, kind="stable").tolist()
    place = order.index(run)
    return [*order[max(0, place - AROUND) : place], *order[place + 1 : place + 1 + AROUND]]
