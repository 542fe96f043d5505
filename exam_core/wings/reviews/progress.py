"""How far reviewers are with a queue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from exam_core.wings.reviews.queue import Queue, answered_by, to_do
from exam_core.wings.reviews.review import Review


@dataclass(frozen=True)
class ReviewerProgress:
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


def progress_of(queue: Queue, reviews: Iterable[Review], reviewer: str, *, left: int | None = None) -> ReviewerProgress:
    """How far a reviewer is; somebody who has reviewed nothing yet has all of what is left before them.

    Parameters
    ----------
    left : how many items are left for them, where that is known already
    """
    rows = [one for one in reviews if one.queue_id == queue.queue_id]
    by_item = answered_by(queue, [one for one in rows if one.reviewer == reviewer])
    mine = [by[reviewer] for by in by_item.values() if reviewer in by]
    return _of(reviewer, mine, len(to_do(queue, rows, reviewer)) if left is None else left)


def progress_of_all(queue: Queue, reviews: Iterable[Review]) -> list[ReviewerProgress]:
    """As `progress_of`, of everybody who has reviewed something of a queue, by name.

    The reviews are looked at once, and not for each reviewer: there may be hundreds.
    """
    rows = [one for one in reviews if one.queue_id == queue.queue_id]
    done = answered_by(queue, rows)
    theirs: dict[str, list[Review]] = {name: [] for name in sorted({one.reviewer for one in rows})}
    for by in done.values():
        for name, review in by.items():
            theirs[name].append(review)
    had = Counter(name for item in queue.items if item.shared for name in done.get(queue.asked(item), ()))
    free = sum(item.shared or not done.get(queue.asked(item)) for item in queue.items)
    return [_of(name, mine, free - had[name]) for name, mine in theirs.items()]


def _of(reviewer: str, mine: Sequence[Review], left: int) -> ReviewerProgress:
    times = [one.seconds for one in mine if one.seconds is not None]
    answered = sum(one.answer is not None for one in mine)
    return ReviewerProgress(reviewer, answered, len(mine) - answered, left, median(times) if times else None)
