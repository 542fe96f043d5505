"""The latent model: relevance, ease and ability are drawn, and grades, judgments and rankings follow from them.

A passage has a latent relevance, and answers beyond it: what it says that the exam asks for and a judge
does not look at. A grade sees both, a judgment the relevance alone, a run the relevance, as much of the rest
as is to its taste, and noise: little in a good run. Grades and judgments are cut from a continuous value at
thresholds, as in the graded response model.

Source of the thresholds: Samejima 1969 (graded response model), with normal ogives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.simulation.settings import Settings
from exam_core.tables import UNREADABLE

Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Runs:
    """How runs see passages.

    Parameters
    ----------
    noise : (R,) standard deviation of a run's errors
    taste : (R,) how much it follows answers beyond relevance
    official : indices of those that the official leaderboard ranks, ascending
    """

    noise: Floats
    taste: Floats
    official: npt.NDArray[np.int64]


@dataclass(frozen=True)
class LatentDraw:
    """What the model draws for some queries; queries with fewer than P passages end in absent ones.

    Parameters
    ----------
    present : (Q, P) whether there is such a passage
    grades : (Q, P, S) 0..5, or UNREADABLE
    relevance : (Q, P) 0..3
    judged : (Q, P) whether the relevance is known
    order : (R, Q, K) indices of the passages that a run returns, best first
    scores : (R, Q, K) their scores; -inf where a query has fewer passages than K
    """

    present: npt.NDArray[np.bool_]
    grades: Bytes
    relevance: Bytes
    judged: npt.NDArray[np.bool_]
    order: npt.NDArray[np.int64]
    scores: Floats


def draw_runs(settings: Settings, generator: np.random.Generator) -> Runs:
    """Runs from good to bad in random order, each with a taste of its own.

    Noise and taste are spread evenly, and only their order is drawn: so even a few runs differ.
    """
    steps = np.linspace(np.log(settings.least_noise), np.log(settings.most_noise), settings.runs)
    noise = np.exp(generator.permutation(steps))
    taste = settings.taste * generator.permutation(np.linspace(-1.6, 1.6, settings.runs))
    official = np.sort(generator.permutation(settings.runs)[: settings.ranked_runs])
    return Runs(noise.astype(np.float32), taste.astype(np.float32), official)


def draw_queries(
    settings: Settings, runs: Runs, sizes: npt.NDArray[np.int64], generator: np.random.Generator
) -> LatentDraw:
    """Draw grades, judgments and rankings of queries that have (Q,) passages each."""
    normal = _Normal(generator)
    queries, width = len(sizes), int(sizes.max())
    present = np.arange(width) < sizes[:, None]
    ease = normal(settings.query_spread, queries, 1)
    relevance, rest = normal(1.0, queries, width), normal(1.0, queries, width)
    answers = np.float32(np.sqrt(1 - settings.beyond)) * relevance + np.float32(np.sqrt(settings.beyond)) * rest
    grades = _grades(settings, ease + answers, normal)
    order, scores = _rankings(settings, runs, np.where(present, relevance, -np.inf), rest, normal)
    judgments = ease + relevance + normal(settings.judging_noise, queries, width)
    spread = _norm(1.0, settings.query_spread, settings.judging_noise)
    return LatentDraw(
        present=present,
        grades=grades,
        relevance=_cut(judgments, settings.relevance_shares, spread),
        judged=_judged(settings, order, sizes, present, generator),
        order=order,
        scores=scores,
    )


def _grades(settings: Settings, answers: Floats, normal: _Normal) -> Bytes:
    """(Q, P, S) grades of passages with (Q, P) latent answers."""
    asked = (*answers.shape, settings.questions)
    value = normal(settings.grading_noise, *asked)
    value += answers[:, :, None]
    value += normal(settings.question_spread, len(answers), 1, settings.questions)
    spread = _norm(1.0, settings.query_spread, settings.question_spread, settings.grading_noise)
    grades = _cut(value, settings.grade_shares, spread)
    if settings.unreadable:
        grades[normal.generator.random(asked, np.float32) < settings.unreadable] = UNREADABLE
    return grades


def _rankings(
    settings: Settings, runs: Runs, relevance: Floats, rest: Floats, normal: _Normal
) -> tuple[npt.NDArray[np.int64], Floats]:
    """(R, Q, K) passages and scores of every run; ties by passage descending, as trec_eval breaks them."""
    width = relevance.shape[1]
    depth = min(settings.depth, width)
    order = np.empty((settings.runs, len(relevance), depth), np.int64)
    scores = np.empty(order.shape, np.float32)
    for run in range(settings.runs):
        value = relevance + runs.taste[run] * rest + normal(float(runs.noise[run]), *relevance.shape)
        # A stable sort from the last passage on leaves the larger doc_id of a tie first.
        backwards = np.argsort(-value[:, ::-1], axis=1, kind="stable")[:, :depth]
        order[run] = width - 1 - backwards
        scores[run] = np.take_along_axis(value, order[run], axis=1)
    return order, scores


def _judged(
    settings: Settings,
    order: npt.NDArray[np.int64],
    sizes: npt.NDArray[np.int64],
    present: npt.NDArray[np.bool_],
    generator: np.random.Generator,
) -> npt.NDArray[np.bool_]:
    """(Q, P) the pool: those passages that some run returned earliest, and by chance among equals."""
    depth = order.shape[2]
    earliest = np.full(present.shape, float(depth))
    for places in order:
        returned = np.take_along_axis(earliest, places, axis=1)
        np.put_along_axis(earliest, places, np.minimum(returned, np.arange(depth)), axis=1)
    earliest += generator.random(present.shape)
    earliest[~present] = np.inf
    place = np.argsort(np.argsort(earliest, axis=1), axis=1)
    # Shares of passages are seldom whole numbers: chance decides about the one that is judged in part.
    judged: npt.NDArray[np.bool_] = place < np.floor(settings.judged * sizes + generator.random(len(sizes)))[:, None]
    return judged & present


def _cut(value: Floats, shares: tuple[float, ...], spread: float) -> Bytes:
    """How many thresholds a value reaches; they cut a normal value of this spread into the shares."""
    from scipy.stats import norm  # scipy.stats takes half a second to load

    found = np.zeros(value.shape, np.int8)
    for threshold in norm.ppf(np.cumsum(shares)[:-1]) * spread:
        found += value >= np.float32(threshold)
    return found


def _norm(*spreads: float) -> float:
    """Standard deviation of a sum of independent values."""
    return float(np.sqrt(np.square(spreads).sum()))


class _Normal:
    """Normal values of mean 0, in single precision."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.generator = generator

    def __call__(self, spread: float, *shape: int) -> Floats:
        return np.float32(spread) * self.generator.standard_normal(shape, np.float32)
