"""What runs wrote, and the nuggets of a bank: the two sides of a measure of texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from exam_core.store.cells import FACET, RANKED
from exam_core.store.question_texts import IN_ORDER
from exam_core.store.snapshot import Snapshot

_ALL = 2**31 - 1
# A nugget to avoid is no fact that an answer should contain.
_NUGGETS = f"""
WITH facet AS ({FACET}),
asked AS (
    SELECT question_id, coalesce(facet.unit, query_id) AS unit, question_text, coalesce(weight, 1) AS weight,
        coalesce(importance, 'vital') = 'vital' AS vital, of_bank
    FROM ({IN_ORDER}) LEFT JOIN facet
        ON facet.page = query_id AND (facet_id IS NULL OR facet.unit = query_id || '/' || facet_id)
    WHERE enabled AND importance IS DISTINCT FROM 'avoid'
)
SELECT * FROM asked ORDER BY unit, of_bank
"""
_LISTED = """
WITH listed AS (
    SELECT run_id, query_id AS unit, place, doc_id FROM ({ranked}) WHERE query_id IN (SELECT unnest($units))
),
doc AS (
    SELECT doc_id, (row_number() OVER (ORDER BY doc_id) - 1)::INTEGER AS doc_code
    FROM (SELECT DISTINCT doc_id FROM listed)
)
"""
_RANKINGS = "SELECT run_id, unit, list(doc_code ORDER BY place) FROM listed JOIN doc USING (doc_id) GROUP BY ALL"
_TEXTS = "SELECT passage_text FROM doc LEFT JOIN passages USING (doc_id) ORDER BY doc_code"
_DOCUMENTS = "SELECT passage_text FROM passages WHERE passage_text IS NOT NULL"


def read_nuggets(snapshot: Snapshot, bank: tuple[str, int]) -> pd.DataFrame:
    """question_id, unit, question_text, weight and vital of the enabled questions, by unit, in the bank's order.

    A unit is a query, or a facet where the rankings are by facet.
    """
    return snapshot.query(_NUGGETS, {"bank": bank[0], "version": bank[1]})


def read_written(
    snapshot: Snapshot, units: Sequence[str], *, depth: int | None, order: str = "score"
) -> Iterator[tuple[str, str, list[str | None]]]:
    """Run, unit and texts of the first passages of each ranking; None where only the id of a passage is known.

    Each text is read once, whichever runs rank its passage.

    Parameters
    ----------
    depth, order : as of `CellSource`
    """
    listed = _LISTED.format(ranked=RANKED[order])
    values = {"depth": depth or _ALL, "units": list(units)}
    texts = _column(snapshot, listed + _TEXTS, values)
    for run, unit, docs in snapshot.query(listed + _RANKINGS, values).itertuples(index=False):
        yield run, unit, [texts[doc] for doc in docs.tolist()]


def documents(snapshot: Snapshot) -> list[str]:
    """The texts of all passages that have one."""
    return _column(snapshot, _DOCUMENTS)


def _column(snapshot: Snapshot, sql: str, values: dict[str, object] | None = None) -> list[Any]:
    """A query's only column."""
    with snapshot.cursor() as cursor:
        return cursor.sql(snapshot.with_tables(sql), params=values).to_arrow_table()[0].to_pylist()
