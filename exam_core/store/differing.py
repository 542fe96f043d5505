"""What an import would change: rows that differ from those that it replaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from exam_core.formats import Reading
from exam_core.progress import Progress, no_progress
from exam_core.store.asides import show_rows
from exam_core.store.database import quoted
from exam_core.store.files import content_name
from exam_core.store.manifests import ID_COLUMN
from exam_core.store.names import BankRef
from exam_core.store.pairs import KNOWN_ROWS, NAMED_ROWS
from exam_core.store.snapshot import SQL_TYPE, Snapshot, empty_sql
from exam_core.store.summary import bank_version
from exam_core.tables import QUESTIONS, TABLES

_SAID = {
    "rankings": ("score",),
    "judgments": ("relevance",),
    "grades": ("grade", "decimal"),
    "leaderboards": ("rank", "score"),
    "scores": ("value",),
}
"""What a row of such a table says of its key; a ranking says also which rows of its query are above it."""

_ABOVE = "rank() OVER (PARTITION BY old.run_id, old.query_id ORDER BY {})"
_OTHER_TEXTS = (
    "SELECT known.doc_id FROM passages known JOIN new_texts brought USING (doc_id) "
    "WHERE known.text_hash != brought.text_hash"
)


@dataclass(frozen=True)
class Lost:
    """The rows of one id: how many there are, and how many of them an import takes away or changes.

    `apart`: it is a run, judgments or labels, and the import has none of the queries that are there.
    """

    table: str
    name: str
    total: int
    lost: int
    apart: bool = False


def lost_rows(
    snapshot: Snapshot,
    table: str,
    names: Sequence[str],
    readings: Sequence[Reading],
    *,
    with_texts: bool = False,
    progress: Progress = no_progress,
) -> list[Lost]:
    """What is lost of ids when the rows that imports bring take the place of all that are there.

    `names` are ids in the table's column of owners, such as runs; those without rows are left out. Ranks of a run may
    be numbered otherwise, if the order is that of the ranks there, or that of the places. With `with_texts`, a row
    whose passage gets another text is changed, too.

    Raises StoreError where a file of the table is damaged.
    """
    if table not in _SAID or not names:
        return []
    name = ID_COLUMN[table]
    sql = f"SELECT {name} AS name, count(*) AS n FROM {table} WHERE list_contains(?, {name}) GROUP BY 1"
    rows = snapshot.query(sql, [list(names)]).set_index("name")["n"]
    if rows.empty:
        return []
    has_texts = with_texts and any("passages" in (*reading.frames, *reading.spills) for reading in readings)
    with snapshot.cursor(narrow=any(reading.spills for reading in readings), progress=progress) as cursor:
        show_rows(cursor, "new_rows", table, readings, f"{name} IN ({', '.join(map(quoted, rows.index))})")
        if has_texts:
            show_rows(cursor, "new_texts", "passages", readings)
        frame = cursor.execute(snapshot.with_tables(_kept_sql(table, with_texts=has_texts))).df()
        shared = set(rows.index)
        if table in ("rankings", "judgments", "grades"):
            sql = f"SELECT DISTINCT {name} FROM {table} SEMI JOIN new_rows USING ({name}, query_id)"
            shared = {owner for (owner,) in cursor.execute(snapshot.with_tables(sql)).fetchall()}
    same = frame.set_index("name")["n"]
    return [
        Lost(table, str(owner), int(n), int(n - same.get(owner, 0)), owner not in shared)
        for owner, n in rows.sort_index().items()
    ]


def _kept_sql(table: str, *, with_texts: bool) -> str:
    """A SELECT of the rows of `new_rows` that the table has and that say the same there, counted by id."""
    same = [f"old.{part} IS NOT DISTINCT FROM new.{part}" for part in _SAID[table]]
    if table == "rankings":
        # An export numbers passages as they are placed, which is another order where scores are tied.
        theirs, placed = _ABOVE.format("old.source_rank"), _ABOVE.format("old.rank")
        same.append(f"{_ABOVE.format('new.source_rank')} IN ({theirs}, {placed})")
    if with_texts and "doc_id" in TABLES[table].names:
        same.append(f"old.doc_id NOT IN ({_OTHER_TEXTS})")
    key = " AND ".join(f"old.{part} IS NOT DISTINCT FROM new.{part}" for part in TABLES[table].key)
    name, is_same = ID_COLUMN[table], " AND ".join(same)
    each = f"SELECT old.{name} AS name, {is_same} AS kept FROM {table} old JOIN new_rows new ON {key}"
    return f"SELECT name, count(*) FILTER (kept) AS n FROM ({each}) GROUP BY 1"


def other_texts(snapshot: Snapshot, readings: Sequence[Reading]) -> list[str]:
    """The queries to which imports give another text than they have.

    Raises StoreError where a file of the table is damaged.
    """
    named = [reading for reading in readings if any(map(len, reading.parts("queries")))]
    if not named:
        return []
    sql = (
        "SELECT DISTINCT query_id FROM queries old JOIN new_rows new USING (query_id) "
        "WHERE old.query_text != new.query_text ORDER BY 1"
    )
    with snapshot.cursor(narrow=any(reading.spills for reading in named)) as cursor:
        show_rows(cursor, "new_rows", "queries", named)
        return [query_id for (query_id,) in cursor.execute(snapshot.with_tables(sql)).fetchall()]


_SIZES = "SELECT run_id, count(*) AS n FROM rankings GROUP BY 1"
_PRINTS = """
SELECT run_id, count(*) AS n, sum(hash(query_id, doc_id, rank)) AS print FROM rankings
WHERE list_contains(?, run_id) GROUP BY 1 ORDER BY 1
"""


def same_rankings(snapshot: Snapshot, run_ids: Sequence[str]) -> list[tuple[list[str], list[str]]]:
    """Runs among these that have the same passages in the same places as other ones: those, and the others.

    Where all that are alike are among these, the first by name is the other one. Scores may differ.

    Raises StoreError where a file of the rankings is damaged.
    """
    sizes = snapshot.query(_SIZES)
    mine = set(sizes["n"][sizes["run_id"].isin(run_ids)])
    as_large = sizes["run_id"][sizes["n"].isin(mine)].tolist()
    pairs = []
    for _, alike in snapshot.query(_PRINTS, [as_large]).groupby(["n", "print"], sort=False)["run_id"]:
        others = [run for run in alike if run not in run_ids] or [alike.iloc[0]]
        if copies := [run for run in alike if run not in others]:
            pairs.append((copies, others))
    return pairs


@dataclass(frozen=True)
class KnownPairs:
    """What a collection knows of the queries that new rows name, too: the first of them, and their known passages.

    `shared`: one of the new pairs of query and passage is known; then `docs` is empty.
    """

    shared: bool
    queries: list[str]
    docs: list[str]


def known_pairs(snapshot: Snapshot, table: str, readings: Sequence[Reading], queries: int) -> KnownPairs | None:
    """What is known of passages under the queries of new rows, of which the first `queries` are named; None if nothing
    is.

    Rows of a run are known by what is graded or judged, those of other tables also by what runs returned. Raises
    StoreError where a file is damaged.
    """
    known = KNOWN_ROWS if table == "rankings" else NAMED_ROWS
    with snapshot.cursor(narrow=any(reading.spills for reading in readings)) as cursor:
        show_rows(cursor, "new_rows", table, readings)

        def first(sql: str, *parameters: object) -> list[str]:
            return [value for (value,) in cursor.execute(snapshot.with_tables(sql), list(parameters)).fetchall()]

        theirs = "(SELECT DISTINCT query_id FROM new_rows)"
        both = f"SELECT DISTINCT query_id FROM ({known}) SEMI JOIN {theirs} USING (query_id) ORDER BY 1 LIMIT ?"
        if not (named := first(both, queries)):
            return None
        if first(f"SELECT query_id FROM ({known}) SEMI JOIN new_rows USING (query_id, doc_id) LIMIT 1"):
            return KnownPairs(True, named, [])
        docs = f"SELECT DISTINCT doc_id FROM ({known}) WHERE list_contains(?, query_id) ORDER BY 1"
        return KnownPairs(False, named, first(docs, named))


Row = dict[str, Any]
"""A row of the table `questions`, by column."""


def with_version(snapshot: Snapshot, bank: str, base: int | None, added: Sequence[Row]) -> tuple[Snapshot, BankRef]:
    """The collection with one more version of the bank: the questions of version `base`, if there is one, and the added
    ones.

    Returns the collection, and the name of that version.
    """
    version = bank_version(snapshot, bank) + 1
    known = snapshot.tables.get("questions") or empty_sql("questions")
    names = ", ".join(QUESTIONS.names)
    parts = [f"SELECT {names} FROM ({known})"]
    if base is not None:
        again = ", ".join(f"{version} AS version" if name == "version" else name for name in QUESTIONS.names)
        where = f"bank_id = {quoted(bank)} AND version = {base}"
        parts.append(f"SELECT {again} FROM ({known}) WHERE {where}")
    for row in (question | {"bank_id": bank, "version": version} for question in added):
        types = {column.name: SQL_TYPE[column.kind] for column in QUESTIONS.columns}
        parts.append(f"SELECT {', '.join(f'{_literal(row.get(name))}::{types[name]} AS {name}' for name in types)}")
    sql = " UNION ALL ".join(parts)
    fingerprint = content_name(f"{snapshot.fingerprint} {sql}".encode("utf-8", "surrogatepass"))
    changed = replace(snapshot, tables=snapshot.tables | {"questions": sql}, fingerprint=fingerprint, folder=None)
    return changed, BankRef(bank, version)


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_literal, value))}]"
    return str(value)
