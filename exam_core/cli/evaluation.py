"""The options that say what to evaluate: written once, taken by every command that evaluates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from exam_core.asked import HELP, Asked
from exam_core.cli import common as cli
from exam_core.errors import UsageError
from exam_core.wording import plain_number

if TYPE_CHECKING:
    from exam_core.analysis.figures.graded import Graded
    from exam_core.analysis.figures.printed import Printed
    from exam_core.store import Snapshot


@dataclass
class Typed:
    """The options of an evaluation, as they were typed."""

    collection: cli.Collection
    measure: Annotated[str | None, typer.Option(help=HELP["measure"])] = None
    bank: cli.Bank = None
    grader: cli.Grader = None
    tau: Annotated[str | None, typer.Option(help=HELP["tau"])] = None
    depth: cli.Depth = "20"
    label_rank: cli.LabelRank = 1
    label_map: cli.LabelMap = None
    judgments: cli.Judgments = None
    relevant_from: cli.RelevantFrom = 2
    missing: cli.Missing = "zero"
    order: cli.Order = "score"
    ncover_pool: cli.NcoverPool = "graded"
    without: cli.Without = None

    def snapshot(self) -> Snapshot:
        """The collection, without the runs that are left out."""
        from exam_core.analysis.evaluation.choosing import leave_out

        return leave_out(cli.open_store().snapshot(self.collection), self.without or [])

    def figures(self, *named: str | None) -> Graded | Printed:
        """The collection's figures, without the runs that are left out; `named` as in `figures_of`."""
        from exam_core.analysis.figures import figures_of

        return figures_of(self.snapshot(), self.grader, *named)

    def asked(self, **changes: Any) -> Asked:
        """What is asked for; `changes` are what a command takes besides, or takes otherwise."""
        from exam_core.analysis.evaluation.choosing import depth_number, usual

        said = {name: value for name, value in vars(self).items() if name not in ("collection", "measure", "without")}
        read = {"depth": depth_number(self.depth), "tau": None if "tau" in changes else self._one_tau()}
        return usual(self.snapshot(), Asked(**(said | read | changes)), self.measure)

    def _one_tau(self) -> int | None:
        if self.tau == "all":
            raise UsageError("--tau all: this command looks at one tau; choose 1 to 5.")
        found = None if self.tau is None else plain_number(self.tau)
        if self.tau is not None and found is None:
            raise UsageError(f"--tau {self.tau}: choose 1 to 5, or all.")
        return found

    def several(self, **changes: Any) -> tuple[Asked, list[int]]:
        """What is asked for, and the taus where all are."""
        from exam_core.analysis.evaluation.choice import TAUS

        every = self.tau == "all"
        return self.asked(**({"tau": None} if every else {}), **changes), list(TAUS) if every else []
