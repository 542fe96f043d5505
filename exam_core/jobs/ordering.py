"""Orders for grading as people give them: what stays empty, and the command line that means the same."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from exam_core.declared import declared
from exam_core.errors import UsageError, visible
from exam_core.grading.modes.lexical_grader import GRADER_ID as LEXICAL
from exam_core.grading.modes.lexical_grader import NAMES
from exam_core.grading.modes.mode import Mode
from exam_core.grading.modes.papers import MODES
from exam_core.jobs.order import Order, Request

SELF_RATING = "self-rating"


def is_lexical(order: Order) -> bool:
    """Whether the lexical grader is meant, which is no mode, since it asks no model.

    Raises
    ------
    UsageError : it is to have another name, or what only a model has
    """
    said = [name for name in (order.mode, order.name) if name]
    if not said or said[0] not in NAMES:
        return False
    if said[-1] not in NAMES:
        raise UsageError(f"The grades of the lexical grader are called {LEXICAL}: leave --grader {said[-1]} out.")
    if asked := departing(order.options) | departing(order, ("collection", "mode", "name", "bank", "limit")):
        raise UsageError(f"The lexical grader asks no model: leave {', '.join(asked)} out.")
    return True


def completed(order: Order, modes: Mapping[str, Mode] = MODES) -> Order:
    """The order with its mode, its model and how that is run; a mode that labels passages takes no bank.

    A name that is a mode's means that mode, unless another one is named: then it is what the grades are called. The
    lexical grader has its name alone.

    Parameters
    ----------
    modes : those that there are, by name

    Raises
    ------
    UsageError : no mode is named, and the name is none's
    """
    if is_lexical(order):
        return replace(order, mode="", name=LEXICAL)
    mode, name, options = order.mode, order.name or None, order.options.as_meant
    if not mode:
        if name and name not in modes:
            raise UsageError(
                f"--grader {visible(name, line_ends=False)[:80]}: there is no such grading mode. There are: lexical, "
                f"{', '.join(modes)}. A name of your own for the grades goes with --mode."
            )
        mode, name = name or SELF_RATING, None
    known = modes.get(mode)
    if known is None:  # Who carries it out says which there are.
        return replace(order, mode=mode, name=name, options=options)
    return replace(
        order,
        mode=mode,
        name=name,
        options=replace(options, model=options.model or known.model),
        bank=order.bank if known.asks_a_bank else None,
    )


def arguments(request: Request) -> list[str]:
    """What follows `examboard grade` on a command line that means the same; what is at its default is left out."""
    said = asked_of(completed(request.order))
    if request.plan:
        said["--price"] = request.price
    return line(request.order.collection, said, plan=request.plan)


def asked_of(order: Order) -> dict[str, Any]:
    """The options that say who grades, of a completed order."""
    known = MODES.get(order.mode)
    said: dict[str, Any] = {"--bank": order.bank, "--grader": order.mode or order.name}
    if order.name and order.mode:
        said |= {"--grader": order.name, "--mode": order.mode}
    options = order.options
    if known and options.model == known.model:
        options = replace(options, model="")
    return said | departing(options) | departing(order, leave_out=("collection", "mode", "name", "bank"))


def line(collection: str, said: Mapping[str, Any], *, plan: bool) -> list[str]:
    """Collection and options as arguments; what is None is left out, what is True has no value."""
    found = [collection]
    for option, value in said.items():
        if value is not None:
            found += [option] if value is True else [option, str(value)]
    return [*found, "--plan"] if plan else found


def departing(of: Any, leave_out: Sequence[str] = ()) -> dict[str, Any]:
    """The declared fields that are not at their default, by their options."""
    return {
        field.option: value
        for name, field in declared(of.__class__).items()
        if name not in leave_out and (value := getattr(of, name)) != field.default
    }


def command(arguments: Sequence[str], words: Sequence[str] = ("grade",)) -> str:
    """The command line with such arguments, for a terminal.

    Parameters
    ----------
    words : of the command
    """
    return shlex.join(["examboard", *words, *arguments])
