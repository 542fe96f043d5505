"""A collection as a folder of Parquet files, for tools that read those."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import duckdb

from exam_core import wings
from exam_core.errors import StoreError
from exam_core.store.database import NARROW_OF_TEXTS, quoted
from exam_core.store.snapshot import Snapshot
from exam_core.tables import TABLES, Table
from exam_core.wings.parquet.formats.partitions import Partition, write_rows

PARTED = {
    "grades": Partition("grader", "grader_id"),
    "rankings": Partition("run", "run_id"),
    "judgments": Partition("qrels", "qrels_id"),
}
"""Tables that can be large, and by which column they are parted."""
LARGE = (*PARTED, "passages", "pool")
"""Tables of which DuckDB holds few rows at a time; they may come in another order then, as a question must not."""
_BATCH = 8192


def write_folder(snapshot: Snapshot, folder: Path, about: Mapping[str, str]) -> dict[str, int]:
    """Write every table that has rows; what people say here (reviews) is no part of it.

    One file is open at a time. Nothing is sorted: DuckDB can't sort long texts in little memory.

    Raises StoreError where a file of the store is damaged, or texts are too long.

    Parameters
    ----------
    about : what each file says of itself

    Returns
    -------
    rows of each table that was written
    """
    said_here = {name for name, _ in wings.declared("store", "WHOLE")}
    tables = [table for table in TABLES.values() if table.name not in said_here]
    try:
        counts = {table.name: _write(snapshot, table, folder / table.name, about) for table in tables}
    except duckdb.Error as error:
        raise StoreError(f"{snapshot.collection}: can't be read ({str(error).splitlines()[0]}).") from None
    return {name: count for name, count in counts.items() if count}


def _write(snapshot: Snapshot, table: Table, folder: Path, about: Mapping[str, str]) -> int:
    schema = table.schema.with_metadata(dict(about))
    with snapshot.cursor(narrow=table.name in LARGE, most=NARROW_OF_TEXTS) as cursor:

        def read(sql: str) -> duckdb.DuckDBPyRelation:
            return cursor.sql(snapshot.with_tables(sql))

        return sum(
            write_rows(path, read(sql).to_arrow_reader(_BATCH), schema) for path, sql in _files(read, folder, table)
        )


def _files(read: Callable[[str], duckdb.DuckDBPyRelation], folder: Path, table: Table) -> Iterator[tuple[Path, str]]:
    """The files of a table, and what is read for each.

    They are numbered through all parts, and so stay apart where a file system takes `run=A` and `run=a` for one.
    """
    if (part := PARTED.get(table.name)) is None:
        yield folder / "part-00000.parquet", f"SELECT * FROM {table.name}"
        return
    values = read(f"SELECT DISTINCT {part.column} FROM {table.name} ORDER BY 1").fetchall()
    for number, (value,) in enumerate(values):
        sql = f"SELECT * FROM {table.name} WHERE {part.column} = {quoted(value)}"
        yield folder / part.folder(value) / f"part-{number:05}.parquet", sql
