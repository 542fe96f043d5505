"""Statements over a snapshot's tables that build on each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pyarrow as pa

from exam_core.store.snapshot import Snapshot

BATCH = 500_000
"""Rows that are held at a time while they are read."""


class Statements:
    """Runs statements over a snapshot's tables on one cursor, with the parameters that each of them names."""

    def __init__(self, snapshot: Snapshot, cursor: duckdb.DuckDBPyConnection, values: dict[str, Any]) -> None:
        self._snapshot, self._cursor, self.values = snapshot, cursor, values

    def __call__(self, sql: str) -> pa.Table:
        """All rows."""
        return self._relation(sql).to_arrow_table()

    def batches(self, sql: str) -> Iterator[pa.RecordBatch]:
        """The rows as they are read, a batch at a time. Raises StoreError where a file of the store is damaged."""
        try:
            yield from self._relation(sql).to_arrow_reader(BATCH)
        except OSError as error:
            # What DuckDB can't read while it streams comes through Arrow, and not as DuckDB's own error.
            raise self._snapshot.damaged(error) from None

    def keep(self, name: str, sql: str) -> None:
        """Keep the rows as a table of the cursor."""
        self._cursor.execute(
            f"CREATE OR REPLACE TEMP TABLE {name} AS {self._snapshot.with_tables(sql)}", self._named(sql)
        )

    def take(self, name: str, columns: dict[str, Any] | pa.Table) -> None:
        """Make a table of the cursor from arrays."""
        self._cursor.register("taken", columns if isinstance(columns, pa.Table) else pa.table(columns))
        self._cursor.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM taken")
        self._cursor.unregister("taken")

    def _relation(self, sql: str) -> duckdb.DuckDBPyRelation:
        return self._cursor.sql(self._snapshot.with_tables(sql), params=self._named(sql))

    def _named(self, sql: str) -> dict[str, Any] | None:
        return {name: value for name, value in self.values.items() if f"${name}" in sql} or None
