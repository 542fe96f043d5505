"""Rank correlations of leaderboards: many boards at once, or one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from math import prod

import numpy as np
import numpy.typing as npt

from exam_core.numbers.arrays import Bools, Floats

DIGITS = 9
"""Scores are compared after rounding to 1e-9, because noise in the last bits breaks ties."""

PERSISTENCE = 0.9
"""The p of rank-biased overlap: the first ten places carry 86% of the weight."""

BLOCK = 4096
"""Boards that are worked on together: their comparisons stay in the processor's cache."""

Counts = npt.NDArray[np.unsignedinteger]


@dataclass(frozen=True)
class Correlations:
    """Coefficients of many boards, each an array with one value for each board.

    NaN where a coefficient is undefined, and everywhere in a coefficient that was not asked for.
    """

    spearman: Floats
    kendall: Floats
    tau_ap: Floats
    tau_ap_b: Floats
    rbo: Floats
    r2: Floats
    rmse: Floats


COEFFICIENTS = tuple(field.name for field in fields(Correlations))
NAMES = {
    "spearman": "Spearman",
    "kendall": "Kendall",
    "tau_ap": "tau-AP a",
    "tau_ap_b": "tau-AP b",
    "rbo": "RBO",
    "r2": "R2",
    "rmse": "RMSE",
}
"""The coefficients as sentences and charts name them."""


@dataclass(frozen=True)
class Correlation:
    """Coefficients of one board over `n` runs; NaN where either side is constant."""

    spearman: float
    kendall: float
    n: int
    tau_ap: float = np.nan
    tau_ap_b: float = np.nan
    rbo: float = np.nan
    r2: float = np.nan
    rmse: float = np.nan


def rank_correlation(scores: Floats, reference: Floats) -> Correlation:
    """Every coefficient of two leaderboards over the same runs, larger is better.

    Both sides have one value for each run; ranks are passed as their negatives. Coefficients are NaN for fewer than two
    runs or a constant side. `rmse` alone needs no order, but means something on comparable scales only: not for ranks.

    Source: EXAM, section 4.1; see `correlations`.

    >>> swapped = rank_correlation(np.array([0.9, 0.5, 0.7]), np.array([3.0, 2.0, 1.0]))  # one of 3 pairs
    >>> print(round(swapped.kendall, 3), swapped.spearman, swapped.n)
    0.333 0.5 3
    """
    coefficients = correlations(scores, reference)
    values = {name: float(getattr(coefficients, name)) for name in COEFFICIENTS}
    return Correlation(n=len(scores), **values)


def correlations(
    scores: Floats, reference: Floats, which: Collection[str] = COEFFICIENTS, *, persistence: float = PERSISTENCE
) -> Correlations:
    """Coefficients of each board with its reference over the same n runs, larger is better.

    - spearman: Pearson's correlation of the ranks; ties share their mean rank
    - kendall: tau-b
    - tau_ap: tauAP_a, which is tau-AP where nothing is tied. Going down `scores`, the share of runs above a run that
      the reference also has above it, averaged over all runs but the first; times 2, minus 1. Runs tied in `scores`
      stand in every order, over which that is averaged. The reference is the truth: the two sides are not
      interchangeable, and it is undefined where runs are tied in the reference
    - tau_ap_b: tauAP_b, the mean of both directions; ties may be on both sides. In a direction, runs tied on the side
      that is gone down are not above each other, and runs above that are tied on the other side count as misplaced
    - rbo: extrapolated rank-biased overlap. The overlap at a depth is 2 |A and B| / (|A| + |B|) where A and B are the
      runs down to that depth, a group of ties that begins there included as a whole (ties as equality, variant w)
    - r2: squared Pearson correlation, the coefficient of determination of the straight line through the points
    - rmse: root mean squared difference of the scores themselves; on comparable scales only, not against ranks

    Raises ValueError where the sides have different numbers of runs, or there is no such coefficient.

    Parameters
    ----------
    scores : (..., n) one board in each row; ranks are passed as their negatives
    reference : (..., n), broadcast against `scores`; one (n,) for all boards is faster
    which : names of the coefficients to compute
    persistence : p of rank-biased overlap, above 0 and below 1

    Returns arrays of the shape in front of n. Correlations in [-1, 1], rbo and r2 in [0, 1], rmse from 0. NaN for fewer
    than two runs, a constant side or a NaN among the scores; rmse for no run or a NaN only.

    Source: Kendall 1945 (tau-b); Yilmaz, Aslam & Robertson 2008 (tau-AP); Urbano & Marrero 2017 (tauAP_a, tauAP_b);
    Webber, Moffat & Zobel 2010, eq. 30, with ties as in Corsi & Urbano 2024; Lin & Demner-Fushman 2005 (POURPRE's r2).

    >>> boards = np.array([[0.9, 0.7, 0.5], [0.5, 0.7, 0.9]])
    >>> correlations(boards, np.array([3.0, 2.0, 1.0]), ["kendall"]).kendall.tolist()
    [1.0, -1.0]
    """
    x, y = (np.round(np.asarray(side, float), DIGITS) for side in (scores, reference))
    n = x.shape[-1]
    if y.shape[-1] != n:
        raise ValueError(f"{n} runs on one side and {y.shape[-1]} on the other: drop those that a side lacks")
    if unknown := set(which) - set(COEFFICIENTS):
        raise ValueError(f"no coefficient is called {', '.join(sorted(unknown))}; there are {', '.join(COEFFICIENTS)}")
    shape = np.broadcast_shapes(x.shape, y.shape)[:-1]
    count, shared = prod(shape), prod(y.shape[:-1]) == 1
    boards = np.broadcast_to(x, (*shape, n)).reshape(count, n)
    truth = y.reshape(1, n) if shared else np.broadcast_to(y, (*shape, n)).reshape(count, n)
    values = {name: np.full(count, np.nan) for name in COEFFICIENTS}
    for start in range(0, count if n else 0, BLOCK):
        rows = slice(start, start + BLOCK)
        # runs come first, so that each comparison runs along thousands of boards
        block = np.ascontiguousarray(boards[rows].T)
        truths = np.ascontiguousarray((truth if shared else truth[rows]).T)
        for name, array in _of_block(block, truths, which, persistence).items():
            values[name][rows] = array
    return Correlations(**{name: value.reshape(shape) for name, value in values.items()})


def mean_rank(scores: Floats) -> Floats:
    """(..., n) rank of each score from 1, largest first, on scores rounded to 1e-9; ties share their mean rank.

    Each row is a board. Ranks are among the runs that have a score; NaN where a run has none.

    >>> mean_rank(np.array([0.5, 0.9, 0.5])).tolist()
    [2.5, 1.0, 2.5]
    """
    values = np.round(np.asarray(scores, float), DIGITS)
    boards = np.ascontiguousarray(values.reshape(prod(values.shape[:-1]), values.shape[-1]).T)
    scored = ~np.isnan(boards)
    ranks = (scored.sum(axis=0) + 1 + _balance(*_standing(boards))) / 2
    return np.where(scored, ranks, np.nan).T.reshape(values.shape)


def _of_block(x: Floats, y: Floats, which: Collection[str], persistence: float) -> dict[str, Floats]:
    """Those of the coefficients that `which` names, of (n, boards) scores and an (n, boards) or (n, 1) reference."""
    arrays: dict[str, Floats] = {}
    (above, below), (above_y, below_y) = _standing(x), _standing(y)
    with np.errstate(invalid="ignore", divide="ignore"):
        if "spearman" in which:
            arrays["spearman"] = _cosine(_balance(above, below), _balance(above_y, below_y))
        if not {"kendall", "tau_ap", "tau_ap_b"}.isdisjoint(which):
            agree, oppose = _concordance(above, above_y)
            concordant, discordant, untied, untied_y = (
                counts.sum(axis=0, dtype=float) for counts in (agree, oppose, above, above_y)
            )
            arrays["kendall"] = (concordant - discordant) / np.sqrt(untied * untied_y)
            if "tau_ap" in which:
                arrays["tau_ap"] = np.where(_tied(above_y), np.nan, _tau_ap_a(agree, above, below))
            arrays["tau_ap_b"] = (_tau_ap(agree, above) + _tau_ap(agree, above_y)) / 2
        if "rbo" in which:
            arrays["rbo"] = _rbo(above, above_y, persistence)
        if "r2" in which:
            arrays["r2"] = np.minimum(_cosine(x - x.mean(axis=0), y - y.mean(axis=0)) ** 2, 1.0)
    unordered = ~(_ordered(x, above) & _ordered(y, above_y))
    for values in arrays.values():
        values[unordered] = np.nan
    if "rmse" in which:
        arrays["rmse"] = np.sqrt(((x - y) ** 2).mean(axis=0))
    return {name: values for name, values in arrays.items() if name in which}


def _standing(x: Floats) -> tuple[Counts, Counts]:
    """How many runs of its board have a larger and a smaller score than each run; (n, boards) both."""
    above = np.zeros(x.shape, np.min_scalar_type(max(len(x) - 1, 0)))  # the smallest type that holds every count
    for i, own in enumerate(x):
        np.add.reduce((x > own).view(np.uint8), axis=0, dtype=above.dtype, out=above[i])
    # Where no two runs tie, all that are not above a run are below it.
    below = (max(len(x) - 1, 0) - above).astype(above.dtype)
    unlike = _tied(above)
    if unlike.any():
        tied = np.ascontiguousarray(x[:, unlike])
        smaller = [np.add.reduce((tied < own).view(np.uint8), axis=0, dtype=above.dtype) for own in tied]
        below[:, unlike] = np.stack(smaller)
    return above, below


def _concordance(above: Counts, above_y: Counts) -> tuple[Counts, Counts]:
    """For each run, how many of the runs above it the reference has above it, and how many below it.

    Works on how many runs are above each run, which is ordered as the scores are and an eighth of their size.
    """
    shape = np.broadcast_shapes(above.shape, above_y.shape)
    agree, oppose = np.zeros(shape, above.dtype), np.zeros(shape, above.dtype)
    if above_y.shape[1] == 1:
        # In the reference's order, the runs that it has above a run come first, and those below it last.
        order = np.argsort(above_y[:, 0], kind="stable")
        reference, above = above_y[order, 0], above[order]
        ends = (np.searchsorted(reference, reference, side) for side in ("left", "right"))
        for place, own, first, last in zip(order, above, *ends, strict=True):
            higher = (above < own).view(np.uint8)
            np.add.reduce(higher[:first], axis=0, dtype=agree.dtype, out=agree[place])
            np.add.reduce(higher[last:], axis=0, dtype=oppose.dtype, out=oppose[place])
        return agree, oppose
    for i in range(len(above)):
        higher = above < above[i]
        for counts, side in ((agree, above_y < above_y[i]), (oppose, above_y > above_y[i])):
            np.add.reduce((higher & side).view(np.uint8), axis=0, dtype=counts.dtype, out=counts[i])
    return agree, oppose


def _tau_ap(agree: Counts, above: Counts) -> Floats:
    """Over the runs that have one above them, the mean share of those above that the other side also has above."""
    shares = agree / np.maximum(above, 1)
    return 2 * shares.sum(axis=0) / (above > 0).sum(axis=0) - 1


def _tau_ap_a(agree: Counts, above: Counts, below: Counts) -> Floats:
    """The mean of `_tau_ap` over all orders of the tied runs: of t tied runs below a others, each stands at a + 1 to
    a + t equally often, and half of those of its group that stand above it are rightly there.
    """
    n, tied = len(above), _tied(above)
    shares = agree / np.maximum(above, 1)
    if tied.any():
        a, group = above[:, tied].astype(float), n - above[:, tied].astype(int) - below[:, tied]
        placed, within = np.zeros(a.shape), np.zeros(a.shape)
        for step in range(int(group.max())):
            share = (step < group) / np.maximum(a + step, 1)
            placed += share
            within += share * step / 2
        shares[:, tied] = (agree[:, tied] * placed + within) / group
    return 2 * shares.sum(axis=0) / (n - 1) - 1


def _tied(above: Counts) -> Bools:
    """Which boards have runs with equal scores, or one without a score."""
    return np.asarray(above.sum(axis=0, dtype=np.int64) < len(above) * (len(above) - 1) // 2)


def _rbo(above: Counts, above_y: Counts, persistence: float) -> Floats:
    """A run is in the first d places where fewer than d runs are above it; on both sides, where that holds for both."""
    n = len(above)
    lower = np.maximum(above, above_y)
    # from depth n on both sides hold every run, so that all remaining weight meets an overlap of 1
    total = np.full(lower.shape[1], persistence**n)
    for depth in range(1, n + 1):
        both, first, second = ((counts < depth).sum(axis=0) for counts in (lower, above, above_y))
        total += (1 - persistence) * persistence ** (depth - 1) * 2 * both / (first + second)
    return total


def _cosine(x: Floats, y: Floats) -> Floats:
    """Cosine of the angle between columns: the correlation of values that are centred already."""
    return (x * y).sum(axis=0) / np.sqrt((x * x).sum(axis=0) * (y * y).sum(axis=0))


def _balance(above: Counts, below: Counts) -> Floats:
    """Twice the distance of each run's mean rank from the middle of its board."""
    return above.astype(float) - below


def _ordered(x: Floats, above: Counts) -> Bools:
    """Which boards have all their scores and at least two that differ."""
    return np.asarray((above > 0).any(axis=0) & ~np.isnan(x).any(axis=0))
