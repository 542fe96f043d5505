"""Parquet files in folders that are named after a value (`run=bm25`), as Hive, Spark, Dask and Polars read them."""

from __future__ import annotations

import hashlib
import string
from collections.abc import Iterable
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


def write_rows(path: Path, batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> int:
    """Write rows into a file, and count them; a row group of them is held. Without rows there is no file.

    Parameters
    ----------
    schema : of the file, with what is said of it
    """
    count, writer = 0, None
    for batch in batches:
        writer = writer or _Writer(path, schema)
        writer.add(batch)
        count += len(batch)
    if writer:
        writer.close()
    return count


class _Writer:
    """A file, into which whole row groups are written."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        import pyarrow.parquet as pq

        path.parent.mkdir(parents=True, exist_ok=True)
        self._file, self._schema = pq.ParquetWriter(path, schema, compression="zstd"), schema
        self._held: list[pa.RecordBatch] = []

    def add(self, batch: pa.RecordBatch) -> None:
        """Take rows."""
        self._held.append(batch)
        if sum(map(len, self._held)) >= GROUP_ROWS or sum(one.nbytes for one in self._held) >= GROUP_BYTES:
            self._write()

    def _write(self) -> None:
        import pyarrow as pa

        rows, self._held = pa.Table.from_batches(self._held), []
        self._file.write_table(rows.select(self._schema.names).cast(self._schema), row_group_size=len(rows))

    def close(self) -> None:
        """Write what is held, and end the file."""
        if self._held:
            self._write()
        self._file.close()
