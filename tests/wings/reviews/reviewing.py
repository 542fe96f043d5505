"""Queues that the judgments of a collection answer, as if they were people."""

from __future__ import annotations

from pathlib import Path

from exam_core.request import Request
from exam_core.store import Store
from exam_core.wings.reviews import actions
from exam_core.wings.reviews.queue import Draw, Queue


def reviewed(
    store: Path, collection: str, asked: Request, draw: Draw, *, by: tuple[str, ...] = ("Ann", "Bob")
) -> Queue:
    """Draw a queue, and let the judgments `official` answer all of it in the name of some people."""
    there = Store(store)
    rows = there.snapshot(collection).query(
        "SELECT query_id, doc_id, relevance FROM judgments WHERE qrels_id = 'official'"
    )
    known = dict(zip(zip(rows["query_id"], rows["doc_id"], strict=True), rows["relevance"], strict=True))
    queue = actions.draw_queue(there, collection, asked, draw)
    answers = [
        queue.review(
            item, by[place % len(by)], max(int(known.get((item.query_id, item.doc_id or ""), 0)), 0), seconds=3.0
        )
        for place, item in enumerate(queue.items)
    ]
    actions.record_reviews(there, collection, answers)
    return queue
