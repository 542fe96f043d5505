"""The progress of reviewers with a queue, and with all queues of a collection."""

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
    """Progress of a reviewer in a queue.

    `left` counts shared items that the reviewer has not had, and others that nobody has answered. `seconds` is the
    median of an item; None where no time was taken.
    """

    reviewer: str
    answered: int
    skipped: int
    left: int
    seconds: float | None


def progress_of(queue: Queue, reviews: Iterable[Review], reviewer: str, left: int) -> ReviewerProgress:
    """Return a reviewer's progress, of whom the number of items left is known."""
    by_item = answered_by(queue, (review for review in reviews if review.reviewer == reviewer))
    return _progress(reviewer, [by[reviewer] for by in by_item.values() if reviewer in by], left)


def progress_of_all(queue: Queue, reviews: Iterable[Review]) -> list[ReviewerProgress]:
    """Return the progress of everybody who has reviewed something of a queue, by name.

    The reviews are read once, and not for each reviewer: there may be hundreds.
    """
    rows = [review for review in reviews if review.queue_id == queue.queue_id]
    done = answered_by(queue, rows)
    theirs: dict[str, list[Review]] = {name: [] for name in sorted({row.reviewer for row in rows})}
    for by in done.values():
        for name, review in by.items():
            theirs[name].append(review)
    had = Counter(name for item in queue.items if item.shared for name in done.get(queue.asked(item), ()))
    free = sum(item.shared or not done.get(queue.asked(item)) for item in queue.items)
    return [_progress(name, own, free - had[name]) for name, own in theirs.items()]


def _progress(reviewer: str, own: Sequence[Review], left: int) -> ReviewerProgress:
    times = [review.seconds for review in own if review.seconds is not None]
    answered = sum(review.answer is not None for review in own)
    return ReviewerProgress(reviewer, answered, len(own) - answered, left, median(times) if times else None)


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
    """Progress of all queues of a collection: `rows` as `ROWS`, all reviews, and those of none of these queues."""

    rows: pd.DataFrame
    reviews: int
    elsewhere: int


def progress(queues: Iterable[Queue], reviews: Sequence[Review]) -> QueueProgress:
    """Return the progress of each reviewer in each queue."""
    by_queue: dict[str | None, list[Review]] = {}
    for review in reviews:
        by_queue.setdefault(review.queue_id, []).append(review)
    rows: list[dict[str, Any]] = []
    for queue in queues:
        about = attributes(queue, "queue_id", "created", "author", "task", "sampler")
        about |= {"items": len(queue.items), "shared": sum(item.shared for item in queue.items)}
        reviewed = progress_of_all(queue, by_queue.pop(queue.queue_id, []))
        all_progress = reviewed or [progress_of(queue, [], "", len(queue.items))]
        rows += [about | asdict(reviewer_progress) for reviewer_progress in all_progress]
    elsewhere = sum(map(len, by_queue.values()))
    return QueueProgress(ROWS.of(pd.DataFrame(rows, columns=ROWS.names)), len(reviews), elsewhere)
