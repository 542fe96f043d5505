"""Every format that files are read in: those of the files named here, and those of wings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from exam_core import wings
from exam_core.errors import BadInput, Problems
from exam_core.formats import banks, corpus_files, evaluations, labels, leaderboards, topics, trec, workbench
from exam_core.formats.delimited import dialect_of
from exam_core.formats.format import Format, Kind, Opening
from exam_core.formats.records import names_in


@cache
def known_formats() -> tuple[Format, ...]:
    """All formats, in the order in which a file is tried for them."""
    own = (banks, corpus_files, evaluations, labels, leaderboards, topics, trec, workbench)
    return table([*(row for module in own for row in module.ROWS), *wings.declared("formats")])


@cache
def known_kinds() -> dict[str, Kind]:
    """All kinds by their imports on the command line, in the order of the page."""
    kinds: dict[str, Kind] = {}
    for row in known_formats():
        kind = kinds.get(row.kind.key, row.kind)
        kinds[kind.key] = replace(kind, written=(*kind.written, row.written))
    return dict(sorted(kinds.items(), key=lambda item: item[1].order))


def table(rows: Iterable[Format]) -> tuple[Format, ...]:
    """Formats in the order in which a file is tried for them.

    Raises ValueError where a format, or two kinds of one name, are declared twice.
    """
    formats = sorted(rows, key=lambda row: (row.order, row.looks))
    kinds = {row.kind.key: row.kind for row in formats}
    for row in formats:
        if row.kind != kinds[row.kind.key]:
            raise ValueError(f"Two kinds are named {row.kind.key}.")
    names = [(row.kind.key, row.written) for row in formats]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"Declared twice: {sorted(twice)}.")
    return tuple(formats)


def recognised(opening: Opening, among: Iterable[Format] | None = None) -> Format | None:
    """The format that a file begins like, asking first those that can be certain; None if it begins like none."""
    rows = list(known_formats() if among is None else among)
    certain = (row for row in rows if row.is_certain(opening))
    return next(chain(certain, (row for row in rows if row.fits(opening))), None)


def reader(kind: str, path: Path) -> Callable[..., Any]:
    """The reader of a file that holds a kind of thing, in whichever of its formats it is written.

    A file that looks like none of them gets the last reader that explains files so written. Raises BadInput where there
    is none, or the file looks like another kind, and the reader would not notice.
    """
    opening = Opening(path)
    readers = {row: row.read for row in known_formats() if row.kind.key == kind}
    row_of_file = recognised(opening, readers)
    if row_of_file is None and (looks := recognised(opening)) and kind in looks.taken_for:
        raise BadInput(f"{path}: holds {looks.looks}, and not what was expected. Nothing was stored.")
    if row_of_file is None:
        row_of_file = _explaining(opening, list(readers))
    return readers[row_of_file]


def _explaining(opening: Opening, rows: Sequence[Format]) -> Format:
    dialect = dialect_of(opening)
    likely = [row for row in rows if dialect in row.explains]
    if not likely and dialect != "JSON":
        likely = [row for row in rows if {"table", "text"} & set(row.explains)]
    if not likely and opening.whole:
        problems, kind = Problems(opening.path), known_kinds()[rows[0].kind.key]
        written = {"JSON": "JSON", "table": "a table", "text": "text that is not JSON"}[dialect]
        what = f"{written}; a file of the kind {kind.key} is written as: {', '.join(kind.written)}"
        problems.add(1, what, ", ".join(names_in(opening)) or opening.whole[0])
        problems.raise_if_any()
    return (likely or rows)[-1]
