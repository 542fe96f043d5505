"""How rows that an import brings differ from those of the collection: what they take away or change, and what fits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd
import pyarrow as pa

from exam_core.store.manifests import ID_COLUMN
from exam_core.store.pairs import KNOWN, NAMED
from exam_core.store.snapshot import Snapshot
from exam_core.tables import TABLES

_SAID = {
    "rankings": ("score", "source_rank"),
    "judgments": ("relevance",),
    "grades": ("grade",),
    "leaderboards": ("rank", "score"),
    "scores": ("value",),
}
"""What a row of such a table says of its key."""


@dataclass(frozen=True)
class Lost:
    """The rows of one id: how many there are, and how many of them an import takes away or changes."""

    table: str
    name: str
    there: int
    lost: int


def lost_rows(snapshot: Snapshot, table: str, names: Sequence[str], frames: Iterable[pd.DataFrame]) -> list[Lost]:
    """What is lost of ids when the rows of these frames take the place of all that are there.

    Parameters
    ----------
    names : ids in the table's column of owners, such as runs; those of which nothing is there are left out
    frames : new rows of the table

    Raises
    ------
    StoreError : a file of the table is damaged
    """
    if table not in _SAID or not names:
        return []
    name, key = ID_COLUMN[table], TABLES[table].key
    sql = f"SELECT {name} AS name, count(*) AS n FROM {table} WHERE list_contains(?, {name}) GROUP BY 1"
    there = snapshot.query(sql, [list(names)]).set_index("name")["n"]
    if there.empty:
        return []
    parts = [frame[frame[name].isin(there.index)] for frame in frames]
    same = " AND ".join(f"old.{part} IS NOT DISTINCT FROM new.{part}" for part in (*key, *_SAID[table]))
    with snapshot.cursor() as cursor:
        cursor.register("new_rows", pa.concat_tables(TABLES[table].arrow(part) for part in parts))
        sql = (
            f"SELECT old.{name} AS name, count(*) AS n FROM {table} old SEMI JOIN new_rows new ON {same} "
            f"WHERE list_contains(?, old.{name}) GROUP BY 1"
        )
        kept = cursor.execute(snapshot.with_tables(sql), [list(there.index)]).df().set_index("name")["n"]
    return [Lost(table, str(one), int(n), int(n - kept.get(one, 0))) for one, n in there.sort_index().items()]


def other_texts(snapshot: Snapshot, frames: Iterable[pd.DataFrame]) -> list[str]:
    """The queries to which these rows of `queries` give another text than they have.

    Raises
    ------
    StoreError : a file of the table is damaged
    """
    named = [frame for frame in frames if len(frame)]
    if not named:
        return []
    sql = (
        "SELECT DISTINCT query_id FROM queries old JOIN new_rows new USING (query_id) "
        "WHERE old.query_text != new.query_text ORDER BY 1"
    )
    with snapshot.cursor() as cursor:
        cursor.register("new_rows", pa.concat_tables(TABLES["queries"].arrow(frame) for frame in named))
        return [query_id for (query_id,) in cursor.execute(snapshot.with_tables(sql)).fetchall()]


@dataclass(frozen=True)
class KnownPairs:
    """What a collection knows of the queries that new rows name.

    Parameters
    ----------
    shared : whether one of the new pairs of query and passage is known
    queries : the first of the queries that both name
    docs : passages that are known of these; none where a pair is shared
    """

    shared: bool
    queries: list[str]
    docs: list[str]


def known_pairs(snapshot: Snapshot, table: str, frame: pd.DataFrame, queries: int) -> KnownPairs | None:
    """What is known of passages under the queries of new rows; None if nothing is.

    Parameters
    ----------
    table : of the rows. Those of a run are known by what is graded or judged, others also by what runs returned
    queries : how many are named

    Raises
    ------
    StoreError : a file is damaged
    """
    known = KNOWN if table == "rankings" else NAMED
    with snapshot.cursor() as cursor:
        cursor.register("new_rows", pa.table({name: frame[name].astype(str) for name in ("query_id", "doc_id")}))

        def first(sql: str, *parameters: object) -> list[str]:
            return [value for (value,) in cursor.execute(snapshot.with_tables(sql), list(parameters)).fetchall()]

        both = f"SELECT DISTINCT query_id FROM ({known}) SEMI JOIN new_rows USING (query_id) ORDER BY 1 LIMIT ?"
        if not (named := first(both, queries)):
            return None
        if first(f"SELECT query_id FROM ({known}) SEMI JOIN new_rows USING (query_id, doc_id) LIMIT 1"):
            return KnownPairs(True, named, [])
        docs = f"SELECT DISTINCT doc_id FROM ({known}) WHERE list_contains(?, query_id) ORDER BY 1"
        return KnownPairs(False, named, first(docs, named))
