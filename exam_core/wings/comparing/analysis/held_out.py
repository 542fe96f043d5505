"""Which tau to use: chosen on some queries, judged on the others, many times over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from exam_core.defaults import SEED, SPLITS
from exam_core.numbers.arrays import Bools, Floats
from exam_core.numbers.rank_correlations import DIGITS, correlations
from exam_core.numbers.resampling import bootstrap_means, defined_mean


@dataclass(frozen=True)
class HeldOut:
    """How candidates fare on queries that did not choose them.

    Parameters
    ----------
    wins : (T,) share of the splits in which a candidate has the best Kendall on the training queries
    kendall : (T,) mean Kendall on the held-out queries; NaN where fewer than 90% of the splits have one
    best : index of the candidate with the best `kendall`, the first of equal ones; None where all are NaN
    chosen : mean held-out Kendall of whichever candidate won on the training queries
    """

    wins: Floats
    kendall: Floats
    best: int | None
    chosen: float


def halves(n: int, splits: int = SPLITS, seed: int = SEED) -> Bools:
    """Random halves of n queries: which of them are for training, the others being held out.

    Parameters
    ----------
    n : number of queries; of an odd number the larger half is held out
    splits : number of random halves
    seed : the same seed gives the same halves

    Returns
    -------
    (splits, n) with n // 2 true in each row
    """
    ordered = np.broadcast_to(np.arange(n) < n // 2, (splits, n))
    return np.random.default_rng(seed).permuted(ordered, axis=1)


def held_out(values: Floats, reference: Floats, training: Bools) -> HeldOut:
    """Choose the candidate with the best Kendall on the training queries, and see how all do on the others.

    Parameters
    ----------
    values : (T, R, Q) per-query values of T candidates; NaN doesn't count
    reference : (R,) fixed scores, larger is better, or (R, Q) per-query values that are split alike
    training : (splits, Q) which queries choose (`halves`)

    Returns
    -------
    Ties go to the first candidate, after rounding to 1e-9. A split in which no candidate has a Kendall on the training
    queries has no winner and does not count; all is NaN where no split counts

    Source: cross-validation by repeated random halves (Stone 1974; Picard & Cook 1984).
    """
    train, test = (_kendall(values, reference, side) for side in (training, ~training))
    decided = ~np.isnan(train).all(axis=1)
    if not decided.any():
        unknown = np.full(len(values), np.nan)
        return HeldOut(unknown, unknown, None, np.nan)
    winner = np.nanargmax(train[decided], axis=1)
    wins = np.bincount(winner, minlength=len(values)) / decided.sum()
    kendall = defined_mean(test)
    best = None if np.isnan(kendall).all() else int(np.nanargmax(np.round(kendall, DIGITS)))
    chosen = test[decided][np.arange(len(winner)), winner]
    return HeldOut(wins, kendall, best, float(defined_mean(chosen[:, None])[0]))


def _kendall(values: Floats, reference: Floats, queries: Bools) -> Floats:
    """(splits, T) Kendall of the candidates' means over some queries of each split."""
    counts = queries.astype(np.int64)
    truth = reference if reference.ndim == 1 else bootstrap_means(reference, counts)[:, None]
    return np.round(correlations(bootstrap_means(values, counts), truth, ("kendall",)).kendall, DIGITS)
