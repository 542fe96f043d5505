"""Verbs: functions that change something, or write a file. Each asks whether whoever acts has the right that it needs.

Pages, commands and notebooks call verbs, and nothing else of this room. What a verb calls itself is not asked again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar, cast

from exam_core.actions.audit_log import noted
from exam_core.rights import Right, require

Function = TypeVar("Function", bound=Callable[..., Any])
_INSIDE = ContextVar("whether a verb is running", default=False)


def verb(right: Right, *, has_line: bool = True) -> Callable[[Function], Function]:
    """Declare a verb.

    Parameters
    ----------
    right : that whoever acts must have; to plan measures a model, whose answers are kept, and takes that to edit
    has_line : whether a call leaves a line in the log; not what changes nothing and writes no file
    """

    def declare(function: Function) -> Function:
        @wraps(function)
        def asking(*given: Any, **named: Any) -> Any:
            if _INSIDE.get():
                return function(*given, **named)
            require(right)
            token = _INSIDE.set(True)
            try:
                return (noted(function) if has_line else function)(*given, **named)
            finally:
                _INSIDE.reset(token)

        asking.needs = right  # type: ignore[attr-defined]
        return cast(Function, asking)

    return declare
