"""`examboard bench ...`: how long things take, as JSON."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from exam_core.cli.common import Commands, Listing, open_store, progress_bar
from exam_core.installation import SERVED_WITH
from exam_core.progress import Progress

app = Commands(cls=Listing, invoke_without_command=True)


def print_measured(doing: str, benchmark: Callable[[Progress], dict[str, Any]]) -> None:
    """Print what is measured, and by which version, commit and command."""
    from benchmarks.made import made_by
    from exam_core.table_text import as_json

    made = made_by()  # before minutes pass and files change
    with progress_bar(doing) as progress:
        answer = benchmark(progress)
    typer.echo(as_json({"made_by": made} | answer))


def one_thread() -> None:
    """Multiply matrices in one thread, as the dashboard's server does; numpy looks at this when it is loaded."""
    os.environ["OPENBLAS_NUM_THREADS"] = SERVED_WITH["OPENBLAS_NUM_THREADS"]


def on_all_processors(benchmark: Callable[..., dict[str, Any]]) -> None:
    """Print what is measured in parts, `each` of them by a process."""
    from multiprocessing import get_context
    from signal import SIG_IGN, SIGINT, signal

    # Ctrl-C is for us: leaving the pool ends its processes, in the middle of what they do.
    with get_context("spawn").Pool(initializer=signal, initargs=(SIGINT, SIG_IGN)) as processes:
        print_measured("Measuring", lambda progress: benchmark(each=processes.imap, progress=progress))


@app.callback()
def bench(context: typer.Context) -> None:
    """Time Examboard beside other tools; prints JSON. Without a command: analysis.

    Example: examboard bench analysis --scale 10
    """
    if context.invoked_subcommand is None:
        context.invoke(analysis)


@app.command()
def analysis(
    scale: Annotated[int, typer.Option(min=1, max=1000, help="1 has the size of CAR Y3; 10, 100, 1000: times it.")] = 1,
    keep: Annotated[
        Path | None, typer.Option(help="Store to keep the simulated collection in, for the next time.")
    ] = None,
) -> None:
    """All measures, taus, correlations and kappas of a simulated collection, beside pytrec_eval and ir_measures.

    Example: examboard bench analysis --scale 10
    """
    from benchmarks.simulation.analysis import LARGEST_COMPARED, benchmark

    if scale > LARGEST_COMPARED:
        one_thread()
    print_measured("Measuring", lambda progress: benchmark(scale, keep, progress=progress))


@app.command()
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
    from benchmarks.simulation.growth import benchmark

    print_measured("Measuring", lambda progress: benchmark(scale, keep, progress=progress))


@app.command()
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
    from benchmarks.simulation.coverage import benchmark

    population = open_store().snapshot(real) if real else None
    on_all_processors(partial(benchmark, collections, samples, population, without or ()))


@app.command()
def errors(
    samples: Annotated[int, typer.Option(min=2, help="Leaderboards of each kind, with or without difference.")] = 400,
) -> None:
    """Errors and power of flags, pairs and tiers of whole leaderboards, and how often intervals of ranks hold.

    Example: examboard bench errors
    """
    one_thread()
    from benchmarks.errors import benchmark

    on_all_processors(partial(benchmark, samples))


@app.command()
def circularity(
    collections: Annotated[int, typer.Option(min=2, help="Simulated collections.")] = 12,
    samples: Annotated[int, typer.Option(min=2, help="Samples of queries, for each size, bias and collection.")] = 60,
) -> None:
    """How often 95% intervals of the displacement of tagged runs hold a known bias.

    Example: examboard bench circularity
    """
    from benchmarks.simulation.circularity import benchmark

    print_measured("Measuring", lambda progress: benchmark(collections, samples, progress=progress))


@app.command()
def corpus(
    passages: Annotated[int, typer.Option(min=1, help="Passages of the corpus; MS MARCO has 8,841,823.")] = 8_841_823,
    named: Annotated[
        list[int] | None,
        typer.Option(
            min=1, help="Passages that the collection names, 10,000 and 1,000,000 by default; may be repeated."
        ),
    ] = None,
    folder: Annotated[Path | None, typer.Option(help="Folder for the corpus, which takes 4 GB.")] = None,
) -> None:
    """Texts of passages from a corpus of MS MARCO's size: time and memory of the import.

    Example: examboard bench corpus --passages 100000 --named 1000
    """
    from benchmarks.corpus import NAMED, benchmark

    print_measured("Measuring", lambda progress: benchmark(passages, named or NAMED, folder, progress=progress))


@app.command()
def dashboard(
    collection: Annotated[str, typer.Argument(help="Collection of the store to open.")] = "demo",
    moves: Annotated[int, typer.Option(min=10, help="How often tau is moved.")] = 40,
    users: Annotated[int, typer.Option(min=0, help="Browsers that move controls at once; 0 leaves this out.")] = 8,
    seconds: Annotated[float, typer.Option(min=1, help="Seconds for which they move them.")] = 60,
    visits: Annotated[int, typer.Option(min=0, help="First visits of a fresh server; 0 leaves this out.")] = 3,
) -> None:
    """The dashboard in a real browser: first visits, from a key on the slider to the new chart, several users at once.

    Example: examboard bench dashboard dl19 --users 8 --seconds 60
    """
    from benchmarks import dashboard as one  # Playwright is needed for this only
    from benchmarks import users as many
    from benchmarks import visits as first
    from exam_core.store import default_store

    store = default_store()

    def measured(progress: Progress) -> dict[str, Any]:
        answer = one.benchmark(store, collection, moves=moves, progress=progress)
        if users:
            answer["users"] = many.benchmark(store, collection, users=users, seconds=seconds)
        if visits:
            answer["visits"] = first.benchmark(store, collection, rounds=visits)
        return answer

    print_measured("Measuring", measured)


@app.command()
def grader(
    config: Annotated[str, typer.Option(help="Shape of the model: tiny, base or large (FLAN-T5's).")] = "base",
    prompts: Annotated[int, typer.Option(min=1, help="Number of prompts; a GPU needs thousands to be busy.")] = 24,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, ...")] = "auto",
    precision: Annotated[
        list[str] | None, typer.Option(help="fp32 (default), tf32 or bf16; again for more, compared with the first.")
    ] = None,
    tokens: Annotated[
        int | None, typer.Option(min=8, max=1024, help="Length of every prompt; by default as in TREC DL 2019.")
    ] = None,
    generated: Annotated[
        int | None,
        typer.Option(min=1, help="Number of prompts that generate answers; by default all, which is slow on a GPU."),
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="How often each program answers its prompts.")] = 3,
) -> None:
    """The grader beside transformers' generate and the encoder alone, on random weights.

    Example: examboard bench grader --config base
    """
    from benchmarks.grader import benchmark

    print_measured(
        "Measuring",
        lambda progress: benchmark(
            config,
            prompts=prompts,
            device=device,
            precisions=tuple(precision or ["fp32"]),
            tokens=tokens,
            generated=generated,
            rounds=rounds,
            progress=progress,
        ),
    )
