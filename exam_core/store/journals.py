"""Writing down what people say, a line each, on disk before it is acknowledged."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from exam_core.errors import StoreError
from exam_core.flushing import make_folder
from exam_core.note import Note
from exam_core.store.append_only import add, held
from exam_core.store.files import folder_name
from exam_core.store.layout import refuse_later
from exam_core.store.notes import NOTES
from exam_core.store.store import Store


def add_note(store: Store, collection: str, note: Note) -> None:
    """Write a note down, or that it was removed or brought back; when this returns it is on disk.

    Raises StoreError where it can't be written.
    """
    refuse_later(store.path)
    path = store.path / folder_name(collection) / NOTES / f"{hashed(note.author)}.jsonl"
    append(path, [msgspec.json.encode(note)])


def hashed(name: str) -> str:
    """A person's name may be anything: the file has a hash of it."""
    return hashlib.sha256(name.encode()).hexdigest()[:12]


def append(path: Path, contents: Sequence[bytes]) -> None:
    """Write lines at the end of a file; when this returns they are on disk."""
    try:
        make_folder(path.parent)
        with held(path, "a+b") as file:
            add(file, path, contents)
    except OSError as error:
        raise StoreError(f"{path}: can't be written ({error.strerror}). Check the free space.") from None
