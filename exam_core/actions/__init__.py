"""The one door to all that changes something: pages and commands call its verbs, and reach past it for nothing.

Importing this loads no verb, so that a command's help is quick: each is loaded when it is first named. At every call of
one the door asks whether whoever acts has the right that the verb needs. What passes it stands in `__init__.pyi`, which
type checkers read, too; verbs of a wing stand in that of the wing, and pass the same door.
"""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from exam_core import wings


@cache
def places() -> dict[str, str]:
    """What passes the door: the module of each name."""
    doors = [__file__, *(str(import_module(room).__file__) for room in wings.rooms("actions"))]
    stubs = [ast.parse(Path(door).with_suffix(".pyi").read_text(encoding="utf-8")) for door in doors]
    lines = [line for stub in stubs for line in stub.body if isinstance(line, ast.ImportFrom)]
    return {one.name: str(line.module) for line in lines for one in line.names}


def __getattr__(name: str) -> Any:
    if name.startswith("_") or name not in places():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(places()[name]), name)
    if not callable(found) or isinstance(found, type):
        return found
    at_the_door = import_module(f"{__name__}.verbs").at_the_door
    return at_the_door(name, found)
