"""`examboard bench gullibility`."""

from __future__ import annotations

from typing import Annotated

import typer

from benchmarks.commands import print_measured


def gullibility(
    samples: Annotated[int, typer.Option(min=100, help="Simulated probes of each setting.")] = 4000,
) -> None:
    """How often intervals of a grader's gullibility hold it, where its bias is known.

    Example: examboard bench gullibility
    """
    from benchmarks.wings.trust.gullibility import benchmark

    print_measured("Simulating", lambda progress: benchmark(samples, progress=progress))
