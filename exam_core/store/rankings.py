"""Rankings with their texts: what a run returned for a query, and what was asked."""

from __future__ import annotations

import pandas as pd

from exam_core.store.names import page_of, page_sql
from exam_core.store.question_texts import query_texts
from exam_core.store.snapshot import Snapshot

# A facet's ranking is judged by the facet's own judgments, else by its page's.
_RANKED = f"""
WITH listed AS (
    SELECT rank, doc_id FROM rankings WHERE run_id = $run AND query_id = $query
        AND ($depth IS NULL OR rank <= $depth)
),
judged AS (
    SELECT doc_id, relevance, query_id != $query AS of_page FROM judgments
    WHERE qrels_id = $qrels AND query_id IN ($query, {page_sql("$query")})
    QUALIFY row_number() OVER (PARTITION BY doc_id ORDER BY of_page) = 1
)
SELECT rank, doc_id, relevance, left(passage_text, $characters) AS text
FROM listed LEFT JOIN judged USING (doc_id)
LEFT JOIN (SELECT doc_id, passage_text FROM passages WHERE doc_id IN (SELECT doc_id FROM listed)) USING (doc_id)
ORDER BY rank
"""


def ranked_passages(
    snapshot: Snapshot,
    run_id: str,
    query_id: str,
    *,
    depth: int | None = None,
    qrels_id: str | None = None,
    characters: int = 10_000,
) -> pd.DataFrame:
    """The passages of a ranking, first place first: rank, doc_id, relevance (NaN without a judgment), text.

    Parameters
    ----------
    depth : how many places; None for all
    qrels_id : whose relevance; None for nobody's
    characters : of a text's beginning
    """
    named = {"run": run_id, "query": query_id, "depth": depth, "qrels": qrels_id, "characters": characters}
    return snapshot.query(_RANKED, named).astype({"relevance": float})


def texts_of(snapshot: Snapshot, query_ids: list[str]) -> list[object]:
    """What was asked by each query; a facet's query without a text of its own has its page's, None if unknown."""
    known = query_texts(snapshot)
    return [known.get(name) or known.get(page_of(name)) for name in query_ids]
