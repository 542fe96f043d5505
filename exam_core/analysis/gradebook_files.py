"""Gradebooks of large collections: made in parts, kept in files, and read from there."""

from __future__ import annotations

import hashlib
import mmap
import os
import struct
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import accumulate, chain, product
from pathlib import Path
from typing import Any, BinaryIO, Protocol, overload

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from exam_core.errors import StoreError
from exam_core.measures.bit_words import HIGHEST_TAU, PADDING, Words, pack
from exam_core.measures.gradebook import NOTHING, Gradebook
from exam_core.numbers.arrays import slices
from exam_core.rights import read_only
from exam_core.store import Snapshot
from exam_core.store.derived_files import FOLDER, alone, derived_file
from exam_core.store.files import files_in, placing
from exam_core.tables import UNGRADED, VITAL

ENDING = struct.Struct("<16sQ8s")
"""The end of a file: hash and length of its `Contents`, which stand before it, and the kind of file."""
MAGIC = b"EXAMBOOK"
ALIGNED = 64
TEXTS = {name: (f"{name}: ends", f"{name}: letters") for name in ("docs", "questions")}
COUNTS = "questions: of each query"
_PIECE = 4 << 20
"""Bytes of a checksum."""


class Stored(msgspec.Struct):
    """The place of an array in a file."""

    kind: str
    shape: tuple[int, ...]
    start: int


class Contents(msgspec.Struct):
    """The description of a file, behind its arrays.

    Parameters
    ----------
    of : the evaluation of which it is the gradebook, as in the file's name
    end : the end of its arrays
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
    """Names of each query's questions in a file; only those that are looked at become texts of Python."""

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
        for part in slices(len(self), _AT_ONCE):
            yield from self._lists[part].to_pylist()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    @property
    def together(self) -> pa.Array:
        """The names of all queries' questions, one after the other."""
        return self._lists.flatten()

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)  # pyarrow would send the names of the others, too


_AT_ONCE = 10_000


def open_book(path: Path, of: str | None = None) -> Gradebook | None:
    """The gradebook in a file, mapped into memory; None if there is none, it is damaged, or it is of another `of`.

    It needs no store, so that a worker process can open another one's file. `Gradebook.of_queries` takes a part.
    """
    try:
        with path.open("rb") as file:
            stat_result = os.fstat(file.fileno())
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            contents = _read_contents(mapped)
            if of not in (None, contents.of) or checksums(file.fileno(), contents.end) != contents.checks:
                return None
        book = mapped_book(mapped, contents)
    except (OSError, ValueError, struct.error, msgspec.MsgspecError, pa.ArrowInvalid):
        return None
    if not read_only():
        with suppress(OSError):  # another user's file, or a store that can't be written
            os.utime(path, ns=(time.time_ns(), stat_result.st_mtime_ns))
    return book


def _read_contents(mapped: mmap.mmap) -> Contents:
    """The description of a file. Raises ValueError if it is cut, or another kind of file."""
    last = len(mapped) - ENDING.size
    digest, length, magic = ENDING.unpack_from(mapped, max(last, 0))
    content = mapped[max(last - length, 0) : last]
    if magic != MAGIC or digest_of(content) != digest:
        raise ValueError("no gradebook")
    contents = msgspec.json.decode(content, type=Contents)
    if contents.end + length != last:
        raise ValueError("cut")
    return contents


def checksums(file: int, end: int) -> list[int]:
    """Checksums of a file's beginning: 5 GB/s and thread. It is read and not mapped, so that memory is not held."""
    pieces = range(0, end, _PIECE)
    workers = min(os.cpu_count() or 1, len(pieces)) or 1

    def each_worker(first: int) -> list[int]:
        buffer = memoryview(bytearray(_PIECE))
        numbers = []
        for start in pieces[first::workers]:
            size = os.preadv(file, [buffer[: end - start]], start)
            numbers.append(zlib.crc32(buffer[:size]))
        return numbers

    with ThreadPoolExecutor(workers) as pool:
        by_worker = list(pool.map(each_worker, range(workers)))
    return [by_worker[number % workers][number // workers] for number in range(len(pieces))]


def mapped_book(mapped: mmap.mmap, contents: Contents) -> Gradebook:
    """The gradebook whose arrays are mapped into memory."""
    arrays: dict[str, Any] = {
        name: np.ndarray(stored.shape, stored.kind, mapped, stored.start) for name, stored in contents.arrays.items()
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


def digest_of(content: bytes) -> bytes:
    """A hash of the description of a file."""
    return hashlib.blake2b(content, digest_size=16).digest()


_OF_QUESTIONS: dict[str, Any] = {
    "grades": UNGRADED,
    "enabled": False,
    "weights": 1,
    "importance": np.int8(VITAL),
    "avoided": np.False_,
    "of_bank": 0,
}
"""Arrays whose last axis is a query's questions, and their fill value where a query has fewer than others."""


def _in_temporary_file(folder: Path, parts: list[Gradebook], of: str | None = None) -> Gradebook:
    """Parts as one, out of memory: in a file without a name, which is gone when nobody has it open."""
    with tempfile.TemporaryFile(dir=folder) as file:
        contents = _write(file, parts, of)
        return mapped_book(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), contents)


def _write(file: BinaryIO, parts: list[Gradebook], of: str | None = None) -> Contents:
    """Write all parts as one; without bit words and checksums where `of` is None."""
    arrays = dict(_arrays(file, parts))
    if of is not None:
        levels = max(HIGHEST_TAU, *(int(part.grades.max(initial=0)) for part in _each(parts))) + 1
        arrays["bits"] = _put_bits(file, parts, levels)
    file.flush()
    end = file.tell()
    first = parts[0]
    contents = Contents(
        of=of or "",
        end=end,
        checks=[] if of is None else checksums(file.fileno(), end),
        arrays=arrays,
        levels=0 if of is None else levels,
        has_unreadable=any(part.has_unreadable for part in parts),
        run_ids=first.run_ids,
        query_ids=[query_id for part in parts for query_id in part.query_ids],
        ungraded_pairs=sum(part.ungraded_pairs for part in parts),
        ungraded_queries=sorted(query_id for part in parts for query_id in part.ungraded_queries),
        depth=first.depth,
    )
    content = msgspec.json.encode(contents)
    file.seek(end)
    file.write(content + ENDING.pack(digest_of(content), len(content), MAGIC))
    file.flush()
    return contents


def _arrays(file: BinaryIO, parts: list[Gradebook]) -> Iterator[tuple[str, Stored]]:
    pairs, queries = sum(len(part.grades) for part in parts), sum(len(part.query_ids) for part in parts)
    first_pairs = [0, *accumulate(len(part.grades) for part in parts)]
    first_queries = [0, *accumulate(len(part.query_ids) for part in parts)]
    of_queries = (part.pair_query + np.int32(first) for first, part in zip(first_queries, _each(parts), strict=False))
    yield "pair_query", _put(file, (pairs,), of_queries)
    width = max(part.grades.shape[1] for part in parts)
    for name, fill in _OF_QUESTIONS.items():
        if any(getattr(part, name) is not None for part in parts):
            blocks = (_widened(part, name, fill, width) for part in _each(parts))
            yield name, _put(file, (pairs if name == "grades" else queries, width), blocks)
    places, runs = max(len(part.slots) for part in parts), len(parts[0].run_ids)
    rows = product(range(places), range(runs))
    slots = (_slots(part, *row, first) for row in rows for first, part in zip(first_pairs, _each(parts), strict=False))
    yield "slots", _put(file, (places, runs, queries), slots)
    yield "missing", _put(file, (runs, queries), (part.missing[run] for run in range(runs) for part in parts))
    yield from _put_texts(file, "docs", parts, lambda part: part.docs)
    if any(part.has_questions for part in parts):
        yield COUNTS, _put(file, (queries,), (np.array([*map(len, part.question_ids)], np.int32) for part in parts))
        yield from _put_texts(file, "questions", parts, _questions)


def _questions(part: Gradebook) -> pa.Array:
    names = part.question_ids
    return names.together if isinstance(names, Names) else pa.array([*chain.from_iterable(names)], pa.string())


def _each(parts: Iterable[Gradebook]) -> Iterator[Gradebook]:
    """One after the other; the memory of a part is given back before the next one's turn."""
    for part in parts:
        yield part
        part.let_go()


def _widened(part: Gradebook, name: str, fill: Any, width: int) -> npt.NDArray[Any]:
    array = getattr(part, name)
    if array is None:
        return np.full((len(part.query_ids), width), fill)
    return np.pad(array, ((0, 0), (0, width - array.shape[1])), constant_values=fill)


def _slots(part: Gradebook, place: int, run: int, first: int) -> npt.NDArray[np.int32]:
    """A place of a run's rankings, by pairs of the whole."""
    if place >= len(part.slots):
        return np.full(len(part.query_ids), NOTHING, np.int32)
    slots = part.slots[place, run]
    moved: npt.NDArray[np.int32] = np.where(slots < 0, slots, slots + np.int32(first))
    return moved


def _put(file: BinaryIO, shape: tuple[int, ...], blocks: Iterable[npt.NDArray[Any]]) -> Stored:
    start, kind = _align(file), "|u1"
    for block in blocks:
        kind = block.dtype.str
        file.write(np.ascontiguousarray(block).reshape(-1).view(np.uint8).data)
    return Stored(kind, shape, start)


def _put_bits(file: BinaryIO, parts: list[Gradebook], levels: int) -> Stored:
    start, first = _align(file), 0
    width = max(part.grades.shape[1] for part in parts)
    row = sum(len(part.grades) for part in parts) + PADDING
    for part in _each(parts):
        words = pack(_widened(part, "grades", UNGRADED, width), levels).bits
        for number, bits in enumerate(words[:, :-PADDING]):
            file.seek(start + bits.itemsize * (number * row + first))
            file.write(bits.data)
        first += len(part.grades)
    stored = Stored(words.dtype.str, (len(words), row), start)
    file.seek(file.truncate(start + words.itemsize * len(words) * row))
    return stored


def _put_texts(
    file: BinaryIO, name: str, parts: list[Gradebook], of: Callable[[Gradebook], pa.Array]
) -> Iterator[tuple[str, Stored]]:
    """The ends of the texts, and all texts one after the other, as in Arrow."""
    ends, letters = TEXTS[name]
    sizes = [0, *accumulate(len(_letters(of(part))[1]) for part in parts)]
    kind = np.int32 if sizes[-1] < 2**31 else np.int64
    places = (_letters(of(part))[0] for part in _each(parts))
    moved = ((place[1:] - place[0]).astype(kind) + kind(first) for place, first in zip(places, sizes, strict=False))
    yield ends, _put(file, (sum(len(of(part)) for part in parts) + 1,), chain([np.zeros(1, kind)], moved))
    yield letters, _put(file, (sizes[-1],), (_letters(of(part))[1] for part in _each(parts)))


def _letters(texts: pa.Array) -> tuple[npt.NDArray[Any], npt.NDArray[np.uint8]]:
    """The beginnings of the texts with the end of the last, and the bytes of all."""
    kind = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    _, places, content = texts.buffers()
    if not len(texts) or content is None:
        return np.zeros(len(texts) + 1, kind), np.empty(0, np.uint8)
    ends = np.frombuffer(places, kind)[texts.offset : texts.offset + len(texts) + 1]
    return ends, np.frombuffer(content, np.uint8)[ends[0] : ends[-1]]


def _align(file: BinaryIO) -> int:
    file.write(bytes(-file.tell() % ALIGNED))
    return file.tell()


FORMAT = 2
"""Counts up when the content of a file changes, or how it is read from the store."""
ROOM = 16 << 30
"""Bytes of all such files of a store; those that were not opened for longest are removed first."""
LOCK = ".gradebooks"


class ReadsBook(Protocol):
    """Reads a gradebook from the store: at once, or some of its queries after the other."""

    def __call__(self, *, in_parts: bool) -> Iterable[Gradebook]: ...


def load_or_build(snapshot: Snapshot, items: tuple[Any, ...], read: ReadsBook) -> Gradebook:
    """The gradebook of a collection: from its file where the collection is large, or else as `read` gives it.

    Where a large one's store can't be written, it is in a temporary file. `items` tell it from the collection's others.
    """
    if file := derived_file(snapshot, (FORMAT, items), "book"):
        path, of = file
        if book := open_book(path, of) or (None if read_only() else _made(path, of, read)):
            return book
        folder = Path(tempfile.gettempdir())
        with suppress(OSError):
            parts = [_in_temporary_file(folder, [part]) for part in read(in_parts=True)]
            return _in_temporary_file(folder, parts, of="")
    (book,) = read(in_parts=False)
    return book


def _made(path: Path, of: str, read: ReadsBook) -> Gradebook | None:
    """The gradebook, opened from its file; None where the store can't be written."""
    store = path.parents[2]
    with suppress(StoreError, OSError), alone(store, LOCK):
        if book := open_book(path, of):
            return book
        with placing(path) as spill, spill.open("w+b") as file:
            _write(file, [_in_temporary_file(path.parent, [part]) for part in read(in_parts=True)], of)
            os.fsync(file.fileno())
        _make_room(store, path)
    return open_book(path, of)


def _make_room(store: Path, newest: Path) -> None:
    """Remove gradebooks and facts of a store until the others fit into `ROOM`; the newest one stays."""
    stat_results = {}
    for path in (*files_in(store, f"*/{FOLDER}/*.book"), *files_in(store, f"*/{FOLDER}/*.fact")):
        with suppress(OSError):
            stat_results[path] = path.stat()
    total = sum(stat_result.st_size for stat_result in stat_results.values())
    for path in sorted(stat_results, key=lambda path: stat_results[path].st_atime_ns):
        if total <= ROOM or path == newest:
            continue
        with suppress(OSError):
            path.unlink()
            total -= stat_results[path].st_size
