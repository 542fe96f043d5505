"""`examboard simulate`."""

from __future__ import annotations

from typing import Annotated

import typer

from exam_core.cli.common import Collection, open_store, print_imported, progress_bar
from exam_core.simulation.settings import Settings

_SIZE = Settings()


def simulate(
    collection: Collection,
    queries: Annotated[int, typer.Option(help="Queries, before scaling.")] = _SIZE.queries,
    passages: Annotated[int, typer.Option(help="(query, passage) pairs, before scaling.")] = _SIZE.passages,
    runs: Annotated[int, typer.Option(help="Runs.")] = _SIZE.runs,
    questions: Annotated[int, typer.Option(help="Questions of each query.")] = _SIZE.questions,
    depth: Annotated[int, typer.Option(help="Passages that a run returns for a query.")] = _SIZE.depth,
    scale: Annotated[int, typer.Option(help="Multiplies queries and passages.")] = _SIZE.scale,
    seed: Annotated[int, typer.Option(help="One seed always gives one collection.")] = _SIZE.seed,
    official_runs: Annotated[
        int | None, typer.Option(help="Runs that the official leaderboard ranks; by default 16 of 22.")
    ] = None,
    judged: Annotated[float, typer.Option(help="Share of the passages that is judged.")] = _SIZE.judged,
    unreadable: Annotated[float, typer.Option(help="Share of the grades that can't be read.")] = _SIZE.unreadable,
    taste: Annotated[float, typer.Option(help="Parts the exam from the official leaderboard.")] = _SIZE.taste,
    texts: Annotated[bool, typer.Option(help="Give every passage a text.")] = _SIZE.texts,
) -> None:
    """A collection of any size whose grades, judgments and runs are drawn from a model; by default of CAR Y3's size.

    Example: examboard simulate car-size --seed 1
    """
    from exam_core.actions import simulate as store_simulated

    settings = Settings(
        queries=queries,
        passages=passages,
        runs=runs,
        questions=questions,
        depth=depth,
        seed=seed,
        scale=scale,
        official_runs=official_runs,
        judged=judged,
        unreadable=unreadable,
        texts=texts,
        taste=taste,
    )
    with progress_bar("Simulating") as progress:
        done = store_simulated(open_store(), collection, settings, progress=progress)
    print_imported(done)
