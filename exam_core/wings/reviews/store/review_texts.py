"""The texts of what is reviewed, and which reviews are of what a collection does not have."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from exam_core.store.evidence import passage_texts, query_texts
from exam_core.store.names import BankRef, page_of
from exam_core.store.pairs import KNOWN
from exam_core.store.snapshot import Snapshot
from exam_core.wings.reviews.queue import Item, ItemTexts, Queue

# A question may be in several banks and versions: the bank that the queue was drawn of, then the newest words.
_QUESTIONS = """
SELECT query_id, question_id,
    arg_max(question_text, (bank_id IS NOT DISTINCT FROM $bank)::INTEGER * 1000000 + version) AS text
FROM questions WHERE question_text IS NOT NULL AND question_id IN (SELECT unnest($ids::VARCHAR[]))
GROUP BY query_id, question_id
"""
_UNKNOWN = f"""
WITH named AS (SELECT unnest($query) AS query_id, unnest($doc) AS doc_id, unnest($question) AS question_id),
asked AS (SELECT query_id FROM queries UNION SELECT query_id FROM ({KNOWN}) UNION SELECT query_id FROM rankings),
there AS (SELECT doc_id FROM passages UNION SELECT doc_id FROM ({KNOWN}) UNION SELECT doc_id FROM rankings)
SELECT CASE
    WHEN query_id NOT IN (SELECT query_id FROM asked) THEN 'query ' || query_id
    WHEN doc_id IS NOT NULL AND doc_id NOT IN (SELECT doc_id FROM there) THEN 'passage ' || doc_id
    WHEN question_id IS NOT NULL AND question_id NOT IN (SELECT question_id FROM questions)
        AND question_id NOT IN (SELECT question_id FROM grades WHERE question_id IS NOT NULL)
        THEN 'question ' || question_id
END AS unknown
FROM named
"""


def texts_of(snapshot: Snapshot, queue: Queue, items: Sequence[Item]) -> list[ItemTexts]:
    """The texts of some of a queue's items; empty where only an id is known."""
    bank = queue.evaluation.get("bank")
    named = BankRef.parse(bank).name if isinstance(bank, str) else None
    queries = query_texts(snapshot)
    passages = passage_texts(snapshot, sorted({item.doc_id for item in items if item.doc_id}))
    ids = sorted({item.question_id for item in items if item.question_id})
    rows = snapshot.query(_QUESTIONS, {"ids": ids, "bank": named})
    questions = {(query, name): text for query, name, text in rows.itertuples(index=False)}
    return [
        ItemTexts(
            queries.get(item.query_id) or queries.get(page_of(item.query_id), ""),
            questions.get((item.query_id, item.question_id), ""),
            passages.get(item.doc_id or "", ""),
        )
        for item in items
    ]


def unknown_to(snapshot: Snapshot, reviews: pd.DataFrame) -> list[str]:
    """Of each review that is of what a collection does not have, the first of its ids that nobody knows.

    Parameters
    ----------
    reviews : rows of the table `reviews`
    """
    ids = {name: _texts(reviews[f"{name}_id"]) for name in ("query", "doc", "question")}
    found = snapshot.query(_UNKNOWN, ids)["unknown"]
    return [str(text) for text in found[found.notna()]]


def _texts(column: pd.Series) -> Sequence[str | None]:
    return [value if isinstance(value, str) else None for value in column]
