"""Draws of two boards' true means over the same queries: importance sampling around the likeliest parameters."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from exam_core.numbers.arrays import Floats
from exam_core.numbers.true_means.observed import Observed
from exam_core.numbers.true_means.sampling import MOST, prior_shape, resample, with_uncertain_noise

POINTS = 128
"""Points that are tried, half of them the mirror images of the others."""

TAILS = 5
"""Degrees of freedom of the t distribution that points are drawn from."""

STEP = 0.05
STEPS = np.array([1.0, 0.5, 0.25, 0.1, 0.02])
NEARLY = 1e-3
LARGEST_BLOCK = 2**22
"""Matrix entries that are held at a time (32 MiB)."""


@dataclass(frozen=True)
class _EigenBoards:
    """Two boards along the eigenvectors of their noise: means (2D,), noise (2D, 2D), these eigenvalues (D,).

    Parameters are (log t_a, log t_b, atanh r, logit of w / MOST): true means of both boards are normal with variances
    t_a^2 K(w) and t_b^2 K(w), and correlate by r.
    """

    means: Floats
    noise: Floats
    shape: Floats

    def prior(self, points: Floats) -> Floats:
        """(P, 2, 2, D) covariances of the true means of the boards, along each direction."""
        deviations, r = np.exp(points[:, :2]), np.tanh(points[:, 2])
        share = MOST / (1 + np.exp(-points[:, 3]))
        between = deviations[:, :, None] * deviations[:, None, :]
        between[:, 0, 1] *= r
        between[:, 1, 0] *= r
        return np.asarray(between[..., None] * prior_shape(share, self.shape)[:, None, None])

    def total(self, points: Floats) -> Floats:
        """(P, 2D, 2D) covariances of the observed means."""
        n = len(self.shape)
        total = np.repeat(self.noise[None], len(points), axis=0)
        places = np.arange(n)
        prior = self.prior(points)
        for a in (0, 1):
            for b in (0, 1):
                total[:, a * n + places, b * n + places] += prior[:, a, b]
        return total

    def likely(self, points: Floats) -> Floats:
        """(P,) log posterior: (t_a t_b)^(-1/2) (1 - r^2)^(-1/2), and flat on w."""
        together = max(1, LARGEST_BLOCK // len(self.means) ** 2)
        parts = [self._likely(points[start : start + together]) for start in range(0, len(points), together)]
        return np.concatenate(parts)

    def _likely(self, points: Floats) -> Floats:
        lower = np.linalg.cholesky(self.total(points))
        rest = np.linalg.solve(lower, np.repeat(self.means[None, :, None], len(points), axis=0))[..., 0]
        size = np.log(np.diagonal(lower, axis1=1, axis2=2)).sum(axis=1)
        x = points[:, 3]
        before = (
            points[:, :2].sum(axis=1) / 2 - np.log(np.cosh(points[:, 2])) - np.logaddexp(0, x) - np.logaddexp(0, -x)
        )
        return np.asarray(before - size - (rest**2).sum(axis=1) / 2)


def draws_beside_measure(boards: Observed, draws: int, rng: np.random.Generator) -> Floats:
    """(draws, 2, R) true means of R runs on two boards over the same queries, up to a constant each."""
    size = len(boards.contrasts) - 1
    sides = boards.noise[:size, :size], boards.noise[size:, size:]
    shape, directions = np.linalg.eigh(sum(side / np.trace(side) for side in sides) * size / 2)
    turn = np.kron(np.eye(2), directions)
    model = _EigenBoards((boards.means @ directions).ravel(), turn.T @ boards.noise @ turn, np.maximum(shape, 1e-12))
    points, weights = _points(model, rng)
    point, count = np.unique(resample(weights, draws, rng), return_counts=True)
    means = np.concatenate([_means(model, points[values], n, rng) for values, n in zip(point, count, strict=True)])
    wide = with_uncertain_noise(means.reshape(draws, 2, size), boards.queries, rng)
    return wide @ (boards.contrasts @ directions).T


def _points(model: _EigenBoards, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """(P, 4) parameters around the likeliest, and the log of the weight of each."""
    middle, lower = _mode(model)
    normal = rng.standard_normal((POINTS // 2, 4)) / np.sqrt(rng.chisquare(TAILS, (POINTS // 2, 1)) / TAILS)
    around = np.concatenate([normal, -normal])
    points = np.clip(middle + around @ lower.T, middle - 30, middle + 30)
    tried = -(TAILS + 4) / 2 * np.log1p((around**2).sum(axis=1) / TAILS)
    return points, model.likely(points) - tried


def _mode(model: _EigenBoards) -> tuple[Floats, Floats]:
    """The likeliest parameters, by Newton's method, and a root of their covariance."""
    n = len(model.shape)
    squares = (model.means.reshape(2, n) ** 2).mean(axis=1)
    left = np.maximum(squares - np.diag(model.noise).reshape(2, n).mean(axis=1), squares / 10)
    alike = (model.means[:n] * model.means[n:]).mean() / np.sqrt(squares.prod())
    point = np.array([*np.log(left) / 2, np.arctanh(np.clip(alike, -0.95, 0.95)), 0.0])
    for _ in range(12):
        slope, bend = _derivatives(model, point)
        sizes, directions = np.linalg.eigh(bend)
        root = directions / np.sqrt(np.clip(sizes, 0.1, 1e4))
        step = root @ (root.T @ slope)
        tried = point + STEPS[:, None] * np.clip(step, -2, 2)
        values = model.likely(tried)
        point = tried[values.argmax()]
        if np.abs(step).max() < 0.05 or slope @ step < NEARLY:
            break
    return point, root


def _derivatives(model: _EigenBoards, point: Floats) -> tuple[Floats, Floats]:
    """Slope of the log posterior, and how it bends (minus its second derivatives), by differences."""
    n = len(point)
    pairs = list(combinations(range(n), 2))
    unit = STEP * np.eye(n)
    moves = np.array([np.zeros(n), *unit, *-unit, *(unit[i] + unit[j] for i, j in pairs)])
    moves = np.concatenate([moves, [-(unit[i] + unit[j]) for i, j in pairs]])
    values = model.likely(point + moves)
    up, down, both = values[1 : n + 1], values[n + 1 : 2 * n + 1], values[2 * n + 1 :]
    bend = np.diag(2 * values[0] - up - down)
    for (i, j), ahead, back in zip(pairs, both[: len(pairs)], both[len(pairs) :], strict=True):
        mixed = (ahead + back - up[i] - down[i] - up[j] - down[j] + 2 * values[0]) / 2
        bend[i, j] = bend[j, i] = -mixed
    return (up - down) / (2 * STEP), bend / STEP**2


def _means(model: _EigenBoards, point: Floats, n: int, rng: np.random.Generator) -> Floats:
    """(n, 2D) true means at one point: a draw of the prior, moved by what the observed means say (Matheron's rule)."""
    size = len(model.shape)
    prior = model.prior(point[None])[0]
    first, second = rng.standard_normal((2, n, size))
    r = np.tanh(point[2])
    a = np.sqrt(prior[0, 0]) * first
    b = np.sqrt(prior[1, 1]) * (r * first + np.sqrt(1 - r * r) * second)
    drawn = np.concatenate([a, b], axis=1)
    noise = rng.standard_normal((n, 2 * size)) @ np.linalg.cholesky(model.noise).T
    missed = np.linalg.solve(model.total(point[None])[0], (model.means - drawn - noise).T).T
    a_off, b_off = missed[:, :size], missed[:, size:]
    moved = [prior[side, 0] * a_off + prior[side, 1] * b_off for side in (0, 1)]
    return np.asarray(drawn + np.concatenate(moved, axis=1))
