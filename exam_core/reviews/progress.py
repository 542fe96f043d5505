"""How far reviewers are with a queue."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from exam_core.reviews.queue import Queue, answered_by, to_do
from exam_core.reviews.review import Review


@dataclass(frozen=True)
class Progress:
    """What a reviewer did in a queue, and what is left for them.

    Parameters
    ----------
    left : items that everybody gets and they have not had, and items that nobody has answered yet
    seconds : of an item, in the middle (median); None where no time was taken
    """

    reviewer: str
    answered: int
    skipped: int
    left: int
    seconds: float | None


def progress_of(queue: Queue, reviews: Iterable[Review], reviewer: str, *, left: int | None = None) -> Progress:
    """How far a reviewer is; somebody who has reviewed nothing yet has all of what is left before them.

    Parameters
    ----------
    left : how many items are left for them, where that is known already
    """
    rows = [one for one in reviews if one.queue_id == queue.queue_id]
    by_item = answered_by(queue, [one for one in rows if one.reviewer == reviewer])
    mine = [by[reviewer] for by in by_item.values() if reviewer in by]
    times = [one.seconds for one in mine if one.seconds is not None]
    return Progress(
        reviewer,
        sum(one.answer is not None for one in mine),
        sum(one.answer is None for one in mine),
        len(to_do(queue, rows, reviewer)) if left is None else left,
        median(times) if times else None,
    )


def reviewers_of(queue: Queue, reviews: Iterable[Review]) -> list[str]:
    """Who has reviewed something of a queue, by name."""
    return sorted({one.reviewer for one in reviews if one.queue_id == queue.queue_id})
