"""Rows that are too many for the memory: written to the store part by part, where nobody sees them yet."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from exam_core.flushing import flush, make_folder
from exam_core.formats.reading import FIRST, LINE, PLACE, Aside, Reading, Repeats, in_packs
from exam_core.progress import Progress, no_progress
from exam_core.store.database import identifier, of_folders, quoted
from exam_core.store.files import HASH_DIGITS, folder_name, name_aside, writing
from exam_core.store.grade_segments import IMPORTED
from exam_core.tables import GRADES, PASSAGES, QUERIES, TABLES, Table
from exam_core.temporary import temporary_folder

_BATCH = 2**16
_GROUP = 2**20
"""Rows that are encoded together, as pyarrow does if nobody says another number."""
_OF_MANY = ("run_id", "qrels_id", "grader_id", "query_id")
"""Ids that many rows share, which DuckDB hashes faster from a dictionary."""
_TEXTS = 2**25
"""Bytes of texts that are encoded together."""


class Asides:
    """Files in a collection's folder for rows of tables, and for rows of files while these are read.

    At the end the files are removed that no import took.
    """

    def __init__(self, folder: Callable[[], Path]) -> None:
        self._folder, self._stack, self.files = folder, ExitStack(), list[RowsAside]()

    def __enter__(self) -> Asides:
        return self

    def __exit__(self, *_: object) -> None:
        with self._stack:
            for file in self.files:
                file.remove()

    def write(self, table: Table, frames: Iterable[pd.DataFrame]) -> list[Aside]:
        """Files with rows of a table, which are whole and flushed; of grades, one for each grader.

        Raises StoreError where they can't be written.
        """
        files: dict[str, RowsAside] = {}
        for frame in frames:
            graders = frame.groupby("grader_id", sort=False) if table is GRADES else [("", frame)]
            for grader_id, rows in graders:
                place = f"{folder_name(str(grader_id))}/{IMPORTED}" if grader_id else ""
                if place not in files:
                    files[place] = RowsAside(table, self._folder(), f"{table.name}/{place}")
                    self.files.append(files[place])
                files[place].add(rows)
        return [file.done() for file in files.values()]

    def spill(self) -> Spill:
        """Rows on disk, which are gone at the end."""
        return Spill(self._stack.enter_context(temporary_folder("rows")).resolve() / "rows.parquet")


class Spill:
    """Rows of a large file on disk while it is read; see `RowStore`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer: pq.ParquetWriter | None = None

    def add(self, rows: pa.Table) -> None:
        with writing(self._path):
            if self._writer is None:
                shared_ids = [name for name in rows.schema.names if name in _OF_MANY]
                plain: dict[str, Any] = {"compression": "lz4", "use_dictionary": shared_ids, "write_statistics": False}
                self._writer = pq.ParquetWriter(self._path, rows.schema, **plain)
            self._writer.write_table(rows)

    def batches(self) -> Iterator[pa.Table]:
        with pq.ParquetFile(self._path, pre_buffer=False) as file:
            for batch in file.iter_batches(_BATCH, use_threads=False):
                yield pa.Table.from_batches([batch])

    def repeats(self, table: Table, progress: Progress) -> Iterator[Repeats]:
        key, columns = (", ".join(map(identifier, names)) for names in (table.key, table.names))
        with self._cursor(progress) as cursor:
            for batch in cursor.sql(_REPEATS.format(key=key, columns=columns)).to_arrow_reader(_BATCH):
                conflicts = batch.filter(batch["differs"]).drop_columns([PLACE, "differs"])
                yield batch[PLACE].to_numpy(), conflicts.to_pylist()

    def groups(self, key: Sequence[str]) -> int:
        with self._cursor() as cursor:
            rows = cursor.execute(f"SELECT count(*) FROM (SELECT DISTINCT {', '.join(key)} FROM rows)").fetchall()
        return int(rows[0][0])

    def sorted(self, key: Sequence[str], columns: Sequence[str], progress: Progress) -> Iterator[pa.Table]:
        order = ", ".join((*key, PLACE))
        rows = f"SELECT {order}, {', '.join(columns)} FROM rows ORDER BY {order}"
        with self._cursor(progress) as cursor:
            for batch in cursor.sql(rows).to_arrow_reader(2 * _BATCH):
                yield pa.Table.from_batches([batch])

    @contextmanager
    def _cursor(self, progress: Progress = no_progress) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor that knows them as `rows`."""
        with writing(self._path):
            if self._writer:
                self._writer.close()
        with closing(of_folders(self._path.parent)) as database, database.narrow(progress=progress) as cursor:
            file = f"read_parquet({quoted(str(self._path))}, file_row_number = true)"
            cursor.execute(f"CREATE VIEW rows AS SELECT *, file_row_number AS {PLACE} FROM {file}")
            yield cursor


# Few keys are hashed alike: those that are there once need not be compared.
_REPEATS = f"""
SELECT {PLACE}, {LINE}, {FIRST}, differs, {{columns}} FROM (
    SELECT *, first_value({PLACE}) OVER same AS first_place, first_value({LINE}) OVER same AS {FIRST},
        row({{columns}}) IS DISTINCT FROM first_value(row({{columns}})) OVER same AS differs
    FROM rows WHERE hash({{key}}) IN (SELECT hash({{key}}) FROM rows GROUP BY 1 HAVING count(*) > 1)
    WINDOW same AS (PARTITION BY {{key}} ORDER BY {PLACE})
) WHERE {PLACE} > first_place ORDER BY {PLACE}
"""


class RowsAside:
    """Rows of a table on their way into a file, which is the same to the byte as if they came all at once."""

    def __init__(self, table: Table, folder: Path, prefix: str) -> None:
        self._table, self._prefix, self._path = table, prefix, name_aside(folder / f"{prefix}rows")
        self._held: list[pa.Table] = []
        self._rows = 0
        self._writer: pq.ParquetWriter | None = None

    def add(self, frame: pd.DataFrame) -> None:
        """Take rows."""
        self._held.append(self._table.arrow(frame))
        self._rows += len(frame)
        while (rows := sum(map(len, self._held))) >= _GROUP:
            self._write(_GROUP)
        if self._table in (QUERIES, PASSAGES, GRADES) and sum(part.nbytes for part in self._held) >= _TEXTS:
            self._write(rows)

    def _write(self, count: int) -> None:
        pa.default_memory_pool().release_unused()  # what parts have let go of, which are smaller
        contents = pa.concat_tables(self._held)
        rows, self._held = in_packs(contents.slice(0, count)), [contents.slice(count)]
        del contents  # a million rows are held once
        # Numbers of a frame are in one piece, and texts in packs.
        columns = [column if pa.types.is_string(column.type) else column.combine_chunks() for column in rows.columns]
        rows = pa.table(columns, schema=rows.schema)
        with writing(self._path):
            if self._writer is None:
                make_folder(self._path.parent)
                self._writer = pq.ParquetWriter(self._path, rows.schema, compression="zstd")
            self._writer.write_table(rows, row_group_size=_GROUP)

    def done(self) -> Aside:
        """The file with all rows, which is whole and flushed."""
        if rest := sum(map(len, self._held)):
            self._write(rest)
        with writing(self._path):
            if self._writer:
                self._writer.close()
            flush(self._path)
            with self._path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()[:HASH_DIGITS]
        return Aside(self._table, self._path, f"{self._prefix}{digest}.parquet", self._rows)

    def remove(self) -> None:
        """Let nothing be left of it, if it is still there."""
        with suppress(OSError):
            if self._writer:
                self._writer.close()
        with suppress(OSError):
            self._path.unlink()


def show_rows(
    cursor: duckdb.DuckDBPyConnection, name: str, table: str, readings: Sequence[Reading], where: str = "true"
) -> None:
    """Let a cursor's statements name the rows of a table that imports bring."""
    frames = [reading.frames[table] for reading in readings if table in reading.frames]
    in_memory = [TABLES[table].schema.empty_table(), *map(TABLES[table].arrow, frames)]
    cursor.register(f"{name}_held", pa.concat_tables(in_memory))
    files = [quoted(str(spill.path.resolve())) for reading in readings for spill in reading.spills.get(table, ())]
    parts = [f"{name}_held", *(f"read_parquet([{', '.join(files)}], hive_partitioning = false)" for _ in files[:1])]
    union = " UNION ALL ".join(f"SELECT {', '.join(TABLES[table].names)} FROM {part} WHERE {where}" for part in parts)
    cursor.execute(f"CREATE TEMP VIEW {name} AS {union}")
