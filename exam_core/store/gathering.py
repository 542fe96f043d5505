"""Many small files of a table as one table in memory: the versions of question banks, each in a file of its own.

DuckDB opens every file again for every statement. Of three hundred versions that takes a twentieth of a second, and
with many readers memory that is not given back.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import duckdb

from exam_core.store.files import known_damage

if TYPE_CHECKING:
    import pyarrow as pa

GATHERED = ("questions", "versions")
"""The tables of which each version of a bank has a file of its own."""
FEW, MOST = 16, 100_000
"""Fewer files are read where they are; so are those with more rows together, which would be some 30 MiB."""
MANY = 32
"""Pieces of memory after which they are made one."""


class Gathered:
    """Rows of files, read once, with `file_index` and `file_row_number` as `read_parquet` has them.

    A file never changes: where others came after those that were gathered before, they alone are read, and the rows of
    the earlier ones are in memory once.

    Parameters
    ----------
    name : of the table in statements
    sql : gives the SELECT of files' rows with their places, of the files and the first one's place
    before : what was gathered under this name before
    """

    def __init__(
        self, name: str, paths: list[str], sql: Callable[[list[str], int], str], before: Gathered | None
    ) -> None:
        self.name, self._sql = name, sql
        # What nobody asked for has nothing to give; what was there before it has.
        self._before: Gathered | None = before if before is None or before._rows is not None else before._before
        known: list[str] = self._before.paths if self._before else []
        if paths[: len(known)] != known:
            self._before, known = None, []
        self._new = paths[len(known) :]
        self.paths: list[str] = [*known, *self._new]
        self._rows: pa.Table | None = None
        self._lock = Lock()

    def show(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Let the statements of a cursor name the table.

        Raises duckdb.Error where a file is damaged or can't be read.
        """
        with self._lock:  # of many readers of something new, one reads it
            if self._rows is None:
                import pyarrow as pa

                parts = [self._before._rows] if self._before else []
                if self._new:
                    _refuse_damaged(self._new)
                    sql = self._sql(self._new, len(self.paths) - len(self._new))
                    parts.append(cursor.sql(sql).to_arrow_table())
                    _refuse_damaged(self._new)  # since then, or it would be kept
                rows = pa.concat_tables(parts)
                self._rows = rows.combine_chunks() if rows.column(0).num_chunks > MANY else rows
                self._before = None
        cursor.register(self.name, self._rows)


def _refuse_damaged(paths: list[str]) -> None:
    for path in paths:
        if what := known_damage(Path(path)):
            raise duckdb.IOException(f"{path} is {what}")
