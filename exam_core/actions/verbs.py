"""What was done, by whom: a line of JSON for each verb that passes the door, where $EXAMBOARD_LOG names a file."""

from __future__ import annotations

import datetime as dt
import inspect
import json
import os
import sys
import time
from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

from exam_core.rights import Right, require, signed

LOG = "EXAMBOARD_LOG"
"""The variable that names the file; `-` is standard error."""


def noted(verb: Callable[..., Any]) -> Callable[..., Any]:
    """A verb that leaves a line when it is done, refused or fails; as it is, where no log is kept."""
    if not os.environ.get(LOG):
        return verb

    @wraps(verb)
    def noting(*arguments: Any, **named: Any) -> Any:
        began, outcome = time.monotonic(), {"outcome": "stopped"}
        try:
            done = verb(*arguments, **named)
            outcome = {"outcome": "done"}
            return done
        except Exception as error:
            outcome = {"outcome": "failed", "error": type(error).__name__, "why": str(error).partition("\n")[0][:300]}
            raise
        finally:
            about = {"verb": verb.__name__, **_about(verb, arguments, named)}
            _write({**about, "seconds": round(time.monotonic() - began, 3), **outcome})

    return noting


def _about(verb: Callable[..., Any], values: Any, named: Any) -> dict[str, str]:
    """The store and the collection that a verb is called with; nothing else of it, texts least of all."""
    try:
        called = inspect.signature(verb).bind(*values, **named).arguments
    except TypeError:
        return {}
    fields = {"collection": called.get("collection"), "store": getattr(called.get("store"), "path", None)}
    return {name: str(value) for name, value in fields.items() if value is not None}


def _write(line: dict[str, Any]) -> None:
    """Append a line at once, so that those of several processes stay whole. A log that can't be kept stops nobody."""
    from exam_core.store.commits import importer

    now = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
    record = json.dumps({"at": now, "by": signed(importer()), "process": os.getpid(), **line}, ensure_ascii=True) + "\n"
    target = os.environ.get(LOG, "")
    try:
        if target == "-":
            sys.stderr.write(record)
            return
        handle = os.open(Path(target), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o640)
        try:
            os.write(handle, record.encode())
        finally:
            os.close(handle)
    except OSError as error:
        sys.stderr.write(f"{target}: no log can be kept here ({error.strerror}).\n")


Function = TypeVar("Function", bound=Callable[..., Any])
_INSIDE = ContextVar("a verb is running", default=False)


def verb(right: Right, *, has_line: bool = True) -> Callable[[Function], Function]:
    """Declare a verb.

    Parameters
    ----------
    right : that whoever acts must have; to plan measures a model, whose answers are kept, and takes that to edit
    has_line : whether a call leaves a line in the log; not what changes nothing and writes no file
    """

    def declare(function: Function) -> Function:
        @wraps(function)
        def asking(*arguments: Any, **named: Any) -> Any:
            if _INSIDE.get():
                return function(*arguments, **named)
            require(right)
            token = _INSIDE.set(True)
            try:
                return (noted(function) if has_line else function)(*arguments, **named)
            finally:
                _INSIDE.reset(token)

        asking.needs = right  # type: ignore[attr-defined]
        return cast(Function, asking)

    return declare
