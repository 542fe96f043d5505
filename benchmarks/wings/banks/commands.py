"""`examboard bench replies` and `examboard bench editing`."""

from __future__ import annotations

from typing import Annotated

import typer

from benchmarks.commands import print_measured
from exam_core.asked import Bank
from exam_core.cli import common as cli
from exam_core.cli.declared_options import takes_declared


def replies(
    size: Annotated[int, typer.Option(min=1000, help="Characters of a reply that is made to be slow.")] = 1_000_000,
) -> None:
    """How long the slowest of a model's replies takes until its questions are read.

    Example: examboard bench replies
    """
    from benchmarks.wings.banks.replies import benchmark

    print_measured("Measuring", lambda progress: benchmark(size, progress=progress))


@takes_declared()
def editing(
    collection: Annotated[str, typer.Argument(help="Collection of the store whose bank is edited.")] = "demo",
    bank: Bank = None,
    edits: Annotated[int, typer.Option(min=1, help="Number of questions to switch off, each alone.")] = 20,
) -> None:
    """Time from switching off or rewording a question to its leaderboard, correlations, kappa and labels.

    Example: examboard bench editing dl19 --bank genq
    """
    from benchmarks.wings.banks.editing import benchmark

    print_measured(
        "Measuring",
        lambda progress: benchmark(cli.open_store().snapshot(collection), bank, edits=edits, progress=progress),
    )
