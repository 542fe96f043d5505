"""Displacement of runs, and of groups of runs, with its distribution by chance."""

from __future__ import annotations

import numpy as np

from exam_core.numbers import DRAWS, SEED
from exam_core.numbers.arrays import Bools, Floats
from exam_core.numbers.means import mean_and_stderr
from exam_core.numbers.quantiles import step_quantiles
from exam_core.numbers.rank_correlations import DIGITS, mean_rank
from exam_core.numbers.resampling import DEFINED_SHARE, mean_interval
from exam_core.numbers.true_means import drawn_ranks

AROUND = 2
"""Neighbours above a run, and as many below."""


def displacements(scores: Floats, reference: Floats) -> Floats:
    """(..., n) rank in the reference minus own rank, on each of many boards (..., n); larger scores are better.

    The reference is one (n,) for all boards, or one for each. Displacements are positive where a run is promoted; ties
    share their mean rank. NaN where a side has no score.

    >>> displacements(np.array([0.1, 0.3, 0.2]), reference=np.array([0.9, 0.8, 0.7])).tolist()
    [-2.0, 1.0, 1.0]
    """
    return mean_rank(reference) - mean_rank(scores)


def beyond_ties(ranks: Floats, reference: Floats) -> Floats:
    """Places between a run's rank and that of the reference which no order of tied runs takes away.

    Ranks are (n,) from 1; ties share their mean rank. Returns (n,) whole places, positive where a run is promoted; 0
    where the places that it shares with tied runs on one side meet those on the other. NaN where a side has no rank.

    >>> beyond_ties(np.array([1.5, 1.5, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0])).tolist()
    [0.0, 1.0, -1.0, 0.0]
    """
    moved = reference - ranks
    shared = sum((values[:, None] == values).sum(axis=1) - 1 for values in (ranks, reference)) / 2
    return np.sign(moved) * np.maximum(np.abs(moved) - shared, 0.0) + 0.0  # -0 becomes 0


def means_without_each(values: Floats) -> Floats:
    """(Q, R) mean of each run over all queries but one, of (R, Q) values; NaN where no other query counts for the run.

    >>> means_without_each(np.array([[1.0, 2.0, 6.0]])).tolist()
    [[4.0], [3.5], [1.5]]
    """
    counted = ~np.isnan(values)
    known = np.where(counted, values, 0.0)
    sums = known.sum(axis=1, keepdims=True) - known
    n = counted.sum(axis=1, keepdims=True) - counted
    return np.where(n > 0, sums / np.maximum(n, 1), np.nan).T


def ranks_without_each(values: Floats) -> Floats:
    """(Q, R) rank of each run on the board of `means_without_each`; ties share their mean rank.

    >>> ranks_without_each(np.array([[1.0, 0.0, 0.0], [0.0, 0.4, 0.4]])).tolist()
    [[2.0, 1.0], [1.0, 2.0], [1.0, 2.0]]
    """
    return mean_rank(means_without_each(values))


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
    """Two-sided bootstrap p that the quantity of which (draws, n) samples were drawn is 0.

    Returns (n,) 2 min(share <= 0, share >= 0), at least 1 / (draws + 1), at most 1; NaN where fewer than 90% of the
    samples are defined.

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


FEWEST_OTHERS = 3
"""Runs that a line takes, with one left to tell how well it fits."""
FEWEST_QUERIES = 5
"""Queries without which there is no interval."""

LIST_ENDS = (0.01, 0.99)
"""Quantiles of draws beside a list that are called 95%. Chosen by simulation (seeds below 30,000): those at 2.5% and
97.5% held 87 to 96%, and a group that was moved up lay above them more often than below."""


def score_displacement(scores: Floats, reference: Floats, group: Bools) -> Floats:
    """Mean over a group of runs of the score minus what the least-squares line of score on reference expects.

    The line is that of the other runs alone, so that the group can't pull it. Scores and reference are (..., n), larger
    is better, ranks are passed as their negatives; the group is (n,) flags. Returns (...) in the unit of the scores,
    positive where the group is promoted. NaN where a side has no score for a run, the group is empty, there are fewer
    than three others, or these tie in the reference.

    >>> reference, group = np.array([1.0, 2.0, 3.0, 2.0]), np.array([False, False, False, True])
    >>> print(score_displacement(np.array([0.1, 0.2, 0.3, 0.5]), reference, group).round(2))  # 0.2 is expected
    0.3
    """
    scores, reference = np.broadcast_arrays(np.asarray(scores, float), np.asarray(reference, float))
    if not _comparable(group):
        return np.full(scores.shape[:-1], np.nan)
    y, x = scores[..., ~group], reference[..., ~group]
    middle, level = x.mean(axis=-1), y.mean(axis=-1)
    away = x - middle[..., None]
    spread = (away**2).sum(axis=-1)
    slope = (away * (y - level[..., None])).sum(axis=-1) / np.where(np.round(spread, DIGITS) > 0, spread, np.nan)
    expected = level + slope * (reference[..., group].mean(axis=-1) - middle)
    return scores[..., group].mean(axis=-1) - expected


def rank_displacement(scores: Floats, reference: Floats, group: Bools) -> Floats:
    """Mean over a group of runs of rank in the reference minus own rank, minus the same mean over the others.

    Arguments are those of `score_displacement`; NaN where a side has no score for a run, or there is too little to
    compare.

    >>> reference, group = np.array([4.0, 3.0, 2.0, 1.0]), np.array([False, False, False, True])
    >>> print(rank_displacement(np.array([0.3, 0.2, 0.1, 0.9]), reference, group))  # 4 to 1; the others fall by 1
    4.0
    """
    moved = displacements(scores, reference)
    if not _comparable(group):
        return np.full(moved.shape[:-1], np.nan)
    return moved[..., group].mean(axis=-1) - moved[..., ~group].mean(axis=-1)


def ranks_beside_list(values: Floats, reference: Floats, group: Bools, draws: int = DRAWS, seed: int = SEED) -> Floats:
    """(draws,) displacements of a group's ranks beside a list, by draws of the true means, ascending; NaN if undefined.

    Draws of queries would add the noise of the means a second time, and the list stays as it is: with values of 0 and
    1, or mostly 0, their intervals held 75 to 88%. Values are (n, Q), and the list is (n,), larger is better.

    >>> values = np.array([[0.3, 0.4] * 5, [0.5, 0.6] * 5, [0.7, 0.8] * 5, [0.9, 0.8] * 5, [0.2, 0.1] * 5])
    >>> list_of, group = np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([False] * 4 + [True])
    >>> drawn = ranks_beside_list(values, list_of, group, draws=100)
    >>> print(drawn.shape, np.median(drawn))  # 1 to 5; the others rise by 1
    (100,) -5.0
    """
    return np.sort(rank_displacement(-drawn_ranks(values, draws, seed), reference, group))


def list_interval(drawn: Floats) -> tuple[float, float]:
    """95% interval of a displacement of ranks, from draws of `ranks_beside_list` or their mean over methods.

    The draws of several methods are averaged in their order, as if all methods erred alike.

    >>> list_interval(np.array([-1.0] * 50 + [0.0] * 50))
    (-1.0, 0.0)
    """
    if np.isnan(drawn).any():
        return np.nan, np.nan
    low, high = step_quantiles(drawn, LIST_ENDS)
    return float(low), float(high)


def score_by_query(values: Floats, reference: Floats, group: Bools) -> Floats:
    """(Q,) what each query adds to a group's displacement of scores: jackknife pseudo-values.

    Their mean is the displacement without the part of its bias that falls as 1 / Q: that of a line on a reference which
    is measured with noise. Displacements of ranks have none: a rank is a step, and a query alone seldom makes it.
    Values are (n, Q), where NaN doesn't count; the reference is (n,) fixed, or (n, Q) of the same queries.

    Source: Quenouille 1956; Tukey 1958; Efron & Tibshirani 1993, chapter 11.

    >>> values = np.array([[0.1, 0.2], [0.2, 0.3], [0.3, 0.4], [0.4, 0.9]])
    >>> group = np.array([False, False, False, True])
    >>> score_by_query(values, np.array([1.0, 2.0, 3.0, 2.0]), group).round(2).tolist()  # 0.4 - 0.2, 0.9 - 0.3
    [0.2, 0.6]
    """
    queries, fixed = values.shape[-1], reference.ndim == 1
    whole = score_displacement(mean_and_stderr(values)[0], reference if fixed else mean_and_stderr(reference)[0], group)
    without = score_displacement(
        means_without_each(values), reference if fixed else means_without_each(reference), group
    )
    return queries * whole - (queries - 1) * without


def displacement_interval(pseudo: Floats) -> tuple[float, float]:
    """95% interval of a displacement of scores: Student's t interval of the mean of its pseudo-values (Q,).

    NaN with fewer than five queries, or where a displacement without one of them is undefined.

    >>> low, high = displacement_interval(np.array([0.1, 0.2, 0.3, 0.2, 0.2]))
    >>> print(round(low, 2), round(high, 2))
    0.11 0.29
    """
    if len(pseudo) < FEWEST_QUERIES or np.isnan(pseudo).any():
        return np.nan, np.nan
    low, high = mean_interval(pseudo)
    return float(low), float(high)


def _comparable(group: Bools) -> bool:
    return bool(group.any() and (~group).sum() >= FEWEST_OTHERS)
