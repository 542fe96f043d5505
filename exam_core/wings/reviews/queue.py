"""A queue: items that were drawn at known probabilities, for one or several people to review."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

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

    def asked(self, item: Item) -> ReviewedItem:
        """What a review of an item is about."""
        return ReviewedItem(self.task, item.query_id, item.doc_id, item.question_id)

    def review(
        self,
        item: Item,
        reviewer: str,
        answer: int | None,
        *,
        skipped: str | None = None,
        note: str | None = None,
        shown: bool = False,
        seconds: float | None = None,
    ) -> Review:
        """A review of an item of this queue, made now."""
        return Review(
            review_id=new_id(),
            reviewer=reviewer,
            created=now(),
            task=self.task,
            query_id=item.query_id,
            doc_id=item.doc_id,
            question_id=item.question_id,
            answer=answer,
            skipped=skipped,
            note=note,
            instruction=self.instruction or None,
            shown=shown,
            seconds=seconds,
            queue_id=self.queue_id,
            sampler=self.sampler,
            seed=self.seed,
            drawn=len(self.items),
            stratum=item.stratum,
            probability=item.probability,
        )


TAKEN_BACK = "taken back"
"""Why a review has no answer whose answer was undone: the item comes again."""


def answered_by(queue: Queue, reviews: Iterable[Review]) -> dict[ReviewedItem, dict[str, Review]]:
    """The newest review of each item of a queue by each reviewer; also skipped ones, but none that was taken back."""
    latest: dict[ReviewedItem, dict[str, Review]] = {}
    for review in sorted(reviews, key=lambda one: one.created):
        if review.queue_id == queue.queue_id:
            latest.setdefault(review.about, {})[review.reviewer] = review
    return {about: {who: one for who, one in by.items() if one.skipped != TAKEN_BACK} for about, by in latest.items()}


def to_do(queue: Queue, reviews: Iterable[Review], reviewer: str, taken: Collection[ReviewedItem] = ()) -> list[Item]:
    """What is left for a reviewer, in order: what everybody gets, and what nobody has answered yet.

    Parameters
    ----------
    taken : what others have before them at this moment; left out
    """
    done = answered_by(queue, reviews)
    left = []
    for item in queue.items:
        about = queue.asked(item)
        by = done.get(about, {})
        theirs = reviewer in by if item.shared else bool(by)
        if not theirs and (item.shared or about not in taken):
            left.append(item)
    return left
