"""Writing reviews down, a line each, on disk before it is acknowledged; and queues, which never change."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from exam_core.store.files import folder_name, sealed, write_once
from exam_core.store.journals import append, hashed
from exam_core.store.layout import refuse_later
from exam_core.store.store import Store
from exam_core.wings.reviews.queue import Queue
from exam_core.wings.reviews.review import Review
from exam_core.wings.reviews.store.reviews import FOLDER, QUEUES


def add_reviews(store: Store, collection: str, reviews: Sequence[Review]) -> None:
    """Write reviews down; when this returns they are on disk. Raises StoreError where they can't be written."""
    refuse_later(store.path)
    by_file: dict[Path, list[bytes]] = {}
    for review in reviews:
        by_file.setdefault(_path(store, collection, review), []).append(msgspec.json.encode(review))
    for path, lines in by_file.items():
        append(path, lines)


def save_queue(store: Store, collection: str, queue: Queue) -> None:
    """Keep a queue for reviewers to work on. Raises StoreError where it can't be written."""
    refuse_later(store.path)
    path = store.path / folder_name(collection) / FOLDER / QUEUES / f"{queue.created[:10]}-{queue.queue_id}.json"
    write_once(path, sealed(msgspec.json.encode(queue)))


def _path(store: Store, collection: str, review: Review) -> Path:
    who = hashed(review.reviewer)
    return store.path / folder_name(collection) / FOLDER / f"{folder_name(review.queue_id or 'by-hand')}.{who}.jsonl"
