"""Tests of the wings, a folder each, which mirrors the wing. What a wing adds to tests of all commands, records, ... is
said in a file `adds.py` of that folder: so the core's tests name no wing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from exam_core.store import Store


@dataclass(frozen=True)
class Record:
    """A kind of record that a wing keeps in a store's catalogue, by its name there.

    Attributes
    ----------
    make : make one of a name in the collection `c`
    count : how much of all of its kind can be read
    read : what that named `told` says, as JSON can have it
    change : as `make`, without asking what is there
    """

    make: Callable[[Store, str], object]
    count: Callable[[Store], int]
    read: Callable[[Store], Any]
    change: Callable[[Store], object]


def added(name: str) -> Iterator[Any]:
    """What the wings say under a name, those that say something."""
    for path in sorted(Path(__file__).parent.glob("*/adds.py")):
        module = import_module(f"{__name__}.{path.parent.name}.adds")
        if hasattr(module, name):
            yield getattr(module, name)


def added_to(table: dict[Any, Any], name: str) -> dict[Any, Any]:
    """A table with the rows that wings add."""
    return {key: value for rows in (table, *added(name)) for key, value in rows.items()}


def rows_added(name: str) -> list[Any]:
    """The rows that wings add to a list."""
    return [row for rows in added(name) for row in rows]
