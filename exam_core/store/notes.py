"""Notes on passages as the store holds them: a file of lines for each author, and no part of the fingerprint."""

from __future__ import annotations

from collections.abc import Iterator

from exam_core.note import Note
from exam_core.store.append_only import grown
from exam_core.store.files import files_in, folder_name
from exam_core.store.store import Store

NOTES = "notes"


def notes_of(store: Store, collection: str) -> list[Note]:
    """The notes of a collection, the oldest first; without those that were removed.

    Raises StoreError where a file of them can't be read.
    """
    return [note for note in _latest(store, collection).values() if not note.removed]


def note_named(store: Store, collection: str, note_id: str) -> Note | None:
    """A note by its id, also one that was removed; errors as `notes_of`."""
    return _latest(store, collection).get(note_id)


def _latest(store: Store, collection: str) -> dict[str, Note]:
    """Of each note the last line, by the time when it was written first."""
    found = {note.note_id: note for note in _lines(store, collection)}
    return dict(sorted(found.items(), key=lambda item: (item[1].created, item[0])))


def _lines(store: Store, collection: str) -> Iterator[Note]:
    if not store.is_file:
        for path in files_in(store.path / folder_name(collection) / NOTES, "*.jsonl"):
            yield from grown(path, Note)[0]
