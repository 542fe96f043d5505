"""A queue: items that were drawn at known probabilities, for one or several people to review."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from exam_core.people import Time, new_id, now
from exam_core.wings.reviews.review import Probability, Review, ReviewedItem, Sampler, Task, Whole


class Item(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is to be reviewed.

    Parameters
    ----------
    probability : with which it came into the queue
    shared : whether every reviewer gets it, so that they can be compared
    """

    query_id: str
    doc_id: str | None = None
    question_id: str | None = None
    probability: Probability | None = None
    stratum: str | None = None
    shared: bool = False


class ItemTexts(NamedTuple):
    """What is known of an item in words; empty where only the id is known."""

    query_text: str = ""
    question_text: str = ""
    passage_text: str = ""


class Queue(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A sample, in random order: whoever stops early has reviewed a random part of it.

    Parameters
    ----------
    population : how many items it was drawn from
    instruction : what reviewers are told to do
    evaluation : of which runs, depth, bank and grader it was drawn: the words of `exam_core.asked.Asked`
    items : in the order in which they are given out
    """

    queue_id: str
    created: Time
    author: str
    task: Task
    sampler: Sampler
    seed: Whole
    population: Whole
    items: tuple[Item, ...]
    instruction: str = ""
    evaluation: dict[str, Any] = {}

    def __hash__(self) -> int:
        return hash(self.queue_id)

    def asked(self, item: Item) -> ReviewedItem:
        """What a review of an item is about."""
        return ReviewedItem(self.task, item.query_id, item.doc_id, item.question_id)

    def design(self, item: Item) -> dict[str, Any]:
        """How an item came to be reviewed, by the fields of a review."""
        return {
            "queue_id": self.queue_id,
            "sampler": self.sampler,
            "seed": self.seed,
            "drawn": len(self.items),
            "stratum": item.stratum,
            "probability": item.probability,
            "instruction": self.instruction or None,
        }

    def review(self, item: Item, reviewer: str, answer: int | None, **said: Any) -> Review:
        """A review of an item of this queue, made now; `said` is by its other fields."""
        known = {"review_id": new_id(), **self.asked(item)._asdict(), **self.design(item), **said}
        return Review(reviewer=reviewer, created=now(), answer=answer, **known)


TAKEN_BACK = "taken back"
"""Why a review has no answer whose answer was undone: the item comes again."""


def answered_by(queue: Queue, reviews: Iterable[Review]) -> dict[ReviewedItem, dict[str, Review]]:
    """The newest review of each item of a queue by each reviewer; also skipped ones, but none that was taken back."""
    latest: dict[ReviewedItem, dict[str, Review]] = {}
    for review in sorted(reviews, key=lambda one: one.created):
        if review.queue_id == queue.queue_id:
            latest.setdefault(review.about, {})[review.reviewer] = review
    return {about: {who: one for who, one in by.items() if one.skipped != TAKEN_BACK} for about, by in latest.items()}


def to_do(queue: Queue, reviews: Iterable[Review], reviewer: str) -> list[Item]:
    """What is left for a reviewer, in order: what everybody gets, and what nobody has answered yet."""
    done = answered_by(queue, reviews)

    def is_left(item: Item) -> bool:
        by = done.get(queue.asked(item), {})
        return reviewer not in by if item.shared else not by

    return [item for item in queue.items if is_left(item)]
