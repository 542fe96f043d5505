"""What a narrower interval costs in reviews, by how they are drawn: simulated campaigns on the collection's grades."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.asked import RELEVANT_FROM
from exam_core.errors import UsageError
from exam_core.numbers.arrays import Floats
from exam_core.progress import Progress, no_progress, part_of
from exam_core.store import Snapshot
from exam_core.store.summary import qrels_ids
from exam_core.tables import OFFICIAL
from exam_core.wings.reviews.analysis.answered import sampled_of
from exam_core.wings.reviews.analysis.campaigns import ROWS, Campaign, KnownCollection, campaigns, truth_of
from exam_core.wings.reviews.analysis.corrected import FEWEST
from exam_core.wings.reviews.analysis.lists import lists_of
from exam_core.wings.reviews.analysis.population import population
from exam_core.wings.reviews.analysis.queue_sampling import chance_by_grades
from exam_core.wings.reviews.review import Sampler
from exam_core.wings.reviews.store.review_records import Reviews

SIZES = (50, 100, 200, 400, 800, 1600)
COMPARED: tuple[Sampler, ...] = ("gain", "runs", "uniform")
ROUNDS = 40


@dataclass(frozen=True)
class Cost:
    """What so many reviews bring.

    Parameters
    ----------
    rows : `ROWS`, by sampler and number of reviews
    source : who played the humans, in a sentence
    """

    rows: pd.DataFrame = field(repr=False)
    source: str
    population: int

    def needed(self, half_width: float, sampler: str) -> int | None:
        """How many reviews make intervals of a half-width; None where no size that was tried does.

        Between two sizes that were tried, widths are taken to be on a line of both logarithms.
        """
        rows = self.rows[(self.rows["sampler"] == sampler) & (self.rows["half_width"] > 0)].sort_values("n")
        wide = rows["half_width"].to_numpy(float)
        if not len(wide) or half_width < wide.min():
            return None
        found = np.interp(-np.log(half_width), -np.log(wide), np.log(rows["n"].to_numpy(float)))
        return int(np.ceil(np.exp(found)))


def cost(
    snapshot: Snapshot,
    choice: Evaluation,
    reviews: Reviews | None = None,
    relevant_from: int = RELEVANT_FROM,
    *,
    rounds: int = ROUNDS,
    seed: int = 0,
    progress: Progress = no_progress,
) -> Cost:
    """Simulate campaigns of several sizes and samplers.

    The judgments `official` play the humans where there are some; else answers are drawn with the chance that the
    reviews so far, or the grades alone, give each passage. Raises UsageError where the measure can't be corrected, or
    there is nothing to review.
    """
    truth, source = _humans(snapshot, choice, reviews, relevant_from, seed)
    sizes = [n for n in SIZES if n < len(truth.found)]
    if not sizes:
        raise UsageError(f"The lists hold {len(truth.found)} passages: review all of them.")
    todo = [(sampler, n) for sampler in COMPARED for n in sizes]
    rows = [
        campaigns(snapshot, choice, truth, Campaign(by, n, rounds, seed), part_of(progress, place, len(todo)))
        for place, (by, n) in enumerate(todo)
    ]
    return Cost(ROWS.of(rows), source, len(truth.found))


def _humans(
    snapshot: Snapshot, choice: Evaluation, reviews: Reviews | None, relevant_from: int, seed: int
) -> tuple[KnownCollection, str]:
    if OFFICIAL in qrels_ids(snapshot):
        return truth_of(snapshot, choice, relevant_from), f"The judgments {OFFICIAL} stand for the humans."
    lists = lists_of(snapshot, choice)
    found = population(snapshot, choice, "relevance")
    sampled = sampled_of(lists.book, choice, reviews.rows, relevant_from) if reviews else None
    if sampled and len(sampled.items) >= FEWEST:
        chances = lists.calibrated(sampled).everywhere
        source = f"Simulated humans say yes as often as the {len(sampled.items):,} reviews so far do for such grades."
    else:
        chances = np.zeros(len(lists.features))
        chances[found.pairs] = chance_by_grades(found)
        source = (
            "There are neither judgments nor enough reviews: simulated humans say yes in proportion to the mean grade."
        )
    answers: Floats = (np.random.default_rng(seed).random(len(chances)) < chances).astype(float)
    return KnownCollection(lists, found, answers), source
