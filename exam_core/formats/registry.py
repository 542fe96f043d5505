"""Every format that files are read in, collected from the files of this room and from the rooms of wings, which declare
them in `ROWS`.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from exam_core import formats, wings
from exam_core.errors import BadInput
from exam_core.formats.format import Format, Kind, Opening


@cache
def known_formats() -> tuple[Format, ...]:
    """All formats, in the order in which a file is tried for them."""
    names = [f"{formats.__name__}.{found.name}" for found in pkgutil.iter_modules(formats.__path__)]
    modules = map(import_module, (*names, *wings.rooms("formats")))
    return table(row for module in modules for row in getattr(module, "ROWS", ()))


@cache
def known_kinds() -> dict[str, Kind]:
    """All kinds by their imports on the command line, in the order of the page."""
    found: dict[str, Kind] = {}
    for row in known_formats():
        kind = found.get(row.kind.key, row.kind)
        found[kind.key] = replace(kind, written=(*kind.written, row.written))
    return dict(sorted(found.items(), key=lambda item: item[1].order))


def table(rows: Iterable[Format]) -> tuple[Format, ...]:
    """Formats in the order in which a file is tried for them.

    Raises ValueError where a format, or two kinds of one name, are declared twice.
    """
    found = sorted(rows, key=lambda row: (row.order, row.looks))
    kinds = {row.kind.key: row.kind for row in found}
    for row in found:
        if row.kind != kinds[row.kind.key]:
            raise ValueError(f"Two kinds are named {row.kind.key}.")
    names = [(row.kind.key, row.written) for row in found]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"Declared twice: {sorted(twice)}.")
    return tuple(found)


def recognised(opening: Opening, among: Iterable[Format] | None = None) -> Format | None:
    """The format that a file begins like; None if it begins like none."""
    return next((row for row in (known_formats() if among is None else among) if row.fits(opening)), None)


def reader(kind: str, path: Path) -> Callable[..., Any]:
    """The reader of a file that holds a kind of thing, in whichever of its formats it is written.

    A file that looks like none of them is taken for the last one that is a table, or that is none where it is JSON: its
    reader says what is wrong with it. Raises BadInput where it looks like another kind, and the reader would not
    notice.
    """
    opening = Opening(path)
    readers = {row: row.read for row in known_formats() if row.kind.key == kind}
    found = recognised(opening, readers)
    if found is None and (looks := recognised(opening)) and kind in looks.taken_for:
        raise BadInput(f"{path}: holds {looks.looks}, and not what was expected. Nothing was stored.")
    likely = [row for row in readers if row.is_table is not opening.is_json]
    return readers[found or (likely or list(readers))[-1]]
