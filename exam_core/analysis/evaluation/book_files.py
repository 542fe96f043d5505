"""Gradebooks on disk: made once of a large collection, then mapped into memory by every process that asks."""

from __future__ import annotations

import hashlib
import mmap
import os
import struct
import time
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, overload

import msgspec
import numpy as np
import pyarrow as pa

from exam_core.measures.bit_words import Words
from exam_core.measures.gradebook import Gradebook
from exam_core.rights import read_only

ENDING = struct.Struct("<16sQ8s")
"""How a file ends: hash and length of its contents, which stand before it, and what kind of file it is."""
MAGIC = b"EXAMBOOK"
ALIGNED = 64
TEXTS = {name: (f"{name}: ends", f"{name}: letters") for name in ("docs", "questions")}
COUNTS = "questions: of each query"
_PIECE = 4 << 20
"""Bytes of a checksum."""


class Stored(msgspec.Struct):
    """Where an array stands in a file."""

    kind: str
    shape: tuple[int, ...]
    start: int


class Contents(msgspec.Struct):
    """What a file says of itself, behind its arrays.

    Parameters
    ----------
    of : what it is the gradebook of, as its name says
    end : where its arrays end
    checks : checksums of these, for pieces of equal size
    levels : of its bit words
    """

    of: str
    end: int
    checks: list[int]
    arrays: dict[str, Stored]
    levels: int
    has_unreadable: bool
    run_ids: list[str]
    query_ids: list[str]
    ungraded_pairs: int
    ungraded_queries: list[str]
    depth: int | None


class Names(Sequence[list[str]]):
    """Names of each query's questions in a file; only those that are asked for become texts of Python."""

    def __init__(self, lists: pa.ListArray) -> None:
        self._lists = lists

    @overload
    def __getitem__(self, at: int) -> list[str]: ...
    @overload
    def __getitem__(self, at: slice) -> Names: ...
    def __getitem__(self, at: int | slice) -> list[str] | Names:
        if isinstance(at, slice):
            return Names(self._lists[at])
        names: list[str] = self._lists[int(at)].as_py()
        return names

    def __len__(self) -> int:
        return len(self._lists)

    def __iter__(self) -> Iterator[list[str]]:
        for some in range(0, len(self), _AT_ONCE):
            yield from self._lists[some : some + _AT_ONCE].to_pylist()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    @property
    def together(self) -> pa.Array:
        """The names of all queries' questions, one after the other."""
        return self._lists.flatten()

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)  # pyarrow would send what the others are called, too


_AT_ONCE = 10_000


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
            if of not in (None, contents.of) or checksums(file.fileno(), contents.end) != contents.checks:
                return None
        book = mapped_book(mapped, contents)
    except (OSError, ValueError, struct.error, msgspec.MsgspecError, pa.ArrowInvalid):
        return None
    if not read_only():
        with suppress(OSError):  # another one's file, or a store that can't be written
            os.utime(path, ns=(time.time_ns(), seen.st_mtime_ns))
    return book


def _contents(mapped: mmap.mmap) -> Contents:
    """What a file says of itself; ValueError if it is cut, or another kind of file."""
    last = len(mapped) - ENDING.size
    digest, length, magic = ENDING.unpack_from(mapped, max(last, 0))
    said = mapped[max(last - length, 0) : last]
    if magic != MAGIC or digest_of(said) != digest:
        raise ValueError("no gradebook")
    contents = msgspec.json.decode(said, type=Contents)
    if contents.end + length != last:
        raise ValueError("cut")
    return contents


def checksums(file: int, end: int) -> list[int]:
    """Checksums of a file's beginning: 5 GB/s and thread, and what is read is not held, as what is mapped is."""
    pieces = range(0, end, _PIECE)
    workers = min(os.cpu_count() or 1, len(pieces)) or 1

    def some(first: int) -> list[int]:
        buffer = memoryview(bytearray(_PIECE))
        found = []
        for start in pieces[first::workers]:
            size = os.preadv(file, [buffer[: end - start]], start)
            found.append(zlib.crc32(buffer[:size]))
        return found

    with ThreadPoolExecutor(workers) as pool:
        by_worker = list(pool.map(some, range(workers)))
    return [by_worker[number % workers][number // workers] for number in range(len(pieces))]


def mapped_book(mapped: mmap.mmap, contents: Contents) -> Gradebook:
    """The gradebook whose arrays are mapped into memory."""
    arrays: dict[str, Any] = {
        name: np.ndarray(one.shape, one.kind, mapped, one.start) for name, one in contents.arrays.items()
    }
    bits = arrays.pop("bits", None)
    docs = _texts(*(arrays.pop(name) for name in TEXTS["docs"]))
    names: Sequence[list[str]] = []
    if COUNTS in arrays:
        ends = np.r_[0, np.cumsum(arrays.pop(COUNTS))].astype(np.int32)
        questions = _texts(*(arrays.pop(name) for name in TEXTS["questions"]))
        names = Names(pa.ListArray.from_arrays(pa.array(ends), questions))
    book = Gradebook(
        run_ids=contents.run_ids,
        query_ids=contents.query_ids,
        question_ids=names,
        docs=docs,
        ungraded_pairs=contents.ungraded_pairs,
        ungraded_queries=contents.ungraded_queries,
        depth=contents.depth,
        **arrays,
    )
    vars(book)["has_unreadable"] = contents.has_unreadable
    if bits is not None:
        vars(book)["words"] = Words(bits, contents.levels, book.grades.shape[1])
    return book


def _texts(ends: Any, letters: Any) -> pa.Array:
    kind = pa.StringArray if ends.dtype.itemsize == 4 else pa.LargeStringArray
    return kind.from_buffers(len(ends) - 1, pa.py_buffer(ends), pa.py_buffer(letters))


def digest_of(said: bytes) -> bytes:
    """A hash of what a file says of itself."""
    return hashlib.blake2b(said, digest_size=16).digest()
