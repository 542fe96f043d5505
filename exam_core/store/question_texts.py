"""The words of a bank's questions."""

from __future__ import annotations

import pandas as pd

from exam_core.store.derived_files import on_disk
from exam_core.store.names import page_sql
from exam_core.store.snapshot import Snapshot, cached_by_snapshot

IN_ORDER = """
SELECT *, row_number() OVER () AS of_bank FROM questions WHERE bank_id = $bank AND version = $version
"""
"""The questions of a version of a bank with their places in it: those of the file that brought it, from 1."""
Words = tuple[object, object]
"""Text and facet of a question; None where only its id is known."""


def question_words(snapshot: Snapshot, bank: str, version: int) -> dict[tuple[str, str], Words]:
    """Text and facet of the questions of a version of a bank, by question_id and query_id, in the bank's order.

    The facet is its title, or its id where it has no title.
    """
    rows = snapshot.query(
        "SELECT question_id, query_id, question_text, coalesce(facet_text, facet_id) AS facet FROM questions "
        "WHERE bank_id = ? AND version = ?",
        [bank, version],
    )
    columns = ("question_text", "facet")
    texts, facets = (rows[name].astype(object).where(rows[name].notna(), None) for name in columns)
    keys = zip(rows["question_id"], rows["query_id"], strict=True)
    return dict(zip(keys, zip(texts, facets, strict=True), strict=True))


def query_texts(snapshot: Snapshot) -> dict[str, object]:
    """Text of each query, or its title where it has no text; None where only its id is known."""
    rows = snapshot.query("SELECT query_id, coalesce(query_text, title) AS text FROM queries")
    texts = rows["text"].astype(object).where(rows["text"].notna(), None)
    return dict(zip(rows["query_id"], texts, strict=True))


@cached_by_snapshot(16)
def graded_questions(snapshot: Snapshot) -> frozenset[str]:
    """Ids of the questions that anybody has graded, of whichever bank or of none."""
    return frozenset(_graded_questions(snapshot))


@on_disk
def _graded_questions(snapshot: Snapshot) -> list[str]:
    """The same, sorted: the bytes on disk are those of any other time."""
    rows = snapshot.query("SELECT DISTINCT question_id FROM grades WHERE question_id IS NOT NULL ORDER BY 1")
    return rows["question_id"].tolist()


def questions_under(snapshot: Snapshot, bank: str, version: int, query_id: str) -> pd.DataFrame:
    """The questions of a version of a bank under a query, or under its page: question_id, question_text, gold_answers.

    They are in the bank's order. What is not known is None.
    """
    rows = snapshot.query(
        f"SELECT question_id, question_text, gold_answers FROM ({IN_ORDER}) "
        f"WHERE query_id IN ($query, {page_sql('$query')}) "
        "QUALIFY row_number() OVER (PARTITION BY question_id ORDER BY query_id != $query) = 1 ORDER BY of_bank",
        {"bank": bank, "version": version, "query": query_id},
    )
    return rows.astype(object).where(rows.notna(), None)
