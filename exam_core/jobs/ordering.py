"""What a grading job would do, before a model is loaded, and the command line that starts it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, get_args

from exam_core.grading.modes.papers import MODES, Mode
from exam_core.grading.options import Backend, Options, Precision, Unreadable, refuse_impossible
from exam_core.grading.remote import servers
from exam_core.jobs.order import Order
from exam_core.jobs.task import Task
from exam_core.store import Snapshot, Store

BACKENDS, PRECISIONS, RULES = get_args(Backend), get_args(Precision), get_args(Unreadable)
DEVICES = ("auto", "cpu", "cuda")
DEFAULTS = Options(model="")


@dataclass(frozen=True)
class Ahead:
    """What is to be graded.

    Parameters
    ----------
    grader : the name that the grades will have
    graded, missing : grades that are there, and that the job would make
    first : of the missing ones, those of passages among some run's first 20
    without_text : passages under a query that have no text and can't be graded
    """

    grader: str
    graded: int
    missing: int
    first: int
    without_text: int


def modes() -> dict[str, Mode]:
    """Every grading mode by its name."""
    return MODES


def address_of_the_key() -> str:
    """Where a server's key goes, and nowhere else."""
    return servers.address_of_the_key()


def order(
    collection: str,
    mode: str,
    *,
    bank: str | None,
    name: str = "",
    unreadable: Unreadable = "null",
    limit: int | None = None,
    model: str = "",
    **options: Any,
) -> Order:
    """An order as a form has it: what is empty is at its default.

    Parameters
    ----------
    options : of `grading.options.Options`
    """
    found = MODES[mode]
    return Order(
        collection,
        mode,
        Options(model=model.strip() or found.model, **options),
        bank=None if found.item == "passage" else bank,
        name=name.strip() or None,
        unreadable=unreadable,
        limit=limit,
    )


def ahead(snapshot: Snapshot, store: Store, wanted: Order) -> Ahead:
    """What such a job would do in the collection as it is now; no model is loaded.

    Parameters
    ----------
    snapshot : of the collection; an answer that is kept is kept for it

    Raises
    ------
    UsageError : what prevents it: texts or answer keys that are missing, options that don't go together
    """
    del snapshot
    refuse_impossible(wanted.options, MODES[wanted.mode].kind)
    task = Task(store, wanted)
    return Ahead(
        grader=task.grader,
        graded=task.work.graded,
        missing=len(task),
        first=int(task.first.sum()),
        without_text=int(task.work.pairs["passage_text"].isna().sum()),
    )


def arguments(wanted: Order, *, plan: bool = False, price: float | None = None) -> list[str]:
    """What follows `examboard grade` on a command line that means this order; defaults are left out."""
    said: dict[str, Any] = {"bank": wanted.bank, "grader": wanted.mode}
    if wanted.name:
        said |= {"grader": wanted.name, "mode": wanted.mode}
    given, default = asdict(wanted.options), asdict(DEFAULTS)
    default["model"] = MODES[wanted.mode].model
    names = [field.name for field in fields(Options)]
    said |= {name.replace("_", "-"): given[name] for name in names if given[name] != default[name]}
    if wanted.unreadable != "null":
        said["unreadable"] = wanted.unreadable
    said |= {"limit": wanted.limit} | ({"price": price} if plan else {})
    found = [wanted.collection]
    for name, value in said.items():
        found += [] if value is None else [f"--{name}", str(value)]
    return [*found, "--plan"] if plan else found


def command(arguments: Sequence[str]) -> str:
    """The command line with such arguments, for a terminal."""
    return shlex.join(["python", "-m", "exam_core", "grade", *arguments])
