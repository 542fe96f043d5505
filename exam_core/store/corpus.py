"""The passages that a collection names, and how many of them have no text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from exam_core.store.citations import cited_passages
from exam_core.store.database import NARROW_OF_TEXTS
from exam_core.store.snapshot import Snapshot
from exam_core.store.snapshot_cache import kept

_NAMED = " UNION ".join(f"SELECT doc_id FROM {table}" for table in ("pool", "judgments", "grades", "rankings"))
_BATCH = 2**14
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


def named_passages(snapshot: Snapshot) -> Iterator[str]:
    """Ids of the passages that a run, a judgment, a pool or a grade names, or a response cites."""
    with snapshot.cursor(narrow=True, most=NARROW_OF_TEXTS) as cursor:
        for batch in cursor.sql(snapshot.with_tables(_NAMED)).to_arrow_reader(_BATCH):
            yield from batch.column(0).to_pylist()
    yield from chain.from_iterable(cited_passages(snapshot).values())


def names_of_passages(snapshot: Snapshot) -> str:
    """What differs where other passages are named."""
    sql = f"SELECT count(*) || ' ' || bit_xor(md5_number(doc_id)) FROM ({_NAMED})"
    with snapshot.cursor(narrow=True, most=NARROW_OF_TEXTS) as cursor:
        ((named,),) = cursor.execute(snapshot.with_tables(sql)).fetchall()
    return f"{named} {sorted(set().union(*cited_passages(snapshot).values()))}"


@kept(64)
def texts_of_named(snapshot: Snapshot) -> TextCounts:
    """How many passages are named, and how many of these have no text."""
    with snapshot.cursor(narrow=True, most=NARROW_OF_TEXTS) as cursor:
        return TextCounts(*cursor.execute(snapshot.with_tables(_COUNTS)).fetchall()[0])
