"""Wings: subjects that the core does without, a folder each.

A wing has rooms like the house: `actions`, `cli`, `store`, ... Each room of the core looks here for rooms of its own
name, and adds what they declare. So the core names no wing, and a wing goes with its folder.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any


@cache
def names() -> tuple[str, ...]:
    """The wings, in alphabetical order."""
    return tuple(found.name for found in pkgutil.iter_modules(__path__) if found.ispkg)


def rooms(room: str) -> list[str]:
    """The rooms of a name that wings have, or files in them: `cli.commands`. Nothing is loaded."""
    inside = Path(*room.split("."))
    places = {name: Path(folder, name, inside) for folder in __path__ for name in names()}
    return [
        f"{__name__}.{name}.{room}"
        for name, place in places.items()
        if place.with_suffix(".py").exists() or (place / "__init__.py").exists()
    ]


@cache
def modules(room: str) -> tuple[ModuleType, ...]:
    """The files of the rooms of a name, loaded; of a file, that file."""
    found: list[ModuleType] = []
    for name in rooms(room):
        found.append(import_module(name))
        inside = pkgutil.iter_modules(getattr(found[-1], "__path__", ()), f"{name}.")
        found += (import_module(one.name) for one in inside)
    return tuple(found)


def declared(room: str, name: str) -> Iterator[Any]:
    """What the files of such rooms declare in a tuple of a name."""
    for module in modules(room):
        yield from getattr(module, name, ())
