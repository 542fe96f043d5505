"""Benchmarks of simulated collections: `examboard bench analysis` and others."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.commands import on_all_processors, one_thread, print_measured
from exam_core.cli import common as cli


def analysis(
    scale: Annotated[int, typer.Option(min=1, max=1000, help="1 has the size of CAR Y3; 10, 100, 1000: times it.")] = 1,
    keep: Annotated[
        Path | None, typer.Option(help="Store to keep the simulated collection in, for the next time.")
    ] = None,
) -> None:
    """All measures, taus, correlations and kappas of a simulated collection, beside pytrec_eval and ir_measures.

    Example: examboard bench analysis --scale 10
    """
    from benchmarks.wings.simulation.analysis import LARGEST_COMPARED, benchmark

    if scale > LARGEST_COMPARED:
        one_thread()
    print_measured("Measuring", lambda progress: benchmark(scale, keep, progress=progress))


def growth(
    scale: Annotated[int, typer.Option(min=1, max=100, help="Of the largest size; 1 has the size of CAR Y3.")] = 32,
    keep: Annotated[
        Path | None, typer.Option(help="Store to keep the simulated collection in, for the next time.")
    ] = None,
) -> None:
    """Processor time of all measures and taus at five sizes of a simulated collection, and its exponent.

    Example: examboard bench growth --scale 8
    """
    one_thread()
    from benchmarks.wings.simulation.growth import benchmark

    print_measured("Measuring", lambda progress: benchmark(scale, keep, progress=progress))


def coverage(
    real: Annotated[
        str | None, typer.Argument(help="Collection of the store, such as DL19, to take for a population, too.")
    ] = None,
    collections: Annotated[int, typer.Option(min=2, help="Simulated collections.")] = 12,
    samples: Annotated[int, typer.Option(min=2, help="Samples of queries, for each size and collection.")] = 20,
    without: Annotated[
        list[str] | None,
        typer.Option(help="Look at the collection of the store also without this run; may be repeated."),
    ] = None,
) -> None:
    """How often 95% intervals of means, kappa and correlations hold the truth: many populations, on all processors.

    Example: examboard bench coverage dl19
    """
    one_thread()
    from benchmarks.wings.simulation.coverage import benchmark

    population = cli.open_store().snapshot(real) if real else None
    on_all_processors(partial(benchmark, collections, samples, population, without or ()))


def circularity(
    collections: Annotated[int, typer.Option(min=2, help="Simulated collections.")] = 12,
    samples: Annotated[int, typer.Option(min=2, help="Samples of queries, for each size, bias and collection.")] = 60,
) -> None:
    """How often 95% intervals of the displacement of tagged runs hold a known bias.

    Example: examboard bench circularity
    """
    from benchmarks.wings.simulation.circularity import benchmark

    print_measured("Measuring", lambda progress: benchmark(collections, samples, progress=progress))
