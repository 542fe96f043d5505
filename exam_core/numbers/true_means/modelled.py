"""Which runs of a board the model is about: those that differ from each other, and are not far off."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.numbers.rank_correlations import DIGITS
from exam_core.numbers.true_means.observed import Observed, far_off, observed

FEWEST = 5
"""Queries below which nothing is said, and runs below which nothing is said of a correlation."""


@dataclass(frozen=True)
class Modelled:
    """M boards as the model of true means (`intervals.py`) sees them, and which of its runs are which of the boards.

    Runs with the same values on every query are one run to the model, and tied in every draw: nothing tells them
    apart, so such ties are no evidence about a reference. Runs that are far off on all boards stay there.

    Parameters
    ----------
    observed : of runs that differ and are near
    means : (M, R') of all runs that differ
    near : (R',) which of these the model has
    run : (R,) the place of each run among those that differ
    """

    observed: Observed
    means: Floats
    near: Bools
    run: Ints

    def of_runs(self, values: Floats) -> Floats:
        """Of (R,) values, one for each run that the model has: their mean over equal runs."""
        return (np.bincount(self.run, values) / np.bincount(self.run))[self.near]

    def of_all(self, draws: Floats) -> Floats:
        """(N, M, R) of draws of the runs that the model has; a run that is far off lies beyond them, on its side."""
        if self.near.all():
            return draws[:, :, self.run]
        off = self.means - np.median(self.means, axis=1, keepdims=True)
        ends = 2 * np.abs(draws).max() * (np.sign(off) + off / np.abs(off).max(axis=1, keepdims=True))
        values = np.repeat(ends[None], len(draws), axis=0)
        values[:, :, self.near] = draws
        return values[:, :, self.run]


def modelled(boards: Floats) -> Modelled:
    """The model's view of (M, R, Q) values, M one or two; means that are not all the same on any board."""
    first, run = distinct(boards)
    boards = boards[:, first]
    means = np.array([means_of(board) for board in boards])
    near = ~far_off(means) if len(first) >= FEWEST else np.full(len(first), True)
    if near.sum() < FEWEST or not np.ptp(np.round(means[:, near], DIGITS), axis=1).all():
        near[:] = True
    return Modelled(observed(boards[:, near]), means, near, run)


def distinct(boards: Floats) -> tuple[Ints, Ints]:
    """Of (M, R, Q) boards: a row for each run that differs from the others, in their order, and each run's number."""
    rows = np.round(np.where(np.isnan(boards), np.inf, boards), DIGITS).transpose(1, 0, 2).reshape(boards.shape[1], -1)
    _, first, run = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[run.ravel()]


def means_of(values: Floats) -> Floats:
    """(R,) means of (R, Q) values; NaN doesn't count."""
    return np.asarray(np.nansum(values, axis=1) / (~np.isnan(values)).sum(axis=1))
