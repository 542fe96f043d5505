"""The passages that a collection names, and how many of them have no text."""

from __future__ import annotations

from dataclasses import dataclass

from exam_core.store.citations import cited_passages
from exam_core.store.snapshot import Snapshot
from exam_core.store.snapshot_cache import kept

_NAMED = " UNION ".join(f"SELECT doc_id FROM {table}" for table in ("pool", "judgments", "grades", "rankings"))
# A text has a hash: the texts themselves are not read.
_COUNTS = f"""
SELECT count(*) AS named, count(*) FILTER (text_hash IS NULL) AS textless
FROM ({_NAMED}) LEFT JOIN passages USING (doc_id)
"""


@dataclass(frozen=True)
class TextCounts:
    """How many passages runs, judgments, pools and grades name, and how many of these have no text."""

    named: int
    textless: int


def named_passages(snapshot: Snapshot) -> set[str]:
    """Ids of the passages that a run, a judgment, a pool or a grade names, or a response cites."""
    found: set[str] = set()
    with snapshot.cursor() as cursor:
        for batch in cursor.sql(snapshot.with_tables(_NAMED)).to_arrow_reader(100_000):
            found.update(batch.column(0).to_pylist())
    return found.union(*cited_passages(snapshot).values())


@kept(64)
def texts_of_named(snapshot: Snapshot) -> TextCounts:
    """How many passages are named, and how many of these have no text."""
    return TextCounts(*map(int, snapshot.query(_COUNTS).iloc[0]))
