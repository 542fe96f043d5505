"""`examboard bench texts`."""

from __future__ import annotations

from typing import Annotated

import typer

from benchmarks.commands import print_measured


def texts(
    topics: Annotated[int, typer.Option(min=1, help="Number of topics; TREC RAG 2024 has 301 with nuggets.")] = 301,
    systems: Annotated[int, typer.Option(min=2, help="Systems that answer each topic.")] = 50,
) -> None:
    """POURPRE, ROUGE and a thousand shuffles of vital and okay nuggets, on generated answers.

    Example: examboard bench texts --systems 10
    """
    from benchmarks.wings.neighbours.texts import benchmark

    print_measured("Measuring", lambda progress: benchmark(topics, systems, progress=progress))
