"""Simulated review campaigns: what so many reviews would bring, where it is known what humans say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from exam_core.analysis.choice import Evaluation
from exam_core.errors import UsageError
from exam_core.numbers.arrays import Bools, Floats
from exam_core.numbers.rank_correlations import rank_correlation
from exam_core.progress import Progress, no_progress
from exam_core.request import RELEVANT_FROM
from exam_core.store import Snapshot
from exam_core.tables import OFFICIAL
from exam_core.wings.reviews.corrected import correct, ordering_scores
from exam_core.wings.reviews.estimates import MEANS_LEVEL, CorrectedMeans, Sampled, inclusion_probabilities, pivotal
from exam_core.wings.reviews.queue import Draw
from exam_core.wings.reviews.review import Sampler
from exam_core.wings.reviews.sampling import Lists, Population, keys_of, lists_of, population, sizes


@dataclass(frozen=True, eq=False)
class KnownCollection:
    """A collection of which it is known what humans say of each passage.

    Parameters
    ----------
    answers : (P,) how likely a person finds the pair relevant: 1 or 0 where people never err
    """

    lists: Lists
    found: Population
    answers: Floats

    @cached_property
    def means(self) -> Floats:
        """(R,) what humans' answers make of the runs on average."""
        return self.lists.parts(np.zeros(0, int), self.answers).predicted


def truth_of(snapshot: Snapshot, choice: Evaluation, relevant_from: int = RELEVANT_FROM) -> KnownCollection:
    """A choice's lists with judgments in place of the humans; passages without a judgment are not relevant.

    Raises UsageError where there are no such judgments, or the measure can't be corrected.
    """
    lists = lists_of(snapshot, choice)
    found = population(snapshot, choice, "relevance")
    rows = snapshot.query(
        "SELECT query_id, doc_id FROM judgments WHERE qrels_id = ? AND relevance >= ?", [OFFICIAL, relevant_from]
    )
    if not len(rows):
        raise UsageError(f"{snapshot.collection} has no judgments {OFFICIAL} to stand for the humans.")
    relevant = set(zip(rows["query_id"], rows["doc_id"], strict=True))
    answers = np.array([key in relevant for key in keys_of(lists.book)], float)
    return KnownCollection(lists, found, answers)


@dataclass(frozen=True)
class Campaign:
    """Who is asked about what: how passages are drawn, how many, how often that is simulated, and from which seed.

    Parameters
    ----------
    twice : per cent of the passages that two people answer
    """

    sampler: Sampler
    n: int
    rounds: int
    seed: int = 0
    twice: int = Draw.shared


def simulated(
    snapshot: Snapshot, choice: Evaluation, truth: KnownCollection, one: Campaign, progress: Progress = no_progress
) -> list[CorrectedMeans]:
    """What each campaign makes of the board."""
    probabilities = inclusion_probabilities(sizes(snapshot, choice, truth.found, one.sampler), one.n)
    rng = np.random.default_rng([one.seed, one.n])
    found = []
    for done in range(one.rounds):
        sample = pivotal(probabilities, rng)
        items = truth.found.pairs[sample]
        people = 1 + (np.arange(len(items)) < math.ceil(len(items) * one.twice / 100))
        answers = rng.binomial(people, truth.answers[items]) / people
        found.append(correct(truth.lists, Sampled(items, answers, 1 / probabilities[sample], people)))
        progress((done + 1) / one.rounds)
    return found


def on_average(truth: KnownCollection, one: Campaign, found: Sequence[CorrectedMeans]) -> dict[str, Any]:
    """What campaigns bring on average: errors, half-widths, how often intervals hold the truth, and the order."""
    half_width = float(np.mean([means.high - means.low for means in found]) / 2)
    alone = humans_alone(truth, one.n)
    return {
        "sampler": one.sampler,
        "n": one.n,
        "error": float(np.mean([np.abs(means.mean - truth.means) for means in found])),
        "half_width": half_width,
        "holds": float(np.mean([inside(truth.means, means.low, means.high) for means in found])),
        "shrunk_error": float(np.mean([np.abs(means.shrunk - truth.means) for means in found])),
        "kendall": float(
            np.mean([rank_correlation(ordering_scores(truth.lists, means), truth.means).kendall for means in found])
        ),
        "alone": alone,
        "ratio": half_width / alone if alone else np.nan,
    }


def inside(truth: Floats, low: Floats, high: Floats) -> Bools:
    """Which intervals hold the truth; that of a run whose every passage was reviewed has no width, but for rounding."""
    return np.asarray((low <= truth + 1e-9) & (truth <= high + 1e-9))


def humans_alone(truth: KnownCollection, n: int) -> float:
    """Mean half-width of the runs' intervals by n answers of a uniform sample, without the grader's help.

    It is the exact standard error of the weighted sum of answers, for drawing without replacement.
    """
    from scipy.special import stdtrit  # not at the top: scipy takes long to load

    pairs = truth.found.pairs
    size = len(pairs)
    if n >= size:
        return 0.0
    adds, chance = truth.lists.parts(pairs, truth.answers).answered, truth.answers[pairs]
    spread = (adds * chance).var(axis=1, ddof=1) * (1 / n - 1 / size)
    mistakes = (adds**2 * (chance * (1 - chance))).mean(axis=1) / n
    reach = stdtrit(n - 1, (1 + MEANS_LEVEL) / 2)
    return float((reach * size * np.sqrt(spread + mistakes)).mean())
