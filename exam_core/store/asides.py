"""Rows that are too many for the memory: written to the store part by part, where nobody sees them yet."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from exam_core.flushing import flush, make_folder
from exam_core.formats.reading import Aside, PutAside, Reading, in_packs
from exam_core.progress import Progress, no_progress
from exam_core.store.database import of_folders, quoted
from exam_core.store.files import HASH_DIGITS, folder_name, name_aside, writing
from exam_core.store.grade_segments import IMPORTED
from exam_core.tables import GRADES, PASSAGES, QUERIES, TABLES, Table
from exam_core.temporary import temporary_folder

_BATCH = 2**14
_GROUP = 2**20
"""Rows that are encoded together, as pyarrow does if nobody says another number."""
_TEXTS = 2**25
"""Bytes of texts that are encoded together."""


class Asides:
    """Files for rows of tables, and rows in an order; at the end those are removed that no import took.

    Parameters
    ----------
    folder : that of the collection
    """

    def __init__(self, folder: Callable[[], Path]) -> None:
        self._folder, self.files = folder, list[RowsAside]()

    def __enter__(self) -> Asides:
        return self

    def __exit__(self, *_: object) -> None:
        for one in self.files:
            one.remove()

    def __call__(self, table: Table) -> PutAside:
        """A file for rows of a table; of grades, one for each grader."""
        return GradesAside(self) if table is GRADES else self.file(table, f"{table.name}/")

    def file(self, table: Table, prefix: str) -> RowsAside:
        """A file whose name begins so."""
        self.files.append(RowsAside(table, self._folder(), prefix))
        return self.files[-1]

    @contextmanager
    def shelve(self, parts: Iterable[pa.Table]) -> Iterator[Shelf]:
        """Rows on disk, of which few are held."""
        with temporary_folder("rows") as folder:
            path, writer = folder.resolve() / "rows.parquet", None
            with writing(path):
                for part in parts:
                    writer = writer or pq.ParquetWriter(path, part.schema, compression="lz4")
                    writer.write_table(part)
                if writer:
                    writer.close()
            yield Shelf(path)


class Shelf:
    """Rows in a file, which can be had several times."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def sorted(self, columns: Sequence[str], progress: Progress = no_progress) -> Iterator[pa.Table]:
        """The rows sorted by columns."""
        path = self._path.with_name("sorted.parquet")
        # Whoever takes the rows takes memory, too: DuckDB has let go of its own by then.
        with closing(of_folders(path.parent)) as database, database.narrow(progress=progress) as cursor:
            rows = f"SELECT * FROM read_parquet({quoted(str(self._path))}) ORDER BY {', '.join(columns)}"
            cursor.execute(f"COPY ({rows}) TO {quoted(str(path))} (FORMAT parquet, COMPRESSION lz4_raw)")
        yield from _batches(path)
        path.unlink()

    def rows(self) -> Iterator[pa.Table]:
        """The rows as they came."""
        return _batches(self._path)


def _batches(path: Path) -> Iterator[pa.Table]:
    with pq.ParquetFile(path, pre_buffer=False) as file:
        for batch in file.iter_batches(_BATCH, use_threads=False):
            yield pa.Table.from_batches([batch])


class RowsAside:
    """Rows of a table on their way into a file, which is the same to the byte as if they came all at once."""

    def __init__(self, table: Table, folder: Path, prefix: str) -> None:
        self._table, self._prefix, self._path = table, prefix, name_aside(folder / f"{prefix}rows")
        self._held: list[pa.Table] = []
        self._lengths: list[int] = []
        self._writer: pq.ParquetWriter | None = None

    def add(self, frame: pd.DataFrame) -> None:
        """Take rows; StoreError where they can't be written."""
        if not len(frame):
            return
        self._held.append(self._table.arrow(frame))
        self._lengths.append(len(frame))
        while (rows := sum(map(len, self._held))) >= _GROUP:
            self._write(_GROUP)
        if self._table in (QUERIES, PASSAGES, GRADES) and sum(one.nbytes for one in self._held) >= _TEXTS:
            self._write(rows)

    def _write(self, count: int) -> None:
        pa.default_memory_pool().release_unused()  # what parts have let go of, which are smaller
        held = pa.concat_tables(self._held)
        rows, self._held = in_packs(held.slice(0, count)), [held.slice(count)]
        del held  # a million rows are held once
        # Numbers of a frame are in one piece, and texts in packs.
        rows = self._table.arrow(self._table.from_arrow(rows))
        with writing(self._path):
            if self._writer is None:
                make_folder(self._path.parent)
                self._writer = pq.ParquetWriter(self._path, rows.schema, compression="zstd")
            self._writer.write_table(rows, row_group_size=_GROUP)

    def done(self) -> list[Aside]:
        """The file with all rows, which is whole and flushed."""
        if rest := sum(map(len, self._held)):
            self._write(rest)
        with writing(self._path):
            if self._writer:
                self._writer.close()
            flush(self._path)
            with self._path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()[:HASH_DIGITS]
        return [Aside(self._table, self._path, f"{self._prefix}{digest}.parquet", self._lengths)]

    def remove(self) -> None:
        """Let nothing be left of it, if it is still there."""
        with suppress(OSError):
            if self._writer:
                self._writer.close()
        with suppress(OSError):
            self._path.unlink()


class GradesAside:
    """Grades on their way into files, one for each grader."""

    def __init__(self, asides: Asides) -> None:
        self._asides, self._of = asides, dict[str, RowsAside]()

    def add(self, frame: pd.DataFrame) -> None:
        """Take rows; StoreError where they can't be written."""
        for grader_id, rows in frame.groupby("grader_id", sort=False):
            name = str(grader_id)
            if name not in self._of:
                self._of[name] = self._asides.file(GRADES, f"grades/{folder_name(name)}/{IMPORTED}")
            self._of[name].add(rows)

    def done(self) -> list[Aside]:
        """The files with all rows, which are whole and flushed."""
        return [aside for one in self._of.values() for aside in one.done()]


def show_rows(
    cursor: duckdb.DuckDBPyConnection, name: str, table: str, brought: Sequence[Reading], where: str = "true"
) -> None:
    """Let a cursor's statements name the rows of a table that imports bring."""
    few = [one.frames[table] for one in brought if table in one.frames]
    held = [TABLES[table].schema.empty_table(), *map(TABLES[table].arrow, few)]
    cursor.register(f"{name}_held", pa.concat_tables(held))
    files = [quoted(str(aside.path.resolve())) for one in brought for aside in one.aside.get(table, ())]
    parts = [f"{name}_held", *(f"read_parquet([{', '.join(files)}], hive_partitioning = false)" for _ in files[:1])]
    union = " UNION ALL ".join(f"SELECT {', '.join(TABLES[table].names)} FROM {part} WHERE {where}" for part in parts)
    cursor.execute(f"CREATE TEMP VIEW {name} AS {union}")
