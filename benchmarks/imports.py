"""How long runs and judgments of many lines take to come in, and in how much memory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.corpus import DEPTH, measured
from exam_core.progress import Progress, no_progress

PASSAGES = 8_841_823
"""Passages of MS MARCO, of which each query's are drawn."""


def benchmark(lines: int, folder: Path | None = None, *, progress: Progress = no_progress) -> dict[str, Any]:
    """Let a process import a run and judgments of so many lines, and the run again.

    Returns
    -------
    for each import what it said, seconds, processor seconds and the largest resident memory in MiB
    """
    load, imports = os.getloadavg()[0], []
    with tempfile.TemporaryDirectory(prefix="examboard-imports-", dir=folder) as name:
        for place, kind in enumerate(("run", "qrels")):
            file = Path(name) / kind
            with file.open("w", encoding="ascii") as target:
                target.writelines(_lines(kind, lines))
            for _ in range(2 if kind == "run" else 1):
                imports.append({"kind": kind, "lines": lines} | measured(name, kind, file))
            progress((place + 1) / 2)
    return {"load": load, "imports": imports}


def _lines(kind: str, lines: int) -> Iterator[str]:
    rng = np.random.default_rng(7)
    for query in range(lines // DEPTH):
        docs = rng.choice(PASSAGES, DEPTH, replace=False)
        scores = np.sort(rng.gamma(8, 2, DEPTH))[::-1]
        for rank, (doc, score) in enumerate(zip(docs, scores, strict=True), 1):
            yield f"q{query} Q0 {doc} {rank} {score:.6f} made\n" if kind == "run" else f"q{query} 0 {doc} {rank % 4}\n"
