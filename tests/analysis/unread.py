"""A small collection with answers that can't be read."""

from pathlib import Path

from exam_core.store import Snapshot
from exam_core.tables import GRADES, JUDGMENTS, LEADERBOARDS, QUESTIONS, RANKINGS

from .worlds import store_of, table

QUERIES, RUNS = ("q1", "q2", "q3"), ("good", "half", "lost", "poor")
# Of each query, three passages: a is answered, b is not, c can't be read. Of q3 nothing can be read.
GRADED = {"a": 5, "b": 0, "c": None}
# What each run returned for q1, q2 and q3. Nothing that "lost" returned can be read, and for q2 it returned nothing.
RETURNED = {"good": ("ab", "ab", "ab"), "half": ("ac", "c", "a"), "lost": ("c", "", "b"), "poor": ("b", "bc", "c")}


def unread(folder: Path, *, readable: bool = True, ranked: bool = True) -> Snapshot:
    """The collection in a store; where `readable` is false, no answer can be read, and without `ranked` nothing ranks.

    Passages a are judged relevant, and b not; c, which can't be read, is of neither.
    """
    graded = {
        (query, doc): grade if readable and query != "q3" else None
        for query in QUERIES
        for doc, grade in GRADED.items()
    }
    grades = [
        *(("rater", f"{query}/{n}", query, doc, grade) for (query, doc), grade in graded.items() for n in (1, 2)),
        *(("labels", None, query, doc, grade) for (query, doc), grade in graded.items()),
    ]
    rankings = [
        (run, query, doc, place, place, -float(place), False)
        for run, lists in RETURNED.items()
        for query, docs in zip(QUERIES, lists, strict=True)
        for place, doc in enumerate(docs, 1)
    ]
    asked = [(query, n) for query in QUERIES for n in (1, 2)]
    questions = [("b", 1, f"{query}/{n}", query, None, None, "?", None, 1.0, True) for query, n in asked]
    frames = {
        "questions": table(QUESTIONS, questions),
        "grades": table(GRADES, grades),
        "judgments": table(JUDGMENTS, [("official", q, doc, 2 * (doc == "a")) for q in QUERIES for doc in "ab"]),
        **({"rankings": table(RANKINGS, rankings)} if ranked else {}),
        "leaderboards": table(LEADERBOARDS, [("official", run, float(n)) for n, run in enumerate(RUNS, 1)]),
    }
    return store_of(folder, frames)
