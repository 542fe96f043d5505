"""Queues of real items of a collection, for tests of what is done with them."""

from __future__ import annotations

import random
from pathlib import Path

from msgspec.structs import replace

from exam_core.people import new_id, now
from exam_core.store import Store
from exam_core.wings.reviews.queue import Item, Queue
from exam_core.wings.reviews.records import save_queue
from exam_core.wings.reviews.review import Task

_ITEMS: dict[Task, str] = {
    "relevance": "SELECT DISTINCT query_id, doc_id, NULL AS question_id FROM grades ORDER BY ALL",
    "grade": "SELECT DISTINCT query_id, doc_id, question_id FROM grades WHERE question_id IS NOT NULL ORDER BY ALL",
    "question": "SELECT DISTINCT query_id, NULL AS doc_id, question_id FROM questions ORDER BY ALL",
}


def made(*items: Item, **more: object) -> Queue:
    """A queue that nobody drew, with these items."""
    given: dict[str, object] = {
        "queue_id": "f" * 32,
        "created": "2026-01-01T00:00:00.000+00:00",
        "author": "Carol",
        "task": "relevance",
    }
    given |= {"sampler": "uniform", "seed": 0, "population": 9, "items": items}
    return Queue(**given | more)  # type: ignore[arg-type]


def a_queue(store: Path, collection: str, task: Task, *, n: int, shared: int = 0, **more: object) -> Queue:
    """A queue in a store: n items, always the same, of which the first ones are for everybody."""
    held = Store(store)
    rows = held.snapshot(collection).query(_ITEMS[task]).astype(object)
    every = rows.where(rows.notna(), None).itertuples(index=False)
    items = random.Random(0).sample([replace(Item(*row), probability=0.25) for row in every], n)
    given = {"queue_id": new_id(), "created": now(), "task": task, "population": len(rows)}
    shown = (replace(one, shared=place < shared) for place, one in enumerate(items))
    queue = made(*shown, **given | more)
    save_queue(held, collection, queue)
    return queue
