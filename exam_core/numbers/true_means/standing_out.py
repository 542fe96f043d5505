"""Which runs stand further from a list of ranks than noise explains, the list's own as well as the board's."""

from __future__ import annotations

import numpy as np

from exam_core.numbers.arrays import Floats
from exam_core.numbers.rank_correlations import DIGITS
from exam_core.numbers.true_means.fixed_reference import grid_of, slopes_of
from exam_core.numbers.true_means.modelled import FEWEST, distinct, means_of
from exam_core.numbers.true_means.noise import deviations
from exam_core.numbers.true_means.observed import normal_scores, observed

LEAST = 0.4
"""Chosen by simulation, as all here (seeds below 40,000): with 1 instead, 7 to 10% of boards of heavy tails have a flag
beside a noisy list where no run is displaced; with none, half of the runs that are displaced are not found."""


def standing_out_p(values: Floats, reference: Floats) -> Floats:
    """(R,) two-sided p that each run stands beside a list as the other runs do.

    A list as it is printed does not say how noisy it is: how far the other runs stand from it does. As in
    `draws_beside_ranks`, observed means are normal around a line through the list's normal scores, with the noise of
    the board and a residual of variance t^2 K(w), which takes up the list's noise and whatever else parts the two.
    Slope, t and w are learnt from all runs but the one that is tested, whose studentised deleted residual is the test.
    Ranks do not say how far the first and the last run are from the others: by so much more than in the middle a run at
    an end may be away.

    Chosen by simulation (seeds below 40,000; 37 runs, 43 queries). Without what the ends are more unsure of, 5 to 10%
    of boards of families had a flag where no run was displaced. Draws of the list with as much noise as the board's
    own found less than half of the runs that are displaced beside an exact one.

    Values are (R, Q); the list is (R,), larger is better. p is exact, so that no number of draws bounds it. Runs that
    are equal on every query have one p, of their mean place in the list. NaN for all runs where fewer than five differ,
    fewer than five queries count, a run has no mean, or a side has no order.

    Source: Cook & Weisberg 1982, section 2.2.2 (deleted residuals); Fay & Herriot 1979 (the model's kind); David &
    Nagaraja 2003, section 4.6 (variances of order statistics); benchmarks/intervals.md has how often it errs.
    """
    from scipy.special import stdtr  # not at the top: scipy takes long to load

    unknown = np.full(len(values), np.nan)
    if not len(values) or np.isnan(values).all(axis=1).any():
        return unknown
    values = values[:, ~np.isnan(values).all(axis=0)]
    first, run = distinct(values[None])
    if min(len(first), values.shape[1]) < FEWEST or not all(
        np.ptp(np.round(side, DIGITS)) for side in (means_of(values), reference)
    ):
        return unknown
    scores, unsure = (
        np.bincount(run, side) / np.bincount(run) for side in (normal_scores(reference), ends_unsure(reference))
    )
    board = observed(values[None][:, first])
    noise, directions = np.linalg.eigh(board.noise)
    runs = board.contrasts @ directions
    y, z = board.means[0] @ directions, scores @ runs
    spread, prior = grid_of(y, noise)
    weights = 1 / (prior + noise)
    slope, precision, log_likely = slopes_of(y, z, prior + noise)
    missed = (weights * (y - slope[:, None] * z)) @ runs.T
    certain = weights @ (runs**2).T - ((weights * z) @ runs.T) ** 2 / precision[:, None]
    without = log_likely - np.log(spread) / 2
    without = without[:, None] + missed**2 / certain / 2 - np.log(certain) / 2
    share = np.exp(without - without.max(axis=0))
    away = np.abs(missed) / certain / np.sqrt(1 / certain + slope[:, None] ** 2 * unsure)
    p: Floats = (share * 2 * stdtr(freedom(values[first]), -away)).sum(axis=0) / share.sum(axis=0)
    return p[run]


def freedom(values: Floats) -> float:
    """Degrees of freedom of the noise of (R, Q) values: fewer than queries - 1 where few values decide how noisy it is.

    A variance of n values of kurtosis k has the relative variance (k - 1) / n, as that of 2 n / (k - 1) normal ones.
    Noise of many runs is learnt together, so that it is never less than `LEAST` of queries - 1.
    """
    squares = deviations(values[None])[0] ** 2
    sizes = squares.mean(axis=1)
    varied = squares[sizes > 0] / sizes[sizes > 0, None]
    kurtosis = float((varied**2).mean()) if len(varied) else 3.0
    return float((values.shape[1] - 1) * np.clip(2 / max(kurtosis - 1, 1.0), LEAST, 1.0))


def ends_unsure(reference: Floats) -> Floats:
    """(R,) by how much the variance of a normal sample's value at each place is above the median place's."""
    from scipy.special import ndtr

    scores = normal_scores(reference)
    below = ndtr(scores)
    variance = 2 * np.pi * below * (1 - below) * np.exp(scores**2) / (len(reference) + 2)
    return np.maximum(variance - np.median(variance), 0.0)
