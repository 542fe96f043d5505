"""Writing reviews and notes down, a line each, on disk before it is acknowledged; and queues, which never change."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from exam_core.errors import StoreError
from exam_core.flushing import make_folder
from exam_core.reviews.note import Note
from exam_core.reviews.queue import Queue
from exam_core.reviews.review import Review
from exam_core.store.files import folder_name, sealed, write_once
from exam_core.store.growing import add, held
from exam_core.store.layout import refuse_later
from exam_core.store.notes import NOTES
from exam_core.store.reviews import FOLDER, QUEUES
from exam_core.store.store import Store


def add_reviews(store: Store, collection: str, reviews: Sequence[Review]) -> None:
    """Write reviews down; when this returns they are on disk.

    Raises
    ------
    StoreError : they can't be written
    """
    refuse_later(store.path)
    by_file: dict[Path, list[bytes]] = {}
    for review in reviews:
        by_file.setdefault(_path(store, collection, review), []).append(msgspec.json.encode(review))
    for path, lines in by_file.items():
        _append(path, lines)


def add_note(store: Store, collection: str, note: Note) -> None:
    """Write a note down, or that it was removed or brought back; when this returns it is on disk.

    Raises
    ------
    StoreError : it can't be written
    """
    refuse_later(store.path)
    path = store.path / folder_name(collection) / NOTES / f"{_hashed(note.author)}.jsonl"
    _append(path, [msgspec.json.encode(note)])


def save_queue(store: Store, collection: str, queue: Queue) -> None:
    """Keep a queue for reviewers to work on.

    Raises
    ------
    StoreError : it can't be written
    """
    refuse_later(store.path)
    path = store.path / folder_name(collection) / FOLDER / QUEUES / f"{queue.created[:10]}-{queue.queue_id}.json"
    write_once(path, sealed(msgspec.json.encode(queue)))


def _path(store: Store, collection: str, review: Review) -> Path:
    who = _hashed(review.reviewer)
    return store.path / folder_name(collection) / FOLDER / f"{folder_name(review.queue_id or 'by-hand')}.{who}.jsonl"


def _hashed(name: str) -> str:
    """A person's name may be anything: the file has a hash of it."""
    return hashlib.sha256(name.encode()).hexdigest()[:12]


def _append(path: Path, contents: Sequence[bytes]) -> None:
    try:
        make_folder(path.parent)
        with held(path, "a+b") as file:
            add(file, path, contents)
    except OSError as error:
        raise StoreError(f"{path}: can't be written ({error.strerror}). Check the free space.") from None
