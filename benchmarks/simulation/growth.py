"""How time grows with grades: the whole job over ever more queries of one simulated collection.

In one thread: two that share a core's caches take more time each, the more of them there are to share. The system's
time is apart: it hands out memory, which on a virtual machine can take longer than all else.
"""

from __future__ import annotations

import os
import resource
import statistics
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.simulation.analysis import Job
from benchmarks.simulation.collection import simulate
from benchmarks.simulation.settings import Settings
from exam_core import engine
from exam_core.analysis.agreement import relevances_of_pairs
from exam_core.analysis.choice import TAUS
from exam_core.analysis.choosing import choose
from exam_core.analysis.references import find_reference
from exam_core.analysis.values import clear_gradebooks, gradebook
from exam_core.progress import Progress, no_progress
from exam_core.request import Request
from exam_core.store import Store
from exam_core.tables import OFFICIAL

HALVINGS = range(4, -1, -1)
"""Sizes: a sixteenth of the queries, an eighth, ..., all."""
ROUNDS = 7


def benchmark(scale: int, store: Path | None = None, *, progress: Progress = no_progress) -> dict[str, Any]:
    """Processor time of the whole job at five sizes, in rounds over all of them, and the exponent of our own.

    Parameters
    ----------
    scale : of the largest size; 1 has CAR Y3's
    store : folder in which the collection is kept; by default one that is removed
    """
    os.environ[engine.WORKERS] = "1"
    with tempfile.TemporaryDirectory() as temporary:
        jobs = _jobs(Store(store or Path(temporary)), scale, progress)
        rounds = [[_seconds(job) for job in jobs] for _ in range(ROUNDS + 1)][1:]
    grades = [job.book.grades.size for job in jobs]
    ours, system = ([statistics.median(one) for one in zip(*kind, strict=True)] for kind in _apart(rounds))
    return {
        "workers": 1,
        "sizes": [
            {"queries": len(job.book.query_ids), "grades": size, "user_s": user, "system_s": other}
            for job, size, user, other in zip(jobs, grades, ours, system, strict=True)
        ],
        "exponent": float(np.polyfit(np.log(grades), np.log(ours), 1)[0]),
    }


def _jobs(store: Store, scale: int, progress: Progress) -> list[Job]:
    name = f"simulated-{scale}"
    if name not in store.collections():
        simulate(store, name, Settings(scale=scale, texts=False), progress=progress)
    snapshot = store.snapshot(name)
    labelling = choose(snapshot, Request(measure="P@20", tau=4)).labelling
    book, judged = gradebook(snapshot, labelling), relevances_of_pairs(snapshot, labelling, OFFICIAL)
    reference = find_reference(snapshot, OFFICIAL)
    assert reference is not None
    clear_gradebooks()
    parts = [book.of_queries(slice(0, len(book.query_ids) >> halved)) for halved in HALVINGS]
    return [Job(part, reference.ranks, judged[: len(part.pair_query)]) for part in parts]


def _seconds(job: Job) -> tuple[float, float]:
    """Our processor time and the system's, of a new gradebook: words, labels and marks are made, too."""
    again = Job(replace(job.book), job.ranks, job.judged)
    before = resource.getrusage(resource.RUSAGE_SELF)
    again.run(TAUS)
    after = resource.getrusage(resource.RUSAGE_SELF)
    return after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime


def _apart(rounds: list[list[tuple[float, float]]]) -> list[list[list[float]]]:
    """Each round's times of ours, and each round's times of the system."""
    return [[[times[kind] for times in one] for one in rounds] for kind in (0, 1)]
