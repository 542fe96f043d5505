"""The options that say what to evaluate: written once, taken by every command that evaluates."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from exam_core.cli import common as cli
from exam_core.errors import UsageError

if TYPE_CHECKING:
    from exam_core.analysis.configuration import Asking, Choice
    from exam_core.store import Snapshot

MEASURE = "Cover@20"


@dataclass
class Evaluation:
    """What to evaluate, as it was typed; the defaults are those of the command line."""

    collection: cli.Collection
    measure: Annotated[str, typer.Option(help="Cover@20, nCover@20, P@20, AP, nDCG@20, ...")] = MEASURE
    bank: cli.Bank = None
    grader: cli.Grader = None
    tau: Annotated[str | None, typer.Option(help="Smallest grade that counts, 1 to 5, or all.")] = None
    depth: Annotated[str, typer.Option(help="Passages of a ranking that are read, or all.")] = "20"
    label_rank: cli.LabelRank = 1
    label_map: cli.LabelMap = None
    judgments: Annotated[str | None, typer.Option(help="Evaluate these human judgments instead of grades.")] = None
    relevant_from: cli.RelevantFrom = 2
    missing: Annotated[cli.MissingRule, typer.Option(help="A query without results counts 0, or not at all.")] = (
        cli.MissingRule.ZERO
    )
    order: Annotated[
        cli.OrderRule, typer.Option(help="First passages by score (as trec_eval), or by the file's ranks.")
    ] = cli.OrderRule.SCORE
    ncover_pool: Annotated[cli.PoolRule, typer.Option(help="nCover divides by what these passages answer.")] = (
        cli.PoolRule.GRADED
    )
    without: cli.Without = None

    def snapshot(self) -> Snapshot:
        """The collection, without the runs that are left out."""
        from exam_core.analysis.configuration import leave_out

        return leave_out(cli.open_store().snapshot(self.collection), self.without or [])

    def taus(self) -> list[int | None]:
        """The taus that are asked for; None for the default."""
        from exam_core.analysis.configuration import TAUS

        if self.tau is None:
            return [None]
        if self.tau == "all":
            return list(TAUS)
        if not (self.tau.isascii() and self.tau.isdecimal()):
            raise UsageError(f"--tau {self.tau}: choose 1 to 5, or all.")
        return [int(self.tau)]

    def choice(self, snapshot: Snapshot, **changes: Any) -> Choice:
        """The one choice that is asked for."""
        if self.tau == "all" and "tau" not in changes:
            raise UsageError("--tau all: this command looks at one tau; choose 1 to 5.")
        return self._choose(snapshot, **({"tau": self.taus()[0]} | changes))

    def choices(self, snapshot: Snapshot, **changes: Any) -> list[Choice]:
        """A choice for each tau that is asked for."""
        first = self._choose(snapshot, tau=self.taus()[0], **changes)
        return [first] + [replace(first, tau=tau) for tau in self.taus()[1:] if tau]

    def question(self, snapshot: Snapshot, choice: Choice) -> dict[str, Any]:
        """What was asked, as the head of a JSON answer: the options as used."""
        grading = choice.grading
        return {
            "collection": snapshot.collection,
            "bank": grading.bank,
            "grader": grading.grader,
            "judgments": grading.judgments,
            "measure": str(choice.measure),
            "tau": None if grading.judgments else choice.tau,
            "depth": choice.depth,
            "label_rank": choice.label_rank,
            **left_out(snapshot),
        }

    def _choose(self, snapshot: Snapshot, **changes: Any) -> Choice:
        from exam_core.analysis.configuration import choose, depth_number

        settings: dict[str, Any] = {
            "measure": self.measure,
            "bank": self.bank,
            "grader": self.grader,
            "depth": depth_number(self.depth),
            "label_rank": self.label_rank,
            "label_map": self.label_map,
            "judgments": self.judgments,
            "relevant_from": self.relevant_from,
            "missing": self.missing.value,
            "order": self.order.value,
            "ncover_pool": self.ncover_pool.value,
        }
        asking: Asking | None = changes.pop("asking", None)
        choice = choose(snapshot, **(settings | changes))
        return choice if asking is None else replace(choice, asking=asking)


def left_out(snapshot: Snapshot) -> dict[str, list[str]]:
    """The runs that were left out, as part of a question; nothing where none is."""
    return {"without": list(snapshot.left_out)} if snapshot.left_out else {}


def evaluates(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of an evaluation; it gets them as its first argument, an `Evaluation`."""
    hints = get_type_hints(Evaluation, include_extras=True)
    shared = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.name == "collection" else field.default,
            annotation=hints[field.name],
        )
        for field in fields(Evaluation)
    ]
    own_hints = get_type_hints(command, include_extras=True)
    own = [
        parameter.replace(annotation=own_hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in list(inspect.signature(command).parameters.items())[1:]
    ]

    @wraps(command)
    def run(**options: Any) -> None:
        asked = Evaluation(**{parameter.name: options.pop(parameter.name) for parameter in shared})
        command(asked, **options)

    run.__signature__ = inspect.Signature([*shared, *own])  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in (*shared, *own)}
    del run.__wrapped__
    return run
