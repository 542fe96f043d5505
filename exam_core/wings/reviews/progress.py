"""How far reviewers are with a queue, and with all queues of a collection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import pandas as pd

from exam_core.results import ResultTable, attributes, count, number, text
from exam_core.wings.reviews.queue import Queue, answered_by
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


def progress_of(queue: Queue, reviews: Iterable[Review], reviewer: str, left: int) -> ReviewerProgress:
    """How far a reviewer is, of whom it is known how many items are left for them."""
    by_item = answered_by(queue, (review for review in reviews if review.reviewer == reviewer))
    return _of(reviewer, [by[reviewer] for by in by_item.values() if reviewer in by], left)


def progress_of_all(queue: Queue, reviews: Iterable[Review]) -> list[ReviewerProgress]:
    """As `progress_of`, of everybody who has reviewed something of a queue, by name.

    The reviews are looked at once, and not for each reviewer: there may be hundreds.
    """
    rows = [entry for entry in reviews if entry.queue_id == queue.queue_id]
    done = answered_by(queue, rows)
    theirs: dict[str, list[Review]] = {name: [] for name in sorted({row.reviewer for row in rows})}
    for by in done.values():
        for name, review in by.items():
            theirs[name].append(review)
    had = Counter(name for item in queue.items if item.shared for name in done.get(queue.asked(item), ()))
    free = sum(item.shared or not done.get(queue.asked(item)) for item in queue.items)
    return [_of(name, mine, free - had[name]) for name, mine in theirs.items()]


def _of(reviewer: str, mine: Sequence[Review], left: int) -> ReviewerProgress:
    times = [review.seconds for review in mine if review.seconds is not None]
    answered = sum(item.answer is not None for item in mine)
    return ReviewerProgress(reviewer, answered, len(mine) - answered, left, median(times) if times else None)


ROWS = ResultTable(
    "review list: rows",
    "Queues for review with what each reviewer did, the newest queue first",
    text("queue_id", "Queue", "Names the queue; its beginning is enough.", pinned=True),
    text("created", "Drawn"),
    text("author", "By", "Who drew it."),
    text("task", "Task", "Task: relevance, grade or question."),
    text("sampler", "Sampler", "Sampling: uniform, runs, disagreement or gain."),
    count("items", "Items", unit="items"),
    count("shared", "For everybody", "Items that every reviewer gets.", "items"),
    text("reviewer", "Reviewer", "Empty if nobody has begun."),
    count("answered", "Answered", "Items that this reviewer answered.", "items"),
    count("skipped", "Skipped", "Items that this reviewer skipped.", "items"),
    count(
        "left", "Left", "Items that this reviewer can still get; others may take those that are not shared.", "items"
    ),
    number("seconds", "Each", "Median, without time in which the tab was hidden.", "s", form="%.1f"),
)


@dataclass(frozen=True)
class QueueProgress:
    """What was done of the queues of a collection.

    Parameters
    ----------
    rows : as `ROWS` has them
    reviews : all reviews of the collection, superseded ones too
    elsewhere : those of them that are of none of these queues
    """

    rows: pd.DataFrame
    reviews: int
    elsewhere: int


def progress(queues: Iterable[Queue], reviews: Sequence[Review]) -> QueueProgress:
    """What each reviewer did of each queue."""
    by_queue: dict[str | None, list[Review]] = {}
    for review in reviews:
        by_queue.setdefault(review.queue_id, []).append(review)
    rows: list[dict[str, Any]] = []
    for queue in queues:
        rows += _of_queue(queue, by_queue.pop(queue.queue_id, []))
    return QueueProgress(
        ROWS.of(pd.DataFrame(rows, columns=ROWS.names)), len(reviews), sum(map(len, by_queue.values()))
    )


def _of_queue(queue: Queue, reviews: list[Review]) -> list[dict[str, Any]]:
    about = attributes(queue, "queue_id", "created", "author", "task", "sampler")
    about |= {"items": len(queue.items), "shared": sum(item.shared for item in queue.items)}
    far = progress_of_all(queue, reviews) or [progress_of(queue, [], "", len(queue.items))]
    return [about | asdict(reviewer_progress) for reviewer_progress in far]
