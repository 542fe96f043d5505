"""A small collection with several graders of the same passages, as a store; grades are given as text."""

from collections.abc import Mapping
from pathlib import Path

from exam_core.store import Snapshot
from exam_core.tables import GRADES, JUDGMENTS, QUESTIONS, RANKINGS
from tests.analysis.worlds import store_of, table

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
    rows, judgments = [], []
    for grader, grades in votes.items():
        for place, grade in enumerate(grades):
            if grade != "-":
                query = QUERIES[place % 2]
                question = f"{query}/{place // 2 % 2}" if questions else None
                doc = f"d{place // 4}" if questions else f"d{place}"
                rows.append((grader, question, query, doc, None if grade == "?" else int(grade)))
    for place, relevance in enumerate(judged):
        if relevance != "-":
            judgments.append(("official", QUERIES[place % 2], f"d{place}", int(relevance)))
    frames = {"grades": table(GRADES, rows)}
    if judgments:
        frames["judgments"] = table(JUDGMENTS, judgments)
    if questions:
        asked = [
            (BANK, 1, f"{query}/{number}", query, None, None, "?", None, 1.0, True)
            for query in QUERIES
            for number in range(2)
        ]
        frames["questions"] = table(QUESTIONS, asked)
    docs = sorted({row[3] for row in rows})
    frames["rankings"] = table(
        RANKINGS,
        [
            (run, query, doc, rank, rank, float(-rank), False)
            for run, order in (("forth", docs), ("back", docs[::-1]))
            for query in QUERIES
            for rank, doc in enumerate(order, 1)
        ],
    )
    return store_of(path, frames, {grader: {"scale": scale} for grader in votes})
