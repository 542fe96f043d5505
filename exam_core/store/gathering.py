"""Many small files of a table as one table in memory: the versions of question banks, each in a file of its own.

DuckDB opens every file again for every statement. Of three hundred versions that takes a twentieth of a second, and
with many readers memory that is not given back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import duckdb

from exam_core.store.files import known_damage
from exam_core.tables import Table

if TYPE_CHECKING:
    import pyarrow as pa

GATHERED = ("questions", "versions")
"""The tables of which each version of a bank has a file of its own."""
FEW, MOST = 16, 100_000
"""Fewer files are read where they are; so are those with more rows together, which would be some 30 MiB."""


class Gathered:
    """Rows of files, read once, with `file_index` and `file_row_number` as `read_parquet` has them.

    A file never changes: of files some of which were gathered before, only the others are read.

    Parameters
    ----------
    name : by which statements call the table
    paths : the files, in their order
    sql : the SELECT of files' rows with their places, in order
    before : what was gathered under this name before
    """

    def __init__(
        self, name: str, table: Table, paths: list[str], sql: Callable[[list[str]], str], before: Gathered | None
    ) -> None:
        self.name, self._table, self._paths, self._sql = name, table, paths, sql
        # What nobody asked for has nothing to give; what was there before it has.
        self._before: Gathered | None = before if before is None or before._rows is not None else before._before
        self._rows: pa.Table | None = None
        self._sizes: list[int] = []
        self._lock = Lock()

    def show(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Let the statements of a cursor name the table.

        Raises
        ------
        duckdb.Error : a file can't be read
        """
        with self._lock:  # of many readers of something new, one reads it
            if self._rows is None:
                self._rows = self._read(cursor)
                self._before = None
        cursor.register(self.name, self._rows)

    def _read(self, cursor: duckdb.DuckDBPyConnection) -> pa.Table:
        import numpy as np
        import pyarrow as pa

        names = [*self._table.names, "file_row_number"]
        parts = {} if self._before is None else self._before._parts(names)
        if new := [path for path in self._paths if path not in parts]:
            _refuse_damaged(new)
            found = cursor.sql(self._sql(new)).to_arrow_table()
            _refuse_damaged(new)  # by what befell one meanwhile: it would stay for as long as the collection stays
            sizes = np.bincount(found["file_index"].to_numpy(), minlength=len(new)).tolist()
            parts |= _cut(found.select(names), new, sizes)
        rows = [parts[path] for path in self._paths]
        self._sizes = [len(one) for one in rows]
        places = pa.array(np.repeat(np.arange(len(rows)), self._sizes), pa.int64())
        return pa.concat_tables(rows).append_column("file_index", places).combine_chunks()

    def _parts(self, names: list[str]) -> dict[str, pa.Table]:
        """The rows of each file, without its place among the others."""
        return {} if self._rows is None else _cut(self._rows.select(names), self._paths, self._sizes)


def _refuse_damaged(paths: list[str]) -> None:
    for path in paths:
        if what := known_damage(Path(path)):
            raise duckdb.IOException(f"{path} is {what}")


def _cut(rows: pa.Table, paths: Iterable[str], sizes: Iterable[int]) -> dict[str, pa.Table]:
    """Rows of files, one file after the other, by file."""
    parts, start = {}, 0
    for path, size in zip(paths, sizes, strict=True):
        parts[path] = rows.slice(start, size)
        start += size
    return parts
