"""Pairs of a query and a passage that a collection names, and those of its rankings."""

from __future__ import annotations

import pandas as pd

from exam_core.store.names import page_of, page_sql
from exam_core.store.question_texts import query_texts
from exam_core.store.snapshot import Snapshot


def _named_by(*tables: str) -> str:
    """A SELECT of query_id, doc_id and best_rank (null where no run ranks it), a row for each pair.

    It reads no other table, so a damaged file of another one stops nothing.
    """
    rank = {"rankings": "rank"}
    parts = (f"SELECT query_id, doc_id, {rank.get(name, 'NULL::INTEGER')} AS rank FROM {name}" for name in tables)
    return f"SELECT query_id, doc_id, min(rank) AS best_rank FROM ({' UNION ALL '.join(parts)}) GROUP BY ALL"


def _rows_of(*tables: str) -> str:
    """The same without ranks, where a pair may come several times: nothing is held to tell them apart."""
    return " UNION ALL ".join(f"SELECT query_id, doc_id FROM {name}" for name in tables)


KNOWN_ROWS = _rows_of("pool", "judgments", "grades")
NAMED_ROWS = _rows_of("pool", "judgments", "grades", "rankings")
KNOWN = _named_by("pool", "judgments", "grades")
"""Pairs of which more is known than that a run returned them. A collection counts these, and their queries are its
queries: a run may return a thousand passages for a query, most of which nobody has looked at."""

TO_GRADE = _named_by("pool", "judgments", "rankings")
"""Pairs that a grader is asked about, and of which a job is a share. Those that are known by a grade alone (say by a
file of labels) are left out: where they come from they have no text."""

ASKED = _named_by("pool", "judgments")
"""Pairs whose query somebody meant to evaluate, graded or not."""

NAMED = _named_by("pool", "judgments", "grades", "rankings")
"""All pairs that are named anywhere."""


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

    So many places (None: all), with the relevance of these judgments (None: nobody's) and the first characters of each
    text.
    """
    named = {"run": run_id, "query": query_id, "depth": depth, "qrels": qrels_id, "characters": characters}
    return snapshot.query(_RANKED, named).astype({"relevance": float})


def texts_of(snapshot: Snapshot, query_ids: list[str]) -> list[object]:
    """What was asked by each query; a facet's query without a text of its own has its page's, None if unknown."""
    known = query_texts(snapshot)
    return [known.get(name) or known.get(page_of(name)) for name in query_ids]
