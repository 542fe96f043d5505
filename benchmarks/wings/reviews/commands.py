"""`examboard bench reviews`."""

from __future__ import annotations

from typing import Annotated

import typer

from benchmarks.commands import print_measured
from exam_core.cli import common as cli
from exam_core.cli.declared_options import takes_declared
from exam_core.request import Bank


@takes_declared()
def reviews(
    collection: Annotated[
        str, typer.Argument(help="Collection of the store with runs, grades and judgments.")
    ] = "demo",
    campaigns: Annotated[int, typer.Option(min=1, help="Simulated campaigns of each size.")] = 2000,
    by: Annotated[str, typer.Option(help="Samplers, comma-separated.")] = "gain",
    bank: Bank = None,
) -> None:
    """How near simulated review campaigns come to the truth, and how often their intervals hold it.

    Example: examboard bench reviews dl19
    """
    from benchmarks.wings.reviews.campaigns import benchmark

    print_measured(
        "Simulating",
        lambda progress: benchmark(cli.open_store(), collection, campaigns, by.split(","), bank, progress=progress),
    )
