"""A collection in which the true order of the runs shows at tau 3 and at no other tau."""

import random
from pathlib import Path

import pandas as pd

from exam_core.store import Snapshot
from exam_core.tables import GRADES, JUDGMENTS, LEADERBOARDS, QUESTIONS, RANKINGS

from .worlds import store_of, table

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
    frames = {"questions": _questions(), "grades": _grades(rng), "rankings": _rankings()}
    if official:
        ranks = [("official", run, float(rank)) for rank, run in enumerate(reversed(RUNS), 1)]
        frames["leaderboards"] = table(LEADERBOARDS, ranks)
    if judged:
        # Relevant are the passages of the better half of the runs.
        rows = [("official", query, f"{query}-{run}", int(run in RUNS[4:])) for query in QUERIES for run in RUNS]
        frames["judgments"] = table(JUDGMENTS, rows)
    return store_of(path, frames, {"rater": {"scale": scale}})


def _grades(rng: random.Random) -> pd.DataFrame:
    rows: list[tuple[str, str, str, str, int]] = []
    for query in QUERIES:
        for number, run in enumerate(RUNS):
            reaching_3, reaching_1, reaching_4 = number + 1, rng.randint(len(RUNS), N_QUESTIONS), rng.randint(0, 1)
            grades = [5] * reaching_4 + [3] * (reaching_3 - reaching_4) + [2] * (reaching_1 - reaching_3)
            grades += [0] * (N_QUESTIONS - len(grades))
            rows += [("rater", f"{query}/{at}", query, f"{query}-{run}", grade) for at, grade in enumerate(grades)]
    return table(GRADES, rows)


def _questions() -> pd.DataFrame:
    rows = [
        ("bank", 1, f"{query}/{at}", query, None, None, "?", None, 1.0, True)
        for query in QUERIES
        for at in range(N_QUESTIONS)
    ]
    return table(QUESTIONS, rows)


def _rankings() -> pd.DataFrame:
    return table(RANKINGS, [(run, query, f"{query}-{run}", 1, 1, 1.0, False) for run in RUNS for query in QUERIES])
