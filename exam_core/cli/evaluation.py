"""The options that say what to evaluate: written once, taken by every command that evaluates."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from exam_core.asked import MEASURE, Asked
from exam_core.cli import common as cli
from exam_core.errors import UsageError

if TYPE_CHECKING:
    from exam_core.analysis.evaluation import Evaluation
    from exam_core.store import Snapshot


@dataclass
class Typed:
    """The options of an evaluation, as they were typed."""

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
        from exam_core.analysis.evaluation import TAUS

        if self.tau is None:
            return [None]
        if self.tau == "all":
            return list(TAUS)
        if not (self.tau.isascii() and self.tau.isdecimal()):
            raise UsageError(f"--tau {self.tau}: choose 1 to 5, or all.")
        return [int(self.tau)]

    def asked(self, **changes: Any) -> Asked:
        """What is asked for; `changes` are what a command takes besides, or takes otherwise."""
        from exam_core.analysis.configuration import depth_number

        if self.tau == "all" and "tau" not in changes:
            raise UsageError("--tau all: this command looks at one tau; choose 1 to 5.")
        same = ("measure", "bank", "grader", "label_rank", "label_map", "judgments", "relevant_from")
        said = {name: getattr(self, name) for name in same}
        rules = {"missing": self.missing.value, "order": self.order.value, "ncover_pool": self.ncover_pool.value}
        tau = {} if "tau" in changes else {"tau": self.taus()[0]}
        return Asked(**(said | rules | tau | {"depth": depth_number(self.depth)} | changes))

    def choice(self, snapshot: Snapshot, **changes: Any) -> Evaluation:
        """The one evaluation that is asked for."""
        from exam_core.analysis.configuration import choose

        return choose(snapshot, self.asked(**changes))

    def choices(self, snapshot: Snapshot, **changes: Any) -> list[Evaluation]:
        """An evaluation for each tau that is asked for."""
        first = self.choice(snapshot, tau=self.taus()[0], **changes)
        return [first] + [replace(first, tau=tau) for tau in self.taus()[1:] if tau]

    def question(self, snapshot: Snapshot, choice: Evaluation) -> dict[str, Any]:
        """What was asked, as the head of a JSON answer: the options as used."""
        grading = choice.grading
        return {
            "collection": snapshot.collection,
            "bank": grading.bank,
            "grader": grading.grader,
            "judgments": grading.judgments,
            "measure": str(choice.measure),
            "tau": None if grading.judgments else choice.tau,
            "depth": choice.labelling.depth,
            "label_rank": choice.labelling.label_rank,
            **left_out(snapshot),
        }


def left_out(snapshot: Snapshot) -> dict[str, list[str]]:
    """The runs that were left out, as part of a question; nothing where none is."""
    return {"without": list(snapshot.left_out)} if snapshot.left_out else {}


def evaluates(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of an evaluation; it gets them as its first argument, `Typed`."""
    hints = get_type_hints(Typed, include_extras=True)
    shared = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.name == "collection" else field.default,
            annotation=hints[field.name],
        )
        for field in fields(Typed)
    ]
    own_hints = get_type_hints(command, include_extras=True)
    own = [
        parameter.replace(annotation=own_hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in list(inspect.signature(command).parameters.items())[1:]
    ]

    @wraps(command)
    def run(**options: Any) -> None:
        typed = Typed(**{parameter.name: options.pop(parameter.name) for parameter in shared})
        command(typed, **options)

    run.__signature__ = inspect.Signature([*shared, *own])  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in (*shared, *own)}
    del run.__wrapped__
    return run
