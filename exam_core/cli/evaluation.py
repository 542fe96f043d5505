"""The options that say what to evaluate: written once, taken by every command that evaluates."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from exam_core.asked import MEASURE, Asked
from exam_core.cli import common as cli
from exam_core.errors import UsageError

if TYPE_CHECKING:
    from exam_core.analysis.figures import Graded, Printed
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

    def figures(self) -> Graded | Printed:
        """The collection's figures, without the runs that are left out."""
        from exam_core.analysis.figures import figures_of

        return figures_of(self.snapshot())

    def asked(self, **changes: Any) -> Asked:
        """What is asked for; `changes` are what a command takes besides, or takes otherwise."""
        from exam_core.analysis.configuration import depth_number

        same = ("measure", "bank", "grader", "label_rank", "label_map", "judgments", "relevant_from")
        said = {name: getattr(self, name) for name in same}
        rules = {"missing": self.missing.value, "order": self.order.value, "ncover_pool": self.ncover_pool.value}
        tau = {} if "tau" in changes else {"tau": self._one_tau()}
        return Asked(**(said | rules | tau | {"depth": depth_number(self.depth)} | changes))

    def _one_tau(self) -> int | None:
        if self.tau == "all":
            raise UsageError("--tau all: this command looks at one tau; choose 1 to 5.")
        if self.tau is not None and not (self.tau.isascii() and self.tau.isdecimal()):
            raise UsageError(f"--tau {self.tau}: choose 1 to 5, or all.")
        return None if self.tau is None else int(self.tau)

    def several(self, **changes: Any) -> tuple[Asked, list[int]]:
        """What is asked for, and the taus where all are."""
        from exam_core.analysis.evaluation import TAUS

        every = self.tau == "all"
        return self.asked(**({"tau": None} if every else {}), **changes), list(TAUS) if every else []


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
