"""One or two boards as the model sees them: means on a scale on which they lie normally, and their noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from exam_core.numbers.arrays import Bools, Floats
from exam_core.numbers.rank_correlations import mean_rank
from exam_core.numbers.true_means.noise import (
    correlations_of_errors,
    deviations,
    steadied,
    variances,
    without_stretching,
)

FAR = 4
"""Deviations of the other runs from which on a run is far off. Nothing makes its place uncertain, and on a scale on
which means lie normally it would tell as much of how alike two boards are as any other run. It says nothing of that:
intervals beside a measure, of boards of families with such a run, hold the truth in 80% of samples with it in the
model, and in 93% without (200 samples, seed 100,000)."""

UNSURE = 3
"""Noise is taken for 1 + UNSURE / n times what n queries show. How noisy means are is itself estimated; too little
noise leaves too much of it in a correlation, so that the truth lies above the interval far more often than below.
Chosen by simulation (seeds below 10,000): with a factor that does not depend on n, what 10 queries need is too much for
250."""

FLOOR = 1e-8
"""Noise below this share of the spread is taken for so much, so that its matrices can be inverted."""


@dataclass(frozen=True)
class Observed:
    """M boards of R runs over the same queries, in R - 1 contrasts: an order is in the differences alone.

    Parameters
    ----------
    means : (M, R - 1) contrasts of the means, transformed
    noise : (M(R - 1), M(R - 1)) covariance of their errors, positive definite
    contrasts : (R, R - 1) orthonormal columns that add up to 0
    queries : how many
    """

    means: Floats
    noise: Floats
    contrasts: Floats
    queries: int


def observed(values: Floats) -> Observed:
    """One or two boards (M, R, Q) as the model sees them; every run has a mean on each, and NaN doesn't count."""
    boards, runs, queries = values.shape
    n = (~np.isnan(values)).sum(axis=-1)
    means = np.nansum(values, axis=-1) / n
    off = steadied(deviations(values))
    apart = 2 * variances(off, n.astype(float)).mean(axis=1)
    places, slopes = (np.array(side) for side in zip(*map(normal_scale, means, apart), strict=True))
    off = without_stretching(slopes @ off, places)
    errors = np.sqrt(variances(off, n.astype(float)))
    noise = (1 + UNSURE / queries) * correlations_of_errors(off) * np.outer(errors.ravel(), errors.ravel())
    contrasts = orthonormal_contrasts(runs)
    across = np.kron(np.eye(boards), contrasts)
    known = places @ contrasts
    return Observed(known, _positive(across.T @ noise @ across, float((known**2).mean())), contrasts, queries)


def far_off(means: Floats) -> Bools:
    """(R,) which runs are more than `FAR` deviations of the others from these on each board of means (M, R)."""
    runs = means.shape[1]
    centred = means - means.mean(axis=1, keepdims=True)
    others = -centred / (runs - 1)
    squares = (centred**2).sum(axis=1, keepdims=True) - centred**2 - (runs - 1) * others**2
    return ((centred - others) ** 2 > FAR**2 * squares / (runs - 2)).all(axis=0)


def errors(boards: Observed, draws: int, rng: np.random.Generator) -> Floats:
    """Errors of R runs' means over as many queries as were seen, up to a constant each: (draws, M, R)."""
    drawn = rng.standard_normal((draws, len(boards.noise))) @ np.linalg.cholesky(boards.noise).T
    return drawn.reshape(draws, len(boards.means), -1) @ boards.contrasts.T


def normal_scale(means: Floats, apart: float) -> tuple[Floats, Floats]:
    """Means on a smooth, increasing scale on which they lie as normal deviates, and how errors move their places.

    g(x) = the normal deviate of a kernel estimate of the means' distribution function. A skewed board lies normally
    then, and the order stays as it is. A place moves with its run's mean as far as there are others to pass, and the
    other way with theirs: the derivatives of all places by all means, for a kernel that is wider by the errors, since
    an error leads out of where a board is dense. Chosen by comparing two samples of a board: they differ by 0.9 to 1.06
    of what is expected so, by 0.57 to 0.84 with the slope of g.

    Means are (R,), not all equal; `apart` is the variance of the error of a difference of two. Returns places (R,), and
    derivatives (R, R) of each place by each mean; each row adds up to 0.

    Source: Silverman 1986, eq. 3.31 (the kernel's width).
    """
    quarter, three = np.quantile(means, (0.25, 0.75))
    spread = float(means.std(ddof=1))
    inner = float(three - quarter) / 1.34
    width = 0.9 * (min(spread, inner) if inner > 0.1 * spread else spread) * len(means) ** -0.2
    wider = float(np.hypot(width, np.sqrt(apart)))
    places, smoother = _normal_deviates(means, width), _normal_deviates(means, wider)
    near = np.exp(-(((means[:, None] - means) / wider) ** 2) / 2) / (len(means) * wider)
    slopes = -near / np.exp(-(smoother**2) / 2)[:, None]
    np.fill_diagonal(slopes, 0.0)
    np.fill_diagonal(slopes, -slopes.sum(axis=1))
    return places, slopes * (places.std() / smoother.std())


def _normal_deviates(means: Floats, width: float) -> Floats:
    """(R,) of a kernel estimate of their distribution function."""
    from scipy.special import ndtr, ndtri  # not at the top: scipy takes long to load

    return ndtri(ndtr((means[:, None] - means) / width).mean(axis=1))


def normal_scores(reference: Floats) -> Floats:
    """(R,) normal deviates of the places in a reference, larger is better; ties share their mean rank.

    Source: Blom 1958.
    """
    from scipy.special import ndtri

    n = len(reference)
    return -ndtri((mean_rank(reference) - 3 / 8) / (n + 1 / 4))


def orthonormal_contrasts(runs: int) -> Floats:
    """(R, R - 1) columns of length 1 that are orthogonal to each other and add up to 0 (Helmert's)."""
    upper = np.triu(np.ones((runs, runs)))[:, : runs - 1]
    places = np.arange(1, runs)
    upper[places, places - 1] = -places
    return upper / np.sqrt(places * (places + 1.0))


def _positive(noise: Floats, spread: float) -> Floats:
    """The covariances with no eigenvalue below a small share of the spread of the means."""
    sizes, directions = np.linalg.eigh((noise + noise.T) / 2)
    least = max(FLOOR * spread, 1e-4 * float(sizes.mean()), 1e-300)
    if sizes[0] >= least:
        return noise
    return (directions * np.maximum(sizes, least)) @ directions.T
