"""Columns that a user names: `--as query=qidx,doc=docidx` says which of a file's columns are which of ours.

The file is read as if its header, or its names of fields in JSON, had our names: what `lines` opens comes through
`renamed`. So every reader, and the recognition of files, takes the names without knowing of them.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from io import StringIO
from pathlib import Path
from types import MappingProxyType
from typing import IO

from exam_core.errors import UsageError, visible

Columns = Mapping[str, Sequence[str]]
"""A file's columns, each with what its readers call it: it gets the first of these names, and other columns none."""
SEPARATORS = ("\t", ";", ",", "|")
_NAMED = ContextVar[Mapping[Path | None, Columns]]("columns that a user names", default=MappingProxyType({}))
_START, _LINES = 2**16, 20
"""Bytes and lines within which a header stands."""
_BLANKS = 64
"""Bytes that may stand around a name in JSON."""


def asked_columns(text: str) -> dict[str, str]:
    """The file's column for each of our fields, of `query=qidx,doc=docidx`; a name with a comma stands in quotes.

    Raises UsageError where a part is no such pair, or a field or column is in two.
    """
    pairs = [part.partition("=") for part in next(csv.reader([text]), [])]
    columns = {ours.strip(): theirs.strip() for ours, _, theirs in pairs}
    if not all(map(all, columns.items())) or not len(pairs) == len(columns) == len({*columns.values()}):
        shown = visible(text, line_ends=False)[:80]
        raise UsageError(f"--as {shown}: write each of our fields once, with the file's column: --as query=qidx,doc=id")
    return columns


@contextmanager
def naming(columns: Columns, path: Path | None = None) -> Iterator[None]:
    """Read a file, or without a path every file, with these columns under our names."""
    token = _NAMED.set({**_NAMED.get(), path: columns})
    try:
        yield
    finally:
        _NAMED.reset(token)


def as_before(path: Path, columns: Columns) -> str:
    """The note that a file's columns were named for an earlier file."""
    pairs = ", ".join(f"{theirs} is {names[0]}" for theirs, names in columns.items())
    return f"{path.name}: columns as named for an earlier file of this header: {pairs}."


def named(path: Path) -> Columns:
    """The columns of a file that somebody named."""
    by_path = _NAMED.get()
    return by_path.get(path, by_path.get(None, {}))


def renamed(file: IO[bytes], columns: Columns) -> Iterator[bytes]:
    """What a file holds, piece by piece, with our names for the columns; all as it is where it has not all of them."""
    start = file.read(_START)
    lines = start.split(b"\n")
    for place, line in enumerate(lines[:_LINES]):
        if (header := _header(line, columns)) is not None:
            yield b"\n".join([*lines[:place], header, *lines[place + 1 :]])
            yield from iter(lambda: file.read(_START), b"")
            return
    yield from _with_keys(start, file, columns)


def lacking(start: bytes, columns: Columns) -> list[str]:
    """Which columns a file that begins so does not have."""
    lines = start.split(b"\n")[:_LINES]
    if any(_header(line, columns) is not None for line in lines):
        return []
    cells = {cell for line in lines for text in SEPARATORS for cell in map(_plain, _cells(line, text))}
    return [name for name in columns if _plain(name) not in cells and not _keys({name: ()}).search(start)]


def _header(line: bytes, columns: Columns) -> bytes | None:
    """A header with our names; None of a line that is not the header of all these columns."""
    for separator in SEPARATORS:
        names = list(map(_plain, cells := _cells(line, separator)))
        places = {names.index(_plain(theirs)): ours for theirs, ours in columns.items() if _plain(theirs) in names}
        if len(places) == len(columns):
            taken = {_plain(our) for ours in columns.values() for our in ours}
            cells = [f"other {cell}" if name in taken else cell for name, cell in zip(names, cells, strict=True)]
            for place, ours in places.items():
                cells[place] = ours[0]
            csv.writer(text := StringIO(), delimiter=separator, lineterminator="").writerow(cells)
            return text.getvalue().encode() + b"\r" * line.endswith(b"\r")
    return None


def _cells(line: bytes, separator: str) -> list[str]:
    try:
        return next(csv.reader([line.decode("utf-8", "replace").rstrip("\r")], delimiter=separator), [])
    except csv.Error:
        return []


def _plain(name: str) -> str:
    return name.strip("\ufeff#\"' ").casefold()


def _keys(columns: Columns) -> re.Pattern[bytes]:
    """Names of fields in JSON: of these columns, and those that other columns must not have."""
    names = {name for theirs, ours in columns.items() for name in (theirs, *ours)}
    written = {json.dumps(name, ensure_ascii=ascii).encode() for name in names for ascii in (True, False)}
    return re.compile(rb"([{,\s])(" + b"|".join(map(re.escape, written)) + rb")(?=\s*:)", re.IGNORECASE)


def _with_keys(start: bytes, file: IO[bytes], columns: Columns) -> Iterator[bytes]:
    """JSON with other names of fields, of which one may stand across the ends of pieces."""
    ours = {_plain(theirs): names[0] for theirs, names in columns.items()}
    pattern, piece = _keys(columns), start
    longest = len(pattern.pattern) + _BLANKS
    while piece:
        piece, done = file.read(_START), 0
        for match in pattern.finditer(start):
            name = str(json.loads(match[2]))
            yield start[done : match.end(1)] + json.dumps(ours.get(_plain(name), f"other {name}")).encode()
            done = match.end()
        end = max(done, len(start) - longest) if piece else len(start)
        yield start[done:end]
        start = start[end:] + piece
