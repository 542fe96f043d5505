"""Queues for review, drawn at probabilities that are kept."""

from __future__ import annotations

import math
from dataclasses import asdict

import numpy as np

from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.choosing import choose
from exam_core.asked import RELEVANT_FROM, Asked
from exam_core.numbers.arrays import Floats
from exam_core.people import new_id, now
from exam_core.store import Snapshot
from exam_core.wings.reviews.analysis.population import Population, disagreement, population
from exam_core.wings.reviews.draw import Draw
from exam_core.wings.reviews.numbers.probability_sampling import inclusion_probabilities, pivotal
from exam_core.wings.reviews.queue import Item, Queue
from exam_core.wings.reviews.review import Sampler

LEAST_SURE = 0.3
"""The smallest standard deviation of an answer that is reckoned with: grades may be sure and wrong."""


def drawn(snapshot: Snapshot, asked: Asked, draw: Draw, author: str) -> Queue:
    """A queue of items of the runs' lists, in random order.

    Raises UsageError where there is nothing to review, or nobody who disagrees.
    """
    # Lists are read down to the depth; what is measured on them does not matter.
    choice = choose(snapshot, asked.but(measure="P@1"))
    found = population(snapshot, choice, draw.task)
    # No run holds a question: all are alike, unless passages part them.
    by: Sampler = "uniform" if draw.task == "question" and draw.by != "disagreement" else draw.by
    probabilities = inclusion_probabilities(sizes(snapshot, choice, found, by, asked.relevant_from), draw.n)
    rng = np.random.default_rng(draw.seed)
    sample = pivotal(probabilities, rng)
    shared = math.ceil(len(sample) * draw.shared / 100)
    items = []
    for place, at in enumerate(sample):
        query_id, doc_id, question_id = found.named(int(at))
        chance = min(float(probabilities[at]), 1.0)
        items.append(Item(query_id, doc_id, question_id, chance, found.stratum, place < shared))
    return Queue(
        queue_id=new_id(),
        created=now(),
        author=author,
        task=draw.task,
        sampler=by,
        seed=draw.seed,
        population=len(found),
        items=tuple(items),
        instruction=draw.instruction.strip(),
        evaluation={name: value for name, value in asdict(asked).items() if name not in ("measure", "reference")},
    )


def sizes(
    snapshot: Snapshot, choice: Evaluation, found: Population, by: Sampler, relevant_from: int = RELEVANT_FROM
) -> Floats:
    """(N,) what probabilities are in proportion to.

    - uniform: all alike
    - runs: the square root of how many runs hold the passage. Its error counts in each of them, and the sum of the
      runs' variances is smallest by the root (Neyman 1934), not by the number
    - disagreement: see `disagreement`
    - gain: as runs, times how unsure an answer is by the grades

    Raises UsageError where nobody disagrees.
    """
    if by == "disagreement":
        return disagreement(snapshot, choice, found, relevant_from)
    if by == "uniform":
        return np.ones(len(found))
    spread = unsure(found) if by == "gain" else 1.0
    return np.sqrt(found.runs) * spread


def unsure(found: Population) -> Floats:
    """(N,) standard deviation of a yes or no as far as grades tell."""
    chance = chance_by_grades(found)
    return np.maximum(np.sqrt(chance * (1 - chance)), LEAST_SURE)


def chance_by_grades(found: Population) -> Floats:
    """(N,) an item's mean grade as a share of the scale: a first guess of how likely a human says yes."""
    book = found.book
    if found.task == "grade":
        grades = book.grades[found.pairs, found.columns][:, None].astype(float)
        asked = np.ones_like(grades, bool)
    else:
        grades = book.grades[found.pairs].astype(float)
        asked = book.enabled[found.queries] & (grades >= 0)
    mean = np.where(asked, grades, 0).sum(axis=1) / np.maximum(asked.sum(axis=1), 1)
    return np.minimum(mean / found.largest, 1.0)
