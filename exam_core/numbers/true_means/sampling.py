"""Parts of both kinds of draws: the prior's shape, resampling by weight, and the uncertainty of the noise."""

from __future__ import annotations

import numpy as np

from exam_core.numbers.arrays import Floats, Ints

MOST = 15 / 16
"""How far true differences may follow the noise of differences. At 1, near-duplicates alone would decide."""


def prior_shape(share: Floats, noise: Floats) -> Floats:
    """(..., D) variances of true means around their expectation, in units of t^2, along the noise's eigenvectors.

    Runs that answer query by query alike, and so differ with little noise, also have true means that lie close
    together: a share (...) w of the variance, from 0 to `MOST`, is in proportion to the noise of a difference, with the
    eigenvalues (D,); the rest is the same for all.
    """
    return 1 - share[..., None] + share[..., None] * noise / noise.mean()


def resample(log_weights: Floats, draws: int, rng: np.random.Generator) -> Ints:
    """(draws,) indices of points, each about as often as its weight says: systematic resampling."""
    weights = np.exp(log_weights - log_weights.max())
    ends = np.cumsum(weights / weights.sum())
    ends[-1] = 1.0
    return np.searchsorted(ends, (rng.random() + np.arange(draws)) / draws, side="right").clip(0, len(ends) - 1)


def with_uncertain_noise(draws: Floats, queries: int, rng: np.random.Generator) -> Floats:
    """Draws (N, ...) as far from their centre as noise asks for that was estimated from so many queries."""
    centre = draws.mean(axis=0)
    wider = np.sqrt((queries - 1) / rng.chisquare(queries - 1, len(draws)))
    return np.asarray(centre + (draws - centre) * wider.reshape(-1, *[1] * (draws.ndim - 1)))
