"""A collection in which the true order of the runs shows at tau 3 and at no other tau."""

import random
from pathlib import Path
from typing import Any

from exam_core.store import Snapshot

from .worlds import question, ranking, store_of

RUNS = [f"run{number}" for number in range(8)]
"""From the worst to the best."""
QUERIES = [f"q{number}" for number in range(12)]
N_QUESTIONS = 10


def planted(path: Path, *, official: bool = True, judged: bool = True, scale: int = 5) -> Snapshot:
    """The collection: each run returns one passage of its own for each query.

    The passage of run number r has r + 1 grades of 3 or more; how many are 5, and how many are 2 or more, is drawn at
    random for every passage. There are no other grades but 0.
    """
    rng = random.Random(5)
    rows: list[tuple[Any, ...]] = []
    for query in QUERIES:
        for number, run in enumerate(RUNS):
            reaching_3, reaching_1, reaching_4 = number + 1, rng.randint(len(RUNS), N_QUESTIONS), rng.randint(0, 1)
            grades = [5] * reaching_4 + [3] * (reaching_3 - reaching_4) + [2] * (reaching_1 - reaching_3)
            grades += [0] * (N_QUESTIONS - len(grades))
            rows += [("rater", f"{query}/{at}", query, f"{query}-{run}", grade) for at, grade in enumerate(grades)]
    frames: dict[str, list[tuple[Any, ...]]] = {
        "questions": [question(f"{query}/{at}", query) for query in QUERIES for at in range(N_QUESTIONS)],
        "grades": rows,
        "rankings": [row for run in RUNS for query in QUERIES for row in ranking(run, query, [f"{query}-{run}"])],
    }
    if official:
        frames["leaderboards"] = [("official", run, float(rank)) for rank, run in enumerate(reversed(RUNS), 1)]
    if judged:
        # Relevant are the passages of the better half of the runs.
        better = RUNS[4:]
        frames["judgments"] = [("official", q, f"{q}-{run}", int(run in better)) for q in QUERIES for run in RUNS]
    return store_of(path, frames, {"rater": {"scale": scale}})
