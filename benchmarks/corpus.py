"""How long the texts of passages take to come in from a corpus as large as MS MARCO's, and in how much memory."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from exam_core.progress import Progress, no_progress

NAMED = (10_000, 1_000_000)
"""Passages that collections name, as small and large sets of runs do."""
WORDS, PIECES, DEPTH = 30_000, 20_000, 1000
"""Words, and pieces of some of them, that texts are made of; passages that the made run ranks for a query."""


def benchmark(
    passages: int, named: Sequence[int], folder: Path | None = None, *, progress: Progress = no_progress
) -> dict[str, Any]:
    """Let a process import a made corpus, once for each number of passages that a run names.

    Parameters
    ----------
    passages : of the corpus
    named : passages that the run of the collection names, spread over the corpus
    folder : for the corpus and the stores

    Returns
    -------
    size of the file; for each import what was named, seconds, processor seconds and the largest resident memory in MiB
    """
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="examboard-corpus-", dir=folder) as name:
        corpus, imports = Path(name) / "corpus.jsonl", []
        write_corpus(corpus, passages)
        progress(1 / (len(named) + 1))
        for place, count in enumerate(named):
            run = Path(name) / f"{count}.run"
            with run.open("w", encoding="ascii") as file:
                for rank, doc in enumerate(range(0, passages, max(passages // count, 1))):
                    if rank < count:
                        file.write(f"q{rank // DEPTH} Q0 {doc} {rank % DEPTH + 1} {DEPTH - rank % DEPTH} made\n")
            measured(name, "run", run)
            imports.append({"named": count} | measured(name, "passages", corpus))
            measured(name, "undo", None)
            measured(name, "undo", None)
            progress((place + 2) / (len(named) + 1))
        return {"load": load, "passages": passages, "mib": round(corpus.stat().st_size / 2**20), "imports": imports}


def write_corpus(path: Path, passages: int, seed: int = 7) -> None:
    """JSON lines as Anserini has them, of words that mean nothing."""
    rng = random.Random(seed)
    words = ["".join(rng.choices("etaoinshrdlucmfw", k=max(2, int(rng.gauss(5, 2))))) for _ in range(WORDS)]
    pieces = [" ".join(rng.choices(words, k=rng.randint(6, 10))) for _ in range(PIECES)]
    with path.open("w", encoding="ascii") as file:
        for number in range(passages):
            text = " ".join(rng.choices(pieces, k=rng.randint(5, 9)))
            file.write(f'{{"id": "{number}", "contents": "{text}"}}\n')


def measured(store: str, what: str, file: Path | None) -> dict[str, Any]:
    """What an import takes in a process of its own."""
    command = [sys.executable, "-m", "exam_core", "--store", f"{store}/store", "import", what]
    began = time.monotonic()
    process = subprocess.Popen(
        [*command, *([str(file)] if file else []), "--collection", "made"], stdout=subprocess.PIPE, text=True
    )
    said = process.stdout.read().splitlines() if process.stdout else []
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return {
        "said": said[0] if said else "",
        "seconds": round(time.monotonic() - began, 1),
        "processor_s": round(used.ru_utime + used.ru_stime, 1),
        "mib": round(used.ru_maxrss / 2**10),
    }
