"""Draws of a board's true means beside a reference whose ranks are fixed: exact, on a grid of two parameters."""

from __future__ import annotations

import numpy as np

from exam_core.numbers.arrays import Floats
from exam_core.numbers.true_means.observed import Observed
from exam_core.numbers.true_means.sampling import MOST, prior_shape, resample, with_uncertain_noise

SPREADS, SHARES = 40, 8
"""Points of the grid: of the residuals' standard deviation t, and of the share w that follows the noise."""

WIDEST = 3
"""t goes up to so many times the deviation of the observed means."""


def draws_beside_ranks(board: Observed, scores: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """True means of R runs, up to a constant: they lie around a line through the reference's normal scores.

    Observed means are normal around the true ones, and those around b z with variance t^2 K(w), where z are the
    normal scores of the reference's ranks and K is `prior_shape`; flat on b and w, and as t^(-1/2) on t, so that an
    agreement that is nearly perfect is no less likely beforehand than another. Along the eigenvectors of the noise all
    of it is diagonal. Of one board and the (R,) `normal_scores` of the reference, returns (draws, R).
    """
    noise, directions = np.linalg.eigh(board.noise)
    y, z = board.means[0] @ directions, scores @ board.contrasts @ directions
    spread, prior = grid_of(y, noise)
    total = prior + noise
    slope, precision, weight = slopes_of(y, z, total)
    cell = resample(weight - np.log(spread) / 2, draws, rng)
    b = slope[cell] + rng.standard_normal(draws) / np.sqrt(precision[cell])
    means = _means(y, b[:, None] * z, prior[cell], noise, rng)
    return with_uncertain_noise(means, board.queries, rng) @ (board.contrasts @ directions).T


def draws_alone(board: Observed, draws: int, rng: np.random.Generator) -> Floats:
    """(draws, R) true means, up to a constant, beside no reference: the same with a slope b of 0, and flat on t."""
    noise, directions = np.linalg.eigh(board.noise)
    y = board.means[0] @ directions
    _, prior = grid_of(y, noise)
    total = prior + noise
    cell = resample(-(np.log(total) + y**2 / total).sum(axis=1) / 2, draws, rng)
    means = _means(y, 0.0, prior[cell], noise, rng)
    return with_uncertain_noise(means, board.queries, rng) @ (board.contrasts @ directions).T


def grid_of(y: Floats, noise: Floats) -> tuple[Floats, Floats]:
    """(G,) each t with each w of the grid, and (G, D) variances t^2 K(w) of true means around their expectation."""
    spread = np.sqrt((y**2).mean()) * WIDEST * (np.arange(SPREADS) + 0.5) / SPREADS
    share = MOST * (np.arange(SHARES) + 0.5) / SHARES
    prior = spread[:, None, None] ** 2 * prior_shape(share, noise)
    return np.repeat(spread, SHARES), prior.reshape(-1, len(noise))


def _means(y: Floats, middle: Floats | float, prior: Floats, noise: Floats, rng: np.random.Generator) -> Floats:
    """(draws, D) true means, given the observed ones and, for each draw, where they are expected and how they vary."""
    values = prior / (prior + noise)
    return middle + values * (y - middle) + np.sqrt(values * noise) * rng.standard_normal(prior.shape)


def slopes_of(y: Floats, z: Floats, total: Floats) -> tuple[Floats, Floats, Floats]:
    """Of each row of variances (G, D): slope, its precision, and the log of how likely the row is with any slope."""
    precision = (z**2 / total).sum(axis=1)
    slope = (z * y / total).sum(axis=1) / precision
    rest = ((y - slope[:, None] * z) ** 2 / total).sum(axis=1)
    return slope, precision, -(np.log(total).sum(axis=1) + np.log(precision) + rest) / 2
