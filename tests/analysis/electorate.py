"""A small collection with several graders of the same passages, as a store; grades are given as text."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from exam_core.store import Snapshot
from tests.analysis.worlds import question, ranking, store_of

QUERIES = ("q0", "q1")
BANK = "bank"
VOTES = {"a": "110011010010", "b": "101101100110", "c": "111000101101"}
JUDGED = "210320012302"
"""What three graders say of twelve passages, and how those are judged."""


def electorate(
    path: Path, votes: Mapping[str, str], judged: str = "", *, scale: int = 1, questions: bool = False
) -> Snapshot:
    """A collection of graders.

    Parameters
    ----------
    votes : for each grader a character for each passage: a grade, `?` (can't be read) or `-` (not graded)
    judged : the same for the judgments
    questions : whether each passage is graded for a question, and not as a whole; the query has two
    """
    rows: list[tuple[Any, ...]] = []
    for grader, grades in votes.items():
        for place, grade in enumerate(grades):
            if grade != "-":
                query = QUERIES[place % 2]
                asked = f"{query}/{place // 2 % 2}" if questions else None
                doc = f"d{place // 4}" if questions else f"d{place}"
                rows.append((grader, asked, query, doc, None if grade == "?" else int(grade)))
    docs = sorted({row[3] for row in rows})
    orders = {"forth": docs, "back": docs[::-1]}
    frames: dict[str, list[tuple[Any, ...]]] = {
        "grades": rows,
        "rankings": [row for run, order in orders.items() for query in QUERIES for row in ranking(run, query, order)],
    }
    if judged:
        labels = [(place, int(relevance)) for place, relevance in enumerate(judged) if relevance != "-"]
        frames["judgments"] = [("official", QUERIES[place % 2], f"d{place}", label) for place, label in labels]
    if questions:
        frames["questions"] = [question(f"{query}/{n}", query, BANK) for query in QUERIES for n in range(2)]
    return store_of(path, frames, {grader: {"scale": scale} for grader in votes})
