"""`examboard bench ...`: how long things take, as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from exam_core.cli.common import progress_bar
from exam_core.reports.tables import as_json

app = typer.Typer(invoke_without_command=True)


@app.callback()
def bench(context: typer.Context) -> None:
    """Time Examboard beside other tools; prints JSON. Without a command: analysis.

    Example: examboard bench analysis --scale 10
    """
    if context.invoked_subcommand is None:
        analysis()


@app.command()
def analysis(
    scale: Annotated[int, typer.Option(min=1, max=100, help="1 has the size of CAR Y3; 10, 100: times it.")] = 1,
    keep: Annotated[
        Path | None, typer.Option(help="Store to keep the simulated collection in, for the next time.")
    ] = None,
) -> None:
    """All measures, taus, correlations and kappas of a simulated collection, beside pytrec_eval and ir_measures.

    Example: examboard bench analysis --scale 10
    """
    from exam_core.bench.analysis import benchmark  # ir_measures takes a second to load

    with progress_bar("Measuring") as progress:
        answer = benchmark(scale, keep, progress=progress)
    typer.echo(as_json(answer))


@app.command()
def evaluation(
    file: Annotated[Path | None, typer.Argument(help="Graded workbench file; by default the demo is used.")] = None,
) -> None:
    """Every step from a file to a leaderboard, beside ir_measures.

    Example: examboard bench evaluation graded.jsonl.gz
    """
    from exam_core.bench.evaluation import benchmark  # ir_measures takes a second to load

    with progress_bar("Measuring"):
        answer = benchmark(file)
    typer.echo(as_json(answer))


@app.command()
def coverage(
    draws: Annotated[int, typer.Option(min=100, help="Samples of queries, for each size.")] = 2000,
) -> None:
    """How often 95% intervals of means, kappa and correlations hold the truth of a large simulated collection.

    Example: examboard bench coverage
    """
    from exam_core.bench.coverage import benchmark  # ir_measures takes a second to load

    with progress_bar("Measuring") as progress:
        answer = benchmark(draws, progress=progress)
    typer.echo(as_json(answer))
