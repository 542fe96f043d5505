"""Verbs: functions that pass the door, each with the right that it needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, TypeVar

from exam_core.actions.audit_log import noted
from exam_core.rights import Right, require

Function = TypeVar("Function", bound=Callable[..., Any])


def verb(right: Right, *, has_line: bool = True) -> Callable[[Function], Function]:
    """Declare a verb: the door asks for its right at every call; inside this room it is a function like any other.

    Parameters
    ----------
    right : that whoever acts must have; to plan measures a model, whose answers are kept, and takes that to edit
    has_line : whether a call leaves a line in the log; not what changes nothing and writes no file
    """

    def declare(function: Function) -> Function:
        function.needs = right, has_line  # type: ignore[attr-defined]
        return function

    return declare


def at_the_door(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function as it passes the door: a verb asks for its right, and any other one is refused at every call."""
    right, has_line = getattr(function, "needs", (None, False))
    return noted(name, _asking(function, right)) if has_line else _asking(function, right)


@cache
def _asking(function: Callable[..., Any], right: Right | None) -> Callable[..., Any]:
    @wraps(function)
    def asked(*arguments: Any, **options: Any) -> Any:
        require(right)
        return function(*arguments, **options)

    return asked
