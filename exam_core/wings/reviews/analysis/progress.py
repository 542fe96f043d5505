"""How far people are with the queues of a collection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from exam_core.results import ResultTable, count, number, text
from exam_core.wings.reviews.progress import progress_of, progress_of_all
from exam_core.wings.reviews.queue import Queue
from exam_core.wings.reviews.review import Review

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
    about = {
        "queue_id": queue.queue_id,
        "created": queue.created,
        "author": queue.author,
        "task": queue.task,
        "sampler": queue.sampler,
        "items": len(queue.items),
        "shared": sum(item.shared for item in queue.items),
    }
    far = progress_of_all(queue, reviews) or [progress_of(queue, reviews, "")]
    return [about | asdict(one) for one in far]
