"""Small tables for the tests of the store, and what a store shows as one comparable value."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from exam_core.formats import Reading
from exam_core.formats.workbench import text_hash
from exam_core.store import Snapshot
from exam_core.store.catalogue import checksum
from exam_core.tables import (
    GRADES,
    JUDGMENTS,
    LEADERBOARDS,
    PASSAGES,
    QUERIES,
    QUESTIONS,
    RANKINGS,
    SCORES,
    TABLES,
    Table,
)


def frame(table: Table, names: str, rows: Iterable[tuple[Any, ...]], **constant: Any) -> pd.DataFrame:
    """Frame of a table from rows of the named columns; `constant` columns are the same in every row."""
    rows = list(rows)
    columns = dict(zip(names.split(), map(list, zip(*rows, strict=True)), strict=True))
    return table.frame(columns | {name: [value] * len(rows) for name, value in constant.items()})


def passages(*doc_ids: str, text: str = "text of {}") -> pd.DataFrame:
    """Passages whose text says their id."""
    texts = [text.format(doc_id) for doc_id in doc_ids]
    rows = zip(doc_ids, texts, map(text_hash, texts), strict=True)
    return frame(PASSAGES, "doc_id passage_text text_hash", rows)


def grades(*rows: tuple[str, str, int | None], grader: str = "g", question: str | None = "q1/a") -> pd.DataFrame:
    """Grades from (query_id, doc_id, grade)."""
    return frame(GRADES, "query_id doc_id grade", rows, grader_id=grader, question_id=question)


def rankings(*rows: tuple[str, str, float], run: str = "bm25") -> pd.DataFrame:
    """A run from (query_id, doc_id, score), ranked as listed."""
    places = [(*row, place, place) for place, row in enumerate(rows, 1)]
    return frame(RANKINGS, "query_id doc_id score rank source_rank", places, run_id=run, cut=False)


def judgments(*rows: tuple[str, str, int], qrels: str = "official") -> pd.DataFrame:
    """Judgments from (query_id, doc_id, relevance)."""
    return frame(JUDGMENTS, "query_id doc_id relevance", rows, qrels_id=qrels)


def queries(**texts: str | None) -> pd.DataFrame:
    """Queries by id, with their texts."""
    return frame(QUERIES, "query_id query_text", texts.items())


def leaderboard(*rows: tuple[str, float], name: str = "official") -> pd.DataFrame:
    """A leaderboard from (run_id, score)."""
    return frame(LEADERBOARDS, "run_id score", rows, leaderboard_id=name)


def scores(*rows: tuple[str, str, float | None], method: str = "m") -> pd.DataFrame:
    """Values of a method from (run_id, query_id, value)."""
    return frame(SCORES, "run_id query_id value", rows, method=method)


def reading(*frames: pd.DataFrame) -> Reading:
    """What a reader would return for these frames."""
    names = {tuple(table.names): name for name, table in TABLES.items()}
    return Reading({names[tuple(found.columns)]: found for found in frames})


def drawn(*, queries: int, passages: int, runs: int, depth: int = 20, seed: int = 0) -> Reading:
    """A random collection: ten questions a query, every passage graded, a tenth unreadably, and runs of `depth`."""
    rng = np.random.default_rng(seed)
    asked = [(f"q{query}", f"q{query}/{number}") for query in range(queries) for number in range(1, 11)]
    pairs = [(f"q{at % queries}", f"d{at:04}") for at in range(passages)]
    given = [(query, doc, f"{query}/{number}") for query, doc in pairs for number in range(1, 11)]
    values = [None if one == 6 else one for one in rng.choice(7, len(given), p=[0.6, *[0.06] * 5, 0.1]).tolist()]
    graded = [(*one, value) for one, value in zip(given, values, strict=True)]
    of_query: dict[str, list[str]] = {}
    for query, doc in pairs:
        of_query.setdefault(query, []).append(doc)
    ranked = [
        (f"run{run}", query, doc, 1.0 / place, place, place)
        for run in range(runs)
        for query, docs in of_query.items()
        for place, doc in enumerate(rng.permutation(docs)[:depth].tolist(), 1)
    ]
    judged = [
        (*pair, int(one)) for pair, one in zip(pairs, rng.integers(0, 4, passages), strict=True) if rng.random() < 0.1
    ]
    frames = (
        frame(QUESTIONS, "query_id question_id", asked, bank_id="drawn", version=1, weight=1.0, enabled=True),
        frame(GRADES, "query_id doc_id question_id grade", graded, grader_id="g"),
        frame(RANKINGS, "run_id query_id doc_id score rank source_rank", ranked, cut=False),
        frame(JUDGMENTS, "query_id doc_id relevance", judged, qrels_id="official"),
    )
    return reading(*frames)


def shown(snapshot: Snapshot) -> dict[str, list[Any]]:
    """Every row of every table that has any, in order."""
    frames = {name: snapshot.frame(name) for name in TABLES}
    return {
        name: [[None if value is None else str(value) for value in row] for row in _objects(found)]
        for name, found in frames.items()
        if len(found)
    }


def _objects(found: pd.DataFrame) -> list[list[Any]]:
    rows: list[list[Any]] = found.astype(object).where(found.notna(), None).to_numpy().tolist()
    return rows


def rows_of(path: Path, table: str) -> list[tuple[Any, ...]]:
    """The rows of a table of a SQLite file, as another process finds them; none without the file."""
    if not path.exists():
        return []
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT * FROM {table}").fetchall()


def ids_of(place: Path, kind: str) -> list[str]:
    """The ids of the records of a kind in a store's catalogue, oldest first."""
    rows = rows_of(place / "catalogue.sqlite", "records")
    return [row[3] for row in sorted(rows) if row[1] == kind]


def change_record(place: Path, kind: str, content: bytes, *, which: int = 0, is_sound: bool = False) -> bytes:
    """Write something in place of what a record says, and return that.

    Parameters
    ----------
    which : of the records of the kind, from the oldest
    is_sound : whether it has the right checksum, as if the catalogue had written it
    """
    with closing(sqlite3.connect(place / "catalogue.sqlite", isolation_level=None)) as connection:
        rows = connection.execute("SELECT * FROM records WHERE kind = ? ORDER BY number", [kind]).fetchall()
        number, _, collection, name, before, check = rows[which]
        new = checksum(kind, collection, name, content) if is_sound else check
        connection.execute("BEGIN")
        connection.execute("UPDATE records SET content = ?, checksum = ? WHERE number = ?", [content, new, number])
        sql = "UPDATE totals SET checksums = checksums + ? WHERE kind = ? AND collection = ?"
        connection.execute(sql, [new - check, kind, collection])
        connection.execute("COMMIT")
    return bytes(before)


def lose_record(place: Path, kind: str) -> None:
    """Let the oldest record of a kind be gone, as damage does it: what counts the records knows nothing of it."""
    with closing(sqlite3.connect(place / "catalogue.sqlite", isolation_level=None)) as connection:
        counted = connection.execute("SELECT * FROM totals").fetchall()
        ((oldest,),) = connection.execute("SELECT min(number) FROM records WHERE kind = ?", [kind])
        connection.execute("DELETE FROM records WHERE number = ?", [oldest])
        connection.executemany("REPLACE INTO totals VALUES (?, ?, ?, ?, ?)", counted)
