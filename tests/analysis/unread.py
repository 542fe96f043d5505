"""A small collection with answers that can't be read."""

from pathlib import Path

from exam_core.store import Snapshot

from .worlds import question, ranking, store_of

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
    lists = [(run, *pair) for run, own in RETURNED.items() for pair in zip(QUERIES, own, strict=True)]
    rankings = [row for run, query, docs in lists for row in ranking(run, query, docs)]
    frames = {
        "questions": [question(f"{query}/{n}", query, "b") for query in QUERIES for n in (1, 2)],
        "grades": grades,
        "judgments": [("official", q, doc, 2 * (doc == "a")) for q in QUERIES for doc in "ab"],
        **({"rankings": rankings} if ranked else {}),
        "leaderboards": [("official", run, float(n)) for n, run in enumerate(RUNS, 1)],
    }
    return store_of(folder, frames)
