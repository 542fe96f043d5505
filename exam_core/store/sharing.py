"""A store as one self-contained `.duckdb` file, and back."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import duckdb
import msgspec

from exam_core.errors import StoreError
from exam_core.formats import Reading
from exam_core.store.snapshot import Snapshot, identifier, quoted
from exam_core.store.store import Store
from exam_core.tables import TABLES


def export_duckdb(snapshots: Sequence[Snapshot], path: Path) -> None:
    """Write collections to one DuckDB file, a schema for each; the file appears whole or not at all.

    The tables are those of `tables.py`; `_about` holds the graders and where the data came from.
    """
    names = sorted((snapshot.collection for snapshot in snapshots), key=str.lower)
    for name, other in pairwise(names):
        if name.lower() == other.lower():
            raise StoreError(f"{path}: DuckDB takes {name} and {other} for one name. Export one of them alone.")
    if path.exists() and not path.is_file():
        raise StoreError(f"{path}: is no regular file. Name a file to write.")
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.part")
    try:
        with duckdb.connect(":memory:") as connection:
            # Under a name of our own: a schema may be called as its file is.
            connection.execute(f"ATTACH {quoted(str(part))} AS shared")
            for snapshot in snapshots:
                schema = f"shared.{identifier(snapshot.collection)}"
                connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
                for name, table in TABLES.items():
                    connection.register("_rows", table.arrow(snapshot.frame(name)))
                    connection.execute(f"CREATE TABLE {schema}.{name} AS SELECT * FROM _rows")
                connection.execute(
                    f"CREATE TABLE {schema}._about AS SELECT ?::VARCHAR AS fingerprint, "
                    "?::VARCHAR AS graders, ?::VARCHAR AS sources",
                    [
                        snapshot.fingerprint,
                        msgspec.json.encode(snapshot.graders).decode(),
                        msgspec.json.encode(snapshot.sources).decode(),
                    ],
                )
        part.replace(path)
    except (duckdb.Error, OSError) as error:
        raise StoreError(f"{path}: can't be written ({str(error).splitlines()[0]}).") from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def import_duckdb(store: Store, path: Path) -> dict[str, bool]:
    """Take an exported file's collections into a store.

    Returns
    -------
    for each collection whether anything was written (False: it was there already)
    """
    shared = Store(path)
    if not shared.is_file or not shared.collections():
        raise StoreError(f"{path}: no exported store. Make one with: python -m exam_core export duckdb FILE")
    done = {}
    for collection in shared.collections():
        snapshot = shared.snapshot(collection)
        frames = {name: snapshot.frame(name) for name in TABLES}
        counts = {name: len(frame) for name, frame in frames.items() if len(frame)}
        reading = Reading(frames, snapshot.graders, counts)
        done[collection] = store.commit(collection, reading, source=f"duckdb:{path.name}", file=path.name)
    return done
