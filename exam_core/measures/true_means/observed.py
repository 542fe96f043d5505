"""One or two boards as the model sees them: means on a scale on which they lie normally, and their noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from exam_core.measures.correlation import mean_rank
from exam_core.measures.gradebook import Bools, Floats
from exam_core.measures.true_means.noise import correlations_of_errors, deviations, variances, without_stretching

FAR = 4
"""Deviations of the other runs from which on a run is far off. That it may answer like some of them does not put its
true mean next to theirs: taken for one of them it makes two boards look more alike than they are. Chosen by simulation:
on boards of families with one run far off (seeds from 38,000) intervals of Spearman beside a measure held the truth in
87% of samples, and in 92% where that run is like no other. Without that run's part in the model they held it in 93%,
but on TREC DL 2019, which has such a run, in 85% where they hold it in 97% now."""

FLOOR = 1e-8
"""Noise below this share of the spread is taken for so much, so that its matrices can be inverted."""


@dataclass(frozen=True)
class Observed:
    """M boards of R runs over the same queries, in R - 1 contrasts: an order is in the differences alone.

    Parameters
    ----------
    means : (M, R - 1) contrasts of the means, transformed
    noise : (M(R - 1), M(R - 1)) covariance of their errors, positive definite
    alike : what the noise says of which true means are alike: the same, but that a run that is far off is like no other
    contrasts : (R, R - 1) orthonormal columns that add up to 0
    queries : how many
    """

    means: Floats
    noise: Floats
    alike: Floats
    contrasts: Floats
    queries: int


def observed(values: Floats) -> Observed:
    """Boards of (M, R, Q) values, M one or two, each with a mean for every run; NaN doesn't count."""
    boards, runs, queries = values.shape
    n = (~np.isnan(values)).sum(axis=-1)
    means = np.nansum(values, axis=-1) / n
    places, slopes = (np.array(side) for side in zip(*map(normal_scale, means), strict=True))
    off = without_stretching(deviations(values) * slopes[..., None], places)
    errors = np.sqrt(variances(off, n.astype(float)))
    noise = correlations_of_errors(off) * np.outer(errors.ravel(), errors.ravel())
    contrasts = orthonormal_contrasts(runs)
    across = np.kron(np.eye(boards), contrasts)
    seen = places @ contrasts
    spread, far = float((seen**2).mean()), np.tile(far_off(means), boards)
    found = alike = _positive(across.T @ noise @ across, spread)
    if far.any():
        others = ~(far[:, None] | far) | np.eye(len(far), dtype=bool)
        alike = _positive(across.T @ np.where(others, noise, 0.0) @ across, spread)
    return Observed(seen, found, alike, contrasts, queries)


def far_off(means: Floats) -> Bools:
    """(R,) which runs are more than `FAR` deviations of the others from these on each board of means (M, R)."""
    runs = means.shape[1]
    centred = means - means.mean(axis=1, keepdims=True)
    others = -centred / (runs - 1)
    squares = (centred**2).sum(axis=1, keepdims=True) - centred**2 - (runs - 1) * others**2
    far: Bools = ((centred - others) ** 2 > FAR**2 * squares / (runs - 2)).all(axis=0)
    return far


def errors(boards: Observed, draws: int, rng: np.random.Generator) -> Floats:
    """Errors of R runs' means over as many queries as were seen, up to a constant each: (draws, M, R)."""
    drawn = rng.standard_normal((draws, len(boards.noise))) @ np.linalg.cholesky(boards.noise).T
    found: Floats = drawn.reshape(draws, len(boards.means), -1) @ boards.contrasts.T
    return found


def normal_scale(means: Floats) -> tuple[Floats, Floats]:
    """Means on a smooth, increasing scale on which they lie as normal deviates, and that scale's slope at each.

    g(x) = the normal deviate of a kernel estimate of the means' distribution function. A run far off, or a skewed
    board, lies normally then, and the order stays as it is. Errors of means become errors on the scale by its slope.

    Parameters
    ----------
    means : (R,) not all equal

    Source: Silverman 1986, eq. 3.31 (the kernel's width).
    """
    from scipy.special import ndtr, ndtri  # not at the top: scipy takes long to load

    quarter, three = np.quantile(means, (0.25, 0.75))
    spread = float(means.std(ddof=1))
    inner = float(three - quarter) / 1.34
    width = 0.9 * (min(spread, inner) if inner > 0.1 * spread else spread) * len(means) ** -0.2
    apart = (means[:, None] - means) / width
    place = ndtri(ndtr(apart).mean(axis=1))
    density = np.exp(-(apart**2) / 2).mean(axis=1) / width
    return place, density / np.exp(-(place**2) / 2)


def normal_scores(reference: Floats) -> Floats:
    """(R,) normal deviates of the places in a reference, larger is better; ties share their mean rank.

    Source: Blom 1958.
    """
    from scipy.special import ndtri

    n = len(reference)
    scores: Floats = -ndtri((mean_rank(reference) - 3 / 8) / (n + 1 / 4))
    return scores


def orthonormal_contrasts(runs: int) -> Floats:
    """(R, R - 1) columns of length 1 that are orthogonal to each other and add up to 0 (Helmert's)."""
    upper = np.triu(np.ones((runs, runs)))[:, : runs - 1]
    places = np.arange(1, runs)
    upper[places, places - 1] = -places
    columns: Floats = upper / np.sqrt(places * (places + 1.0))
    return columns


def _positive(noise: Floats, spread: float) -> Floats:
    """The covariances with no eigenvalue below a small share of the spread of the means."""
    sizes, directions = np.linalg.eigh((noise + noise.T) / 2)
    least = max(FLOOR * spread, 1e-4 * float(sizes.mean()), 1e-300)
    if sizes[0] >= least:
        return noise
    made: Floats = (directions * np.maximum(sizes, least)) @ directions.T
    return made
