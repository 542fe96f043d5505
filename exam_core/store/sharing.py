"""A store in one file for others, and backups."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import pairwise
from pathlib import Path

import duckdb
import msgspec
import pandas as pd

from exam_core import wings
from exam_core.errors import StoreError, UsageError, visible
from exam_core.flushing import flush
from exam_core.formats import Reading
from exam_core.formats.writing import whole as written_whole
from exam_core.progress import Progress, no_progress
from exam_core.store.aliases_and_tags import ALIAS
from exam_core.store.catalogue import FILE
from exam_core.store.commits import Committed, Origin, importer
from exam_core.store.database import identifier, quoted
from exam_core.store.derived_files import FOLDER, LOCKS
from exam_core.store.files import files_below, files_in
from exam_core.store.names import Source
from exam_core.store.snapshot import Snapshot
from exam_core.store.sqlite_files import SUFFIX, SQLiteFile
from exam_core.store.store import Store
from exam_core.tables import TABLES

Whole = Mapping[str, Mapping[str, tuple[pd.DataFrame, str]]]
"""By collection and table: all rows, and the fingerprint of the collection with them."""


def whole_tables(store: Store, snapshots: Sequence[Snapshot]) -> Whole:
    """What wings have of collections beside imports."""
    kinds = tuple(wings.declared("whole"))
    return {
        snapshot.collection: {table: whole for table, find in kinds if (whole := find(store, snapshot))}
        for snapshot in snapshots
    }


def export_duckdb(snapshots: Sequence[Snapshot], path: Path, whole: Whole | None = None) -> None:
    """Write collections to one DuckDB file, a schema for each; the file appears whole or not at all.

    The tables are those of `tables.py`; `_about` holds the graders and where the data came from. `whole` has the tables
    with more rows than imports brought (`whole_tables`), each with the fingerprint that this gives.
    """
    names = sorted((snapshot.collection for snapshot in snapshots), key=str.lower)
    for name, other in pairwise(names):
        if name.lower() == other.lower():
            raise StoreError(f"{path}: DuckDB takes {name} and {other} for one name. Export one of them alone.")
    if path.suffix in (".gz", ".xz"):
        raise StoreError(f"{path}: a DuckDB file is read where it lies, and can't be compressed. Name it {path.stem}.")
    _refuse_log(path)
    try:
        with written_whole(path, text=False) as file:
            _write(snapshots, file, whole or {})
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
            fingerprint = next((text for _, text in more.values()), snapshot.fingerprint)
            for name, table in TABLES.items():
                connection.register("_rows", table.arrow(frames[name] if name in frames else snapshot.frame(name)))
                connection.execute(f"CREATE TABLE {schema}.{name} AS SELECT * FROM _rows")
            # With the aliases that people gave; one that was taken back is gone.
            graders = {
                name: {key: value for key, value in about.items() if key != ALIAS}
                for name, about in snapshot.graders.items()
            }
            for name, alias in snapshot.aliases:
                graders[name] = graders.get(name, {}) | {ALIAS: alias}
            connection.execute(
                f"CREATE TABLE {schema}._about AS SELECT ?::VARCHAR AS fingerprint, "
                "?::VARCHAR AS graders, ?::VARCHAR AS sources, ?::VARCHAR AS tags",
                [
                    fingerprint,
                    msgspec.json.encode(graders).decode(),
                    msgspec.json.encode(snapshot.sources).decode(),
                    msgspec.json.encode(dict(snapshot.tags)).decode(),
                ],
            )
        # Done here, because an error that closing the file meets is not told.
        connection.execute("CHECKPOINT shared")
        connection.execute("DETACH shared")


def import_duckdb(store: Store, path: Path) -> dict[str, Committed]:
    """Take an exported file's collections into a store, all of them or none; returns what was done with each.

    Raises BadInput where one of them contradicts what the store's collection of that name holds.
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
        done = {
            prepared_import.collection: done
            for prepared_import, done in zip(prepared, store.commit_together(prepared), strict=True)
        }
        for collection in done:
            with store.locked(collection):
                own = dict(store.snapshot(collection).tags)
                tags = dict(shared.snapshot(collection).tags) | own  # what was said here of a run counts more
                if tags != own:
                    store.give_tags(collection, tags, importer())
    return done


def copy_store(store: Store, folder: Path, progress: Progress = no_progress) -> int:
    """Copy a store into a new folder, which is there whole or not at all, and give the bytes; others may write
    meanwhile.

    What was acknowledged before it began is in the copy. Files that are made of others again are not.

    Raises UsageError where the store is a single file, or the folder exists or lies in the store, and StoreError where
    something can't be read or written.
    """
    if store.is_file:
        raise UsageError(f"{store.path} is a single file: copy it.")
    if folder.exists() or store.path.resolve() in folder.resolve().parents:
        raise UsageError(f"{folder}: name a folder that does not exist yet, outside of the store.")
    file = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(file, ignore_errors=True)
    try:
        file.mkdir(parents=True)
        with suppress(StoreError), store.catalogue.writing():
            pass  # what version 1 wrote is taken over before, where it can be
        size = _copied(store.path, file, progress)
        file.replace(folder)
        flush(folder.parent)
    except (OSError, shutil.Error) as error:
        raise StoreError(f"{folder}: can't be written ({error}). Check the folder and the free space.") from None
    finally:
        shutil.rmtree(file, ignore_errors=True)
    return size


def _copied(place: Path, target: Path, progress: Progress) -> int:
    """Copy each file, the catalogue first: what it lists stays for a day at least. Bytes of the copy."""
    paths = dict.fromkeys((*files_in(place, FILE), *_files(place)))
    size = 0
    for number, path in enumerate(paths):
        copy = target / path.relative_to(place)
        copy.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # removed since it was listed
            if path.suffix == SUFFIX:
                with closing(SQLiteFile(path)) as file:
                    file.copy_to(copy)
            else:
                shutil.copy2(path, copy)
            flush(copy)
            size += copy.stat().st_size
        progress((number + 1) / len(paths))
    return size


def _files(place: Path) -> Iterator[Path]:
    """The files of a store that a copy needs."""
    for path in sorted(files_below(place, "*")):
        parts = path.relative_to(place).parts
        if LOCKS not in parts and FOLDER not in parts and path.suffix != ".part" and not path.name.endswith("-journal"):
            yield path
