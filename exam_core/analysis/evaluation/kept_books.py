"""Which gradebooks are kept in files, and where; each process reads the others from the store."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from exam_core.analysis.evaluation.book_files import open_book
from exam_core.analysis.evaluation.book_writing import nameless_book, write_book
from exam_core.errors import StoreError
from exam_core.measures.gradebook import Gradebook
from exam_core.rights import read_only
from exam_core.store import Snapshot
from exam_core.store.derived_files import FOLDER, alone, derived_file
from exam_core.store.files import files_in

FORMAT = 2
"""Counts up when what is in a file changes, or how it is read from the store."""
ROOM = 16 << 30
"""Bytes of all such files of a store; those that were not opened for longest go first."""
LOCK = ".gradebooks"


class ReadsBook(Protocol):
    """Reads a gradebook from the store: at once, or some of its queries after the other."""

    def __call__(self, *, in_parts: bool) -> Iterable[Gradebook]: ...


def filed(snapshot: Snapshot, asked: tuple[Any, ...], read: ReadsBook) -> Gradebook:
    """The gradebook of a collection: from its file where the collection is large, or else as `read` gives it.

    Where a large one's store can't be written, it is in a temporary file.

    Parameters
    ----------
    asked : what tells it from others of the same collection
    """
    if file := derived_file(snapshot, (FORMAT, asked), "book"):
        path, of = file
        if book := open_book(path, of) or (None if read_only() else _made(path, of, read)):
            return book
        with suppress(OSError):
            return nameless_book(partial(read, in_parts=True))
    (book,) = read(in_parts=False)
    return book


def _made(path: Path, of: str, read: ReadsBook) -> Gradebook | None:
    """The gradebook, opened from its file; None where the store can't be written."""
    store = path.parents[2]
    with suppress(StoreError, OSError), alone(store, LOCK):
        if book := open_book(path, of):
            return book
        write_book(path, partial(read, in_parts=True), of)
        _make_room(store, path)
    return open_book(path, of)


def _make_room(store: Path, newest: Path) -> None:
    """Remove gradebooks and facts of a store until the rest has room; the newest one stays."""
    found = {}
    for path in (*files_in(store, f"*/{FOLDER}/*.book"), *files_in(store, f"*/{FOLDER}/*.fact")):
        with suppress(OSError):
            found[path] = path.stat()
    total = sum(one.st_size for one in found.values())
    for path in sorted(found, key=lambda one: found[one].st_atime_ns):
        if total <= ROOM or path == newest:
            continue
        with suppress(OSError):
            path.unlink()
            total -= found[path].st_size
