"""A store as one self-contained `.duckdb` file, and back."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pandas as pd

from exam_core import wings
from exam_core.errors import StoreError, visible
from exam_core.formats import Reading
from exam_core.formats.writing import whole as written_whole
from exam_core.store.aliases_and_tags import ALIAS
from exam_core.store.commits import Committed, Origin, importer
from exam_core.store.database import identifier, quoted
from exam_core.store.names import Source
from exam_core.store.snapshot import Snapshot
from exam_core.store.store import Store
from exam_core.tables import TABLES

Whole = Mapping[str, Mapping[str, tuple[pd.DataFrame, str]]]
"""By collection and table: all rows, and the fingerprint of the collection with them."""


def whole_tables(store: Store, snapshots: Sequence[Snapshot]) -> Whole:
    """What wings have of collections beside imports."""
    kinds = tuple(wings.declared("whole"))
    made = {one.collection: [(name, rows(store, one)) for name, rows in kinds] for one in snapshots}
    return {name: {table: found for table, found in tables if found} for name, tables in made.items()}


def export_duckdb(snapshots: Sequence[Snapshot], path: Path, whole: Whole | None = None) -> None:
    """Write collections to one DuckDB file, a schema for each; the file appears whole or not at all, as `whole` says.

    The tables are those of `tables.py`; `_about` holds the graders and where the data came from.

    Parameters
    ----------
    whole : of each collection the tables that have more rows than imports brought, with the fingerprint that this gives
        (`whole_tables`)
    """
    names = sorted((snapshot.collection for snapshot in snapshots), key=str.lower)
    for name, other in pairwise(names):
        if name.lower() == other.lower():
            raise StoreError(f"{path}: DuckDB takes {name} and {other} for one name. Export one of them alone.")
    if path.suffix in (".gz", ".xz"):
        raise StoreError(f"{path}: a DuckDB file is read where it lies, and can't be compressed. Name it {path.stem}.")
    _refuse_log(path)
    try:
        with written_whole(path, text=False) as aside:
            _write(snapshots, aside, whole or {})
            _refuse_log(path)  # somebody may have begun to change the file meanwhile
    except duckdb.Error as error:
        why = str(error).splitlines()[0].rpartition(": ")[2]  # after what DuckDB was doing, and to which file
        raise StoreError(f"{path}: can't be written ({why}). Check the folder and the free space.") from None


def _refuse_log(path: Path) -> None:
    """Raise StoreError where DuckDB's log of another file of this name would be taken for one of the new file."""
    for named in (path, Path(os.path.realpath(path))):
        log = named.with_name(f"{named.name}.wal")
        if log.exists():
            holds, takes = "is left of another file", "remove it"
            if named.exists():
                holds = f"may hold changes of {named.name} that are not in it yet"
                takes = f"open {named.name} with DuckDB, which takes them in, and remove it if it is still there"
            raise StoreError(
                f"{log}: {holds}, and would make a new file unreadable.\n"
                f"End the program that made it, then {takes}; or name another file. Nothing was written."
            )


def _write(snapshots: Sequence[Snapshot], path: Path, whole: Whole) -> None:
    with duckdb.connect(":memory:") as connection:
        # Under a name of our own: a schema may be called as its file is.
        connection.execute(f"ATTACH {quoted(str(path))} AS shared")
        for snapshot in snapshots:
            schema = f"shared.{identifier(snapshot.collection)}"
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
            # What was made here is part of the file, and no part of the collection's fingerprint.
            more = whole.get(snapshot.collection, {})
            frames = {name: frame for name, (frame, _) in more.items()}
            fingerprint = next((told for _, told in more.values()), snapshot.fingerprint)
            for name, table in TABLES.items():
                connection.register("_rows", table.arrow(frames[name] if name in frames else snapshot.frame(name)))
                connection.execute(f"CREATE TABLE {schema}.{name} AS SELECT * FROM _rows")
            connection.execute(
                f"CREATE TABLE {schema}._about AS SELECT ?::VARCHAR AS fingerprint, "
                "?::VARCHAR AS graders, ?::VARCHAR AS sources, ?::VARCHAR AS tags",
                [
                    fingerprint,
                    msgspec.json.encode(_graders(snapshot)).decode(),
                    msgspec.json.encode(snapshot.sources).decode(),
                    msgspec.json.encode(dict(snapshot.tags)).decode(),
                ],
            )
        # Done here, because an error that closing the file meets is not told.
        connection.execute("CHECKPOINT shared")
        connection.execute("DETACH shared")


def _graders(snapshot: Snapshot) -> dict[str, dict[str, Any]]:
    """What is known of the graders, with the aliases that people gave them; one that was taken back is gone."""
    given = dict(snapshot.aliases)
    known = {
        name: {key: value for key, value in about.items() if key != ALIAS} for name, about in snapshot.graders.items()
    }
    return known | {name: known.get(name, {}) | {ALIAS: alias} for name, alias in given.items()}


def import_duckdb(store: Store, path: Path) -> dict[str, Committed]:
    """Take an exported file's collections into a store, all of them or none.

    Raises BadInput where one of them contradicts what the store's collection of that name holds.

    Returns
    -------
    for each collection what was done
    """
    with closing(Store(path)) as shared:
        if not shared.is_file or not shared.collections():
            raise StoreError(f"{path}: no exported store. Make one with: examboard export duckdb FILE")
        prepared, name = [], visible(path.name, line_ends=False)
        for collection in shared.collections():
            snapshot = shared.snapshot(collection)
            frames = {table: snapshot.frame(table) for table in TABLES}
            counts = {table: len(frame) for table, frame in frames.items() if len(frame)}
            reading = Reading(frames, snapshot.graders, counts)
            prepared.append(store.prepare(collection, reading, Origin(str(Source("duckdb", name)), name)))
        done = {one.collection: done for one, done in zip(prepared, store.commit_together(prepared), strict=True)}
        for collection in done:
            _bring_tags(store, shared.snapshot(collection))
    return done


def _bring_tags(store: Store, shared: Snapshot) -> None:
    """Take the tags of a file's runs along; what was said here of a run counts more."""
    with store.locked(shared.collection):
        own = dict(store.snapshot(shared.collection).tags)
        found = dict(shared.tags) | own
        if found != own:
            store.give_tags(shared.collection, found, importer())
