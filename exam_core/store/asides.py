"""Rows that are too many for the memory: written to the store part by part, where nobody sees them yet."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from exam_core.flushing import flush, make_folder
from exam_core.formats.reading import Aside, Reading, in_packs
from exam_core.store.database import quoted
from exam_core.store.files import HASH_DIGITS, name_aside, writing
from exam_core.tables import TABLES, Table

_GROUP = 2**20
"""Rows that are encoded together, as pyarrow does if nobody says another number."""


@contextmanager
def asides(folder: Callable[[], Path]) -> Iterator[Callable[[Table], RowsAside]]:
    """Makes files for rows; at the end those are removed that no import took.

    Parameters
    ----------
    folder : that of the collection
    """
    made: list[RowsAside] = []

    def aside(table: Table) -> RowsAside:
        made.append(RowsAside(table, name_aside(folder() / table.name / "rows")))
        return made[-1]

    try:
        yield aside
    finally:
        for one in made:
            one.remove()


class RowsAside:
    """Rows of a table on their way into a file, which is the same to the byte as if they came all at once."""

    def __init__(self, table: Table, path: Path) -> None:
        self._table, self._path = table, path
        self._held: list[pa.Table] = []
        self._lengths: list[int] = []
        self._writer: pq.ParquetWriter | None = None

    def add(self, frame: pd.DataFrame) -> None:
        """Take rows; StoreError where they can't be written."""
        if not len(frame):
            return
        self._held.append(self._table.arrow(frame))
        self._lengths.append(len(frame))
        while sum(map(len, self._held)) >= _GROUP:
            held = pa.concat_tables(self._held)
            self._write(held.slice(0, _GROUP))
            self._held = [held.slice(_GROUP)]

    def _write(self, rows: pa.Table) -> None:
        # Numbers of a frame are in one piece, and texts in packs.
        rows = self._table.arrow(self._table.from_arrow(in_packs(rows)))
        with writing(self._path):
            if self._writer is None:
                make_folder(self._path.parent)
                self._writer = pq.ParquetWriter(self._path, rows.schema, compression="zstd")
            self._writer.write_table(rows, row_group_size=_GROUP)

    def done(self) -> Aside:
        """The file with all rows, which is whole and flushed."""
        if held := [rows for rows in self._held if len(rows)]:
            self._write(pa.concat_tables(held))
        self._held = []
        with writing(self._path):
            if self._writer:
                self._writer.close()
            flush(self._path)
            with self._path.open("rb") as file:
                name = hashlib.file_digest(file, "sha256").hexdigest()[:HASH_DIGITS]
        return Aside(self._table, self._path, name, self._lengths)

    def remove(self) -> None:
        """Let nothing be left of it, if it is still there."""
        with suppress(OSError):
            if self._writer:
                self._writer.close()
        with suppress(OSError):
            self._path.unlink()


def show_rows(
    cursor: duckdb.DuckDBPyConnection, name: str, table: str, brought: Sequence[Reading], where: str = "true"
) -> None:
    """Let a cursor's statements name the rows of a table that imports bring."""
    few = [one.frames[table] for one in brought if table in one.frames]
    held = [TABLES[table].schema.empty_table(), *map(TABLES[table].arrow, few)]
    cursor.register(f"{name}_held", pa.concat_tables(held))
    files = [quoted(str(one.aside[table].path.resolve())) for one in brought if table in one.aside]
    parts = [f"{name}_held", *(f"read_parquet([{', '.join(files)}], hive_partitioning = false)" for _ in files[:1])]
    union = " UNION ALL ".join(f"SELECT {', '.join(TABLES[table].names)} FROM {part} WHERE {where}" for part in parts)
    cursor.execute(f"CREATE TEMP VIEW {name} AS {union}")
