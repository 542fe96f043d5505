"""Gradebooks on disk: made once of a large collection, then mapped into memory by every process that asks."""

from __future__ import annotations

import hashlib
import mmap
import os
import struct
import time
import zlib
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np
import pyarrow as pa

from exam_core.errors import StoreError
from exam_core.measures.bit_words import Words
from exam_core.measures.gradebook import Gradebook
from exam_core.rights import read_only
from exam_core.store import Snapshot
from exam_core.store.files import files_in, placing
from exam_core.store.gradebook_files import FOLDER
from exam_core.store.locking import locked

FORMAT = 1
"""Counts up when what is in a file changes, or how it is read from the store."""
LARGE = 8 << 20
"""Bytes of grades, rankings and judgments in the store from which a gradebook is kept in a file."""
ROOM = 16 << 30
"""Bytes of all such files of a store; those that were not opened for longest go first."""
LOCK = ".gradebooks"
_MAGIC = b"EXAMBOOK"
_LAST = struct.Struct("<16sQ8s")
"""How a file ends: hash and length of its contents, which stand before it, and what kind of file it is."""
_ALIGNED = 64
_PIECE = 4 << 20
"""Bytes that are held at a time while a file is compared with what it says of itself."""
_ARRAYS = ("pair_query", "grades", "enabled", "weights", "slots", "missing", "importance", "avoided", "of_bank")


class _Array(msgspec.Struct):
    kind: str
    shape: tuple[int, ...]
    start: int


class _Contents(msgspec.Struct):
    of: str
    end: int
    crc: int
    arrays: dict[str, _Array]
    docs: tuple[int, int]
    levels: int
    run_ids: list[str]
    query_ids: list[str]
    question_ids: list[list[str]]
    ungraded_pairs: int
    ungraded_queries: list[str]
    depth: int | None


def filed(snapshot: Snapshot, asked: tuple[Any, ...], read: Callable[[], Gradebook]) -> Gradebook:
    """The gradebook of a collection: from its file where the collection is large, or else as `read` gives it.

    Parameters
    ----------
    asked : what tells it from others of the same collection
    """
    if snapshot.folder is None or _bytes(snapshot) < LARGE:
        return read()
    said = (snapshot.collection, snapshot.fingerprint, snapshot.left_out, snapshot.aliases, snapshot.tags)
    of = hashlib.blake2b(repr((FORMAT, said, asked)).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    path = snapshot.folder / FOLDER / f"{snapshot.fingerprint}-{of}.book"
    if book := open_book(path, of):
        return book
    if read_only():
        return read()
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(snapshot.folder.parent, LOCK))
        except StoreError:
            return read()  # The store can't be written, or another gradebook takes long.
        if book := open_book(path, of):
            return book
        book = read()
        try:
            write_book(path, book, of)
            _make_room(snapshot.folder.parent, path)
        except (StoreError, OSError):
            return book
    return open_book(path, of) or book


def _bytes(snapshot: Snapshot) -> int:
    """Of the files that a gradebook is read from."""
    total = 0
    for table in ("grades", "rankings", "judgments"):
        for path in snapshot.files.get(table, ()):
            with suppress(OSError):
                total += path.stat().st_size
    return total


def open_book(path: Path, of: str | None = None) -> Gradebook | None:
    """The gradebook in a file, mapped into memory; None if there is none, or it is not as it was written.

    It needs no store, so that a worker process can open what another one made. `Gradebook.of_queries` takes a part.

    Parameters
    ----------
    of : what it has to be of, as its name says
    """
    try:
        with path.open("rb") as file:
            seen = os.fstat(file.fileno())
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            contents = _contents(mapped)
            if of not in (None, contents.of) or _crc(file, contents.end) != contents.crc:
                return None
        book = _mapped(mapped, contents)
    except (OSError, ValueError, struct.error, msgspec.MsgspecError, pa.ArrowInvalid):
        return None
    if not read_only():
        with suppress(OSError):  # another one's file, or a store that can't be written
            os.utime(path, ns=(time.time_ns(), seen.st_mtime_ns))
    return book


def _contents(mapped: mmap.mmap) -> _Contents:
    """What a file says of itself; ValueError if it is cut, or another kind of file."""
    last = len(mapped) - _LAST.size
    digest, length, magic = _LAST.unpack_from(mapped, max(last, 0))
    said = mapped[max(last - length, 0) : last]
    if magic != _MAGIC or _digest(said) != digest:
        raise ValueError("no gradebook")
    contents = msgspec.json.decode(said, type=_Contents)
    if contents.end + length != last:
        raise ValueError("cut")
    return contents


def _crc(file: BinaryIO, end: int) -> int:
    """The checksum of a file's beginning: 6 GB/s, and what is read is not counted as memory, as what is mapped is."""
    file.seek(0)
    found = 0
    while piece := file.read(min(_PIECE, end - file.tell())):
        found = zlib.crc32(piece, found)
    return found


def _mapped(mapped: mmap.mmap, contents: _Contents) -> Gradebook:
    arrays: dict[str, Any] = {
        name: np.ndarray(one.shape, one.kind, mapped, one.start) for name, one in contents.arrays.items()
    }
    bits = arrays.pop("bits")
    start, end = contents.docs
    with pa.ipc.open_stream(pa.py_buffer(mapped)[start:end]) as stream:
        docs = stream.read_next_batch().column(0)
    book = Gradebook(
        run_ids=contents.run_ids,
        query_ids=contents.query_ids,
        question_ids=contents.question_ids,
        docs=docs,
        ungraded_pairs=contents.ungraded_pairs,
        ungraded_queries=contents.ungraded_queries,
        depth=contents.depth,
        **arrays,
    )
    vars(book)["words"] = Words(bits, contents.levels, book.grades.shape[1])
    return book


def write_book(path: Path, book: Gradebook, of: str) -> None:
    """Write a gradebook to a file that is there whole or not at all. Raises StoreError where it can't be written."""
    with placing(path) as aside, aside.open("w+b") as file:
        held = {name: getattr(book, name) for name in _ARRAYS} | {"bits": book.words.bits}
        arrays = {name: _put(file, array) for name, array in held.items() if array is not None}
        docs = _put_docs(file, book.docs)
        end = file.tell()
        contents = _Contents(
            of,
            end,
            _crc(file, end),
            arrays,
            docs,
            book.words.levels,
            book.run_ids,
            book.query_ids,
            book.question_ids,
            book.ungraded_pairs,
            book.ungraded_queries,
            book.depth,
        )
        said = msgspec.json.encode(contents)
        file.write(said + _LAST.pack(_digest(said), len(said), _MAGIC))
        file.flush()
        os.fsync(file.fileno())


def _put(file: BinaryIO, array: Any) -> _Array:
    start = _align(file)
    file.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return _Array(array.dtype.str, array.shape, start)


def _put_docs(file: BinaryIO, docs: Any) -> tuple[int, int]:
    start = _align(file)
    batch = pa.record_batch([docs], ["doc_id"])
    with pa.ipc.new_stream(file, batch.schema) as stream:
        stream.write_batch(batch)
    return start, file.tell()


def _align(file: BinaryIO) -> int:
    file.write(bytes(-file.tell() % _ALIGNED))
    return file.tell()


def _digest(said: bytes) -> bytes:
    return hashlib.blake2b(said, digest_size=16).digest()


def _make_room(store: Path, newest: Path) -> None:
    """Remove gradebooks of a store until the rest has room; the newest one stays."""
    found = {}
    for path in files_in(store, f"*/{FOLDER}/*.book"):
        with suppress(OSError):
            found[path] = path.stat()
    total = sum(one.st_size for one in found.values())
    for path in sorted(found, key=lambda one: found[one].st_atime_ns):
        if total <= ROOM or path == newest:
            continue
        with suppress(OSError):
            path.unlink()
            total -= found[path].st_size
