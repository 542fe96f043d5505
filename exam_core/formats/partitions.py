"""Parquet files in folders that are named after a value (`run=bm25`), as Hive, Spark, Dask and Polars read them."""

from __future__ import annotations

import hashlib
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

PLAIN = frozenset(string.ascii_letters + string.digits + "-_.~")
"""What stands in a folder's name as it is, and so does all that is not ASCII: Spark reads %C3%A9 as two letters."""
LONGEST = 200
"""Bytes of a value in a folder's name; file systems end at 255."""
GROUP_ROWS, GROUP_BYTES = 122_880, 64 * 2**20
"""A row group has so many rows, or about so many bytes where texts are long."""


@dataclass(frozen=True)
class Partition:
    """By which column a table is parted.

    Parameters
    ----------
    name : of the folders
    column : whose value a folder is named after; it is in the files too, so that long ones and those like numbers stay
        what they are
    """

    name: str
    column: str

    def folder(self, value: str) -> str:
        """The folder of a value: `run=bm25%2Frm3`; a long value ends in a hash of it instead."""
        text = "".join(map(_escaped, value))
        if len(text.encode()) > LONGEST:
            text = f"{''.join(map(_escaped, value[:40]))}-{hashlib.sha256(value.encode()).hexdigest()[:16]}"
        if text.endswith("."):  # Windows leaves it out
            text = f"{text[:-1]}%2E"
        return f"{self.name}={text}"


def _escaped(letter: str) -> str:
    return letter if letter in PLAIN or ord(letter) > 127 else f"%{ord(letter):02X}"


def write_parts(
    folder: Path, batches: Iterable[pa.RecordBatch], schema: pa.Schema, partition: Partition | None = None
) -> int:
    """Write rows, and count them; one file is open at a time, and a row group is held.

    Files are numbered through all folders, so that they stay apart where a file system takes `run=A` and `run=a` for
    one.

    Parameters
    ----------
    batches : rows sorted by the column of the partition
    schema : of each file, with what is said of it
    """
    count, number = 0, 0
    writer, value = None, None
    for value_of, rows in _runs(batches, schema, partition):
        if writer is None or value_of != value:
            if writer is not None:
                writer.close()
            target = folder / partition.folder(value_of) if partition else folder
            target.mkdir(parents=True, exist_ok=True)
            writer, value, number = _Writer(target / f"part-{number:05}.parquet", schema), value_of, number + 1
        writer.add(rows)
        count += len(rows)
    if writer is not None:
        writer.close()
    return count


def _runs(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, partition: Partition | None
) -> Iterator[tuple[str, pa.Table]]:
    """Rows that follow each other and go into one folder, with their value."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for batch in batches:
        rows = pa.Table.from_batches([batch]).select(schema.names).cast(schema)
        if partition is None:
            yield "", rows
            continue
        ends, start = pc.run_end_encode(rows[partition.column].combine_chunks()), 0
        for value, end in zip(ends.values.to_pylist(), ends.run_ends.to_pylist(), strict=True):
            yield value, rows.slice(start, end - start)
            start = end


class _Writer:
    """A file, into which whole row groups are written."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        import pyarrow.parquet as pq

        self._file = pq.ParquetWriter(path, schema, compression="zstd")
        self._held: list[pa.Table] = []
        self._rows = self._bytes = 0

    def add(self, rows: pa.Table) -> None:
        """Take rows."""
        self._held.append(rows)
        self._rows += len(rows)
        self._bytes += rows.nbytes
        if self._rows >= GROUP_ROWS or self._bytes >= GROUP_BYTES:
            self._write()

    def _write(self) -> None:
        import pyarrow as pa

        self._file.write_table(pa.concat_tables(self._held), row_group_size=self._rows)
        self._held, self._rows, self._bytes = [], 0, 0

    def close(self) -> None:
        """Write what is held, and end the file."""
        if self._held:
            self._write()
        self._file.close()
