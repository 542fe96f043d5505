"""How a gradebook comes into a file: from its parts, of which one at a time is held in memory."""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, chain, product
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from exam_core.analysis.evaluation.book_files import (
    ALIGNED,
    COUNTS,
    ENDING,
    MAGIC,
    TEXTS,
    Contents,
    Names,
    Stored,
    checksums,
    digest_of,
    mapped_book,
)
from exam_core.measures.bit_words import HIGHEST_TAU, PADDING, pack
from exam_core.measures.gradebook import NOTHING, Gradebook
from exam_core.store.files import placing
from exam_core.tables import UNGRADED, VITAL

_OF_QUESTIONS: dict[str, Any] = {
    "grades": UNGRADED,
    "enabled": False,
    "weights": 1,
    "importance": np.int8(VITAL),
    "avoided": np.False_,
    "of_bank": 0,
}
"""Arrays whose last axis is a query's questions, and what they hold where a query has fewer than others."""


def write_book(path: Path, parts: Callable[[], Iterable[Gradebook]], of: str) -> None:
    """Write a gradebook to a file that is there whole or not at all. Raises StoreError where it can't be written.

    Parameters
    ----------
    parts : give it, some of its queries after the other
    of : what it is of, as its name says
    """
    with placing(path) as aside, aside.open("w+b") as file:
        _write(file, [_aside(path.parent, [part]) for part in parts()], of)
        os.fsync(file.fileno())


def nameless_book(parts: Callable[[], Iterable[Gradebook]]) -> Gradebook:
    """A gradebook in a temporary file, for this process alone. Raises OSError where none can be written."""
    folder = Path(tempfile.gettempdir())
    return _aside(folder, [_aside(folder, [part]) for part in parts()], of="")


def _aside(folder: Path, parts: list[Gradebook], of: str | None = None) -> Gradebook:
    """Parts as one, out of memory: in a file without a name, which is gone when nobody has it open."""
    with tempfile.TemporaryFile(dir=folder) as file:
        contents = _write(file, parts, of)
        return mapped_book(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), contents)


def _write(file: BinaryIO, parts: list[Gradebook], of: str | None = None) -> Contents:
    """Write all parts as one; without bit words and checksums where it is of nothing."""
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
    said = msgspec.json.encode(contents)
    file.seek(end)
    file.write(said + ENDING.pack(digest_of(said), len(said), MAGIC))
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
    """One after the other; what was read of a part for this needs no memory any more when the next one's turn comes."""
    for part in parts:
        yield part
        part.let_go()


def _widened(part: Gradebook, name: str, fill: Any, width: int) -> npt.NDArray[Any]:
    found = getattr(part, name)
    if found is None:
        return np.full((len(part.query_ids), width), fill)
    return np.pad(found, ((0, 0), (0, width - found.shape[1])), constant_values=fill)


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
    """Where each text ends, and all of them one after the other, as Arrow has them."""
    ends, letters = TEXTS[name]
    sizes = [0, *accumulate(len(_letters(of(part))[1]) for part in parts)]
    kind = np.int32 if sizes[-1] < 2**31 else np.int64
    places = (_letters(of(part))[0] for part in _each(parts))
    moved = ((at[1:] - at[0]).astype(kind) + kind(first) for at, first in zip(places, sizes, strict=False))
    yield ends, _put(file, (sum(len(of(part)) for part in parts) + 1,), chain([np.zeros(1, kind)], moved))
    yield letters, _put(file, (sizes[-1],), (_letters(of(part))[1] for part in _each(parts)))


def _letters(texts: pa.Array) -> tuple[npt.NDArray[Any], npt.NDArray[np.uint8]]:
    """Where each text begins and the last one ends, and the bytes of all."""
    kind = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    _, places, content = texts.buffers()
    if not len(texts) or content is None:
        return np.zeros(len(texts) + 1, kind), np.empty(0, np.uint8)
    at = np.frombuffer(places, kind)[texts.offset : texts.offset + len(texts) + 1]
    return at, np.frombuffer(content, np.uint8)[at[0] : at[-1]]


def _align(file: BinaryIO) -> int:
    file.write(bytes(-file.tell() % ALIGNED))
    return file.tell()
