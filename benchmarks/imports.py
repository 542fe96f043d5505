"""How long runs, judgments and passages of many lines take to come in, and in how much memory."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.corpus import DEPTH, measured
from exam_core.progress import Progress, no_progress

PASSAGES, LINES = 8_841_823, 7_000_000
"""Passages of MS MARCO, of which each query's are drawn, and lines of a run over its development queries."""


def benchmark(lines: int, folder: Path | None = None, *, progress: Progress = no_progress) -> dict[str, Any]:
    """Let a process import runs and judgments of so many lines, and passages in proportion; some files twice.

    Returns
    -------
    for each import what it said, seconds, processor seconds and the largest resident memory in MiB
    """
    load, imports = os.getloadavg()[0], []
    with tempfile.TemporaryDirectory(prefix="examboard-imports-", dir=folder) as name:
        for place, (what, (kind, made, times)) in enumerate(_FILES.items()):
            file, count = Path(name) / what, lines if kind != "passages" else PASSAGES * lines // LINES
            with file.open("w", encoding="ascii") as target:
                target.writelines(made(count))
            for _ in range(times):
                imports.append({"kind": what, "lines": count} | measured(name, kind, file))
            progress((place + 1) / len(_FILES))
    return {"load": load, "imports": imports}


def _ranked(lines: int) -> Iterator[tuple[int, int, int, float]]:
    """Query, passage, rank and score."""
    rng = np.random.default_rng(7)
    for query in range(lines // DEPTH):
        docs = rng.choice(PASSAGES, DEPTH, replace=False)
        scores = np.sort(rng.gamma(8, 2, DEPTH))[::-1]
        yield from zip([query] * DEPTH, docs.tolist(), range(1, DEPTH + 1), scores.tolist(), strict=True)


def _run(lines: int) -> Iterator[str]:
    return (f"q{query} Q0 {doc} {rank} {score:.6f} made\n" for query, doc, rank, score in _ranked(lines))


def _run_in_no_order(lines: int) -> Iterator[str]:
    """A line of each query, then another one of each."""
    queries = lines // DEPTH
    return (f"q{n % queries} Q0 {n} {n // queries + 1} {DEPTH - n // queries} apart\n" for n in range(lines))


def _qrels(lines: int) -> Iterator[str]:
    return (f"q{query} 0 {doc} {rank % 4}\n" for query, doc, rank, _ in _ranked(lines))


def _passages(lines: int) -> Iterator[str]:
    rng = random.Random(7)
    pieces = [" ".join(rng.choices("the of and yeast bread rises dough sugar".split(), k=8)) for _ in range(20_000)]
    return (f"{n}\t{n} {' '.join(rng.choices(pieces, k=7))}\n" for n in range(lines))


_FILES: dict[str, tuple[str, Callable[[int], Iterator[str]], int]] = {
    "run": ("run", _run, 2),
    "run in no order": ("run", _run_in_no_order, 1),
    "qrels": ("qrels", _qrels, 1),
    "passages": ("passages", _passages, 2),
}
"""By name: kind, lines, and how often the file is imported."""
