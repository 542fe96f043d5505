"""A collection as a folder of Parquet files, for tools that read those."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import duckdb
import pyarrow as pa

from exam_core import wings
from exam_core.errors import StoreError
from exam_core.formats.partitions import Partition, write_parts
from exam_core.store.snapshot import Snapshot
from exam_core.tables import TABLES, Table

PARTED = {
    "grades": (Partition("grader", "grader_id"), "query_id, doc_id, question_id"),
    "rankings": (Partition("run", "run_id"), "query_id, rank"),
    "judgments": (Partition("qrels", "qrels_id"), "query_id, doc_id"),
}
"""Tables that can be large: by which column they are parted, and how a part is sorted."""
_BATCH = 8192


def write_folder(snapshot: Snapshot, folder: Path, about: Mapping[str, str]) -> dict[str, int]:
    """Write every table that has rows; what people say here (reviews) is no part of it.

    Parameters
    ----------
    folder : that is there, and empty
    about : what each file says of itself

    Returns
    -------
    rows of each table that was written

    Raises
    ------
    StoreError : a file of the store is damaged, or rows can't be sorted
    """
    said_here = {name for name, _ in wings.declared("store", "WHOLE")}
    counts = {}
    try:
        for table in (TABLES[name] for name in TABLES if name not in said_here):
            partition = PARTED[table.name][0] if table.name in PARTED else None
            schema = table.schema.with_metadata(dict(about))
            counts[table.name] = write_parts(folder / table.name, _batches(snapshot, table), schema, partition)
    except duckdb.Error as error:
        raise StoreError(f"{snapshot.collection}: can't be read ({str(error).splitlines()[0]}).") from None
    return {name: count for name, count in counts.items() if count}


def _batches(snapshot: Snapshot, table: Table) -> Iterator[pa.RecordBatch]:
    """All rows of a table: of one that is parted sorted, of others in the order of its files."""
    sql = f"SELECT * FROM {table.name}"
    if table.name in PARTED:
        partition, within = PARTED[table.name]
        sql += f" ORDER BY {partition.column}, {within}"
    with snapshot.cursor(narrow=table.name in PARTED) as cursor:
        yield from cursor.sql(snapshot.with_tables(sql)).to_arrow_reader(_BATCH)
