"""The store: collections in folders of immutable files, read by DuckDB."""

from __future__ import annotations

import datetime as dt
import hashlib
import os
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pandas as pd

from exam_core import __version__
from exam_core.errors import BadInput, StoreError, UsageError
from exam_core.formats import Reading
from exam_core.store.answers import AnswerCache
from exam_core.store.files import content_name, folder_name, plain_name, touch, write_or_touch
from exam_core.store.graded import IMPORTED, describe_grader, parquet, read_graders, segment_names, write_segment
from exam_core.store.manifests import (
    ID_COLUMN,
    Manifest,
    StoredFile,
    manifest_names,
    read_imports,
    read_manifests,
    set_aside,
    write_manifest,
)
from exam_core.store.snapshot import Snapshot, identifier, quoted
from exam_core.store.views import table_sql
from exam_core.tables import TABLES

DEFAULT_STORE = "store"
"""Folder of the store where neither --store nor $EXAMBOARD_STORE names one."""

CACHE, JOBS = "cache", "jobs"
"""Folders of the store that are no collections: answers of models, and records of grading jobs."""

ABANDONED_AFTER = 24 * 3600.0
"""Seconds after which a file that no manifest lists is taken for the rest of an interrupted import."""

LONGEST_NAME = 255
"""Bytes that file systems allow for the name of a folder."""

_LOCKED: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}


def default_store() -> Path:
    """The store that $EXAMBOARD_STORE names, else ./store."""
    return Path(os.environ.get("EXAMBOARD_STORE") or DEFAULT_STORE)


class Store:
    """Collections under one folder (or in one `.duckdb` file, which is read only).

    Any number of processes may read and write at once: files are never changed, and an import
    becomes visible by the rename of its manifest.

    Parameters
    ----------
    also : other folders that links in this one may lead to
    """

    def __init__(self, path: Path | str, *, also: Sequence[Path] = ()) -> None:
        self.path = Path(path)
        self.is_file = self.path.is_file()
        self._connection = _connect_file(self.path) if self.is_file else _connect_folder(self.path, *also)
        self._snapshots: dict[str, Snapshot] = {}

    def collections(self) -> list[str]:
        """Names of the collections, sorted."""
        if self.is_file:
            rows = self._connection.cursor().execute(
                "SELECT DISTINCT schema_name FROM duckdb_tables() WHERE database_name = 'shared'"
            )
            return sorted(name for (name,) in rows.fetchall())
        if not self.path.is_dir():
            return []
        return sorted(plain_name(entry.name) for entry in self.path.iterdir() if manifest_names(entry))

    def snapshot(self, collection: str) -> Snapshot:
        """The collection as it is now.

        Raises
        ------
        UsageError : there is no such collection; the message names those there are
        """
        if self.is_file:
            return self._snapshots.get(collection) or self._file_snapshot(collection)
        folder = self._folder(collection)
        names = manifest_names(folder)
        if not names:
            raise _unknown_collection(collection, self.collections())
        segments = segment_names(folder)
        fingerprint = hashlib.sha256("\n".join([*names, *segments]).encode()).hexdigest()[:16]
        known = self._snapshots.get(collection)
        if known and known.fingerprint == fingerprint:
            return known
        imports = read_imports(folder, names)
        manifests = list(imports.values())
        graders = read_graders(folder) if segments else {}
        graders |= {name: about for manifest in manifests for name, about in manifest.graders.items()}
        sources = [
            {
                "id": name.removesuffix(".json"),
                "source": m.source,
                "file": m.file,
                "created": m.created,
                "counts": m.counts,
                "notes": m.notes,
            }
            for name, m in imports.items()
        ]
        tables = table_sql(folder.resolve(), manifests, segments)
        snapshot = Snapshot(collection, fingerprint, self._connection, tables, graders, sources)
        self._snapshots[collection] = snapshot
        return snapshot

    def commit(
        self,
        collection: str,
        readings: Reading | Iterable[Reading],
        *,
        source: str,
        file: str = "",
        sha256: str = "",
        owns: Sequence[tuple[str, str]] = (),
    ) -> bool:
        """Add what a reader found to a collection, whole or not at all.

        Parameters
        ----------
        readings : what is added; one that comes in parts is written part by part, and seen when all are
        source : an earlier import with the same source is superseded as a whole
        owns : (table, id) pairs whose rows come from this import alone from now on

        Returns
        -------
        False if the collection holds exactly this already, and nothing was written

        Raises
        ------
        BadInput : a row contradicts what another import says
        """
        if self.is_file:
            raise StoreError(f"{self.path} is a single-file store and read only; import into a folder.")
        folder = self._folder(collection)
        manifests = read_manifests(folder, manifest_names(folder))
        others = [manifest for manifest in manifests if manifest.source != source]
        owned_tables = {table for table, _ in owns}
        whole, files = Reading(), dict[StoredFile, None]()
        for part in [readings] if isinstance(readings, Reading) else readings:
            self._refuse_contradictions(folder, others, part, owned_tables, file or source)
            for name, frame in part.frames.items():
                for stored, content in _encoded(name, frame):
                    write_or_touch(folder / stored.path, content)
                    files[stored] = None
            _add_about(whole, part)
        for known in manifests:
            same = known.source == source and set(known.files) == set(files)
            # An older import of the same content counts only if nothing has taken its ids over since.
            if same and not _taken_over(known, manifests) and known.graders == whole.graders:
                return False
        # Snapshots that read what is superseded now can read on for a day.
        touch(folder / stored.path for old in manifests if old.source == source for stored in old.files)
        manifest = Manifest(
            # Counted now: a commit of many parts takes minutes, and others may have come meanwhile.
            sequence=max((int(name.split("-")[0]) for name in manifest_names(folder)), default=0) + 1,
            source=source,
            file=file,
            sha256=sha256,
            created=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
            version=__version__,
            files=list(files),
            owns=list(owns),
            graders=whole.graders,
            counts=whole.counts,
            notes=whole.notes,
        )
        write_manifest(folder, manifest)
        collect_abandoned(folder, [*manifests, manifest])
        return True

    def add_grades(self, collection: str, grader_id: str, grades: pd.DataFrame) -> None:
        """Commit grades that were made here; they show at the next snapshot.

        Parameters
        ----------
        grades : rows of the grades table of this grader, which `describe_grader` has introduced
        """
        write_segment(self._folder(collection), grader_id, grades)

    def describe_grader(self, collection: str, grader_id: str, about: dict[str, Any]) -> None:
        """Say what a grader is before its first grades; UsageError if its name means another one already."""
        if self.is_file:
            raise StoreError(f"{self.path} is a single-file store and read only; grade into a folder.")
        describe_grader(self._folder(collection), grader_id, about)

    def answers(self, name: str, about: dict[str, Any]) -> AnswerCache:
        """The cache of a model's answers, for all collections."""
        return AnswerCache(self.path / CACHE / folder_name(name), about)

    @property
    def jobs(self) -> Path:
        """Folder of the records of grading jobs."""
        return self.path / JOBS

    def undo(self, collection: str, import_id: str) -> dict[str, Any] | None:
        """Take an import back, whole or not at all; an earlier one of the same source counts again.

        A collection without imports is gone. What others have open can be read for another day.

        Parameters
        ----------
        import_id : as a snapshot's `sources` name it

        Returns
        -------
        source, file and time of the import that counts again; None if there is none

        Raises
        ------
        UsageError : no such collection, or no such import that counts
        """
        if self.is_file:
            raise StoreError(f"{self.path} is a single-file store and read only; nothing in it can be undone.")
        folder = self._folder(collection)
        names = manifest_names(folder)
        if not names:
            raise _unknown_collection(collection, self.collections())
        counting = [name.removesuffix(".json") for name in read_imports(folder, names)]
        if import_id not in counting:
            raise UsageError(f"{collection} has no import {import_id} to undo. There are: {', '.join(counting)}.")
        again = set_aside(folder, f"{import_id}.json")
        return {"source": again.source, "file": again.file, "created": again.created} if again else None

    def _refuse_contradictions(
        self, folder: Path, others: list[Manifest], reading: Reading, owned_tables: set[str], name: str
    ) -> None:
        """Raise BadInput where a new row and a row of another import share a key but differ."""
        known = table_sql(folder.resolve(), others)
        for table, column, differs in _COMPARED:
            if table in owned_tables or table not in known or table not in reading.frames:
                continue
            # Rows that an owner hides can't contradict anything.
            owned = [own for manifest in others for own_table, own in manifest.owns if own_table == table]
            hidden = f" AND new.{ID_COLUMN[table]} NOT IN ({', '.join(map(quoted, owned))})" if owned else ""
            key = TABLES[table].key
            same = " AND ".join(f"old.{part} IS NOT DISTINCT FROM new.{part}" for part in key)
            with self._connection.cursor() as cursor:
                cursor.register("new_rows", TABLES[table].arrow(reading.frames[table]))
                rows = cursor.execute(
                    f"SELECT {', '.join(f'new.{part}' for part in key)}, old.{column}, new.{column} "
                    f"FROM new_rows new JOIN ({known[table]}) old ON {same} "
                    f"WHERE old.{column} {differs} new.{column}{hidden} ORDER BY ALL LIMIT 21"
                ).fetchall()
            if rows:
                raise BadInput(_contradiction(table, column, name, rows))

    def _folder(self, collection: str) -> Path:
        if not collection.strip() or len(collection) > 100 or not collection.isprintable():
            raise UsageError("A collection's name is a line of 1 to 100 characters.")
        if collection in (CACHE, JOBS):
            raise UsageError(f"The name {collection} is taken by the graders; choose another for the collection.")
        name = folder_name(collection)
        if len(name) > LONGEST_NAME:
            raise UsageError(f"Collection {collection}: the name makes too long a folder name. Take a shorter one.")
        return self.path / name

    def _file_snapshot(self, collection: str) -> Snapshot:
        if collection not in self.collections():
            raise _unknown_collection(collection, self.collections())
        schema = f"shared.{identifier(collection)}"
        tables = {name: f"SELECT {', '.join(table.names)} FROM {schema}.{name}" for name, table in TABLES.items()}
        with self._connection.cursor() as cursor:
            try:
                about = cursor.execute(f"SELECT fingerprint, graders, sources FROM {schema}._about").fetchone()
                for select in tables.values():
                    cursor.execute(f"{select} LIMIT 0")
            except duckdb.Error:
                about = None
        if about is None:
            raise StoreError(
                f"{self.path}: collection {collection} is not as this version of Examboard exports it. "
                "Export it again with this version."
            )
        snapshot = Snapshot(
            collection, about[0], self._connection, tables, msgspec.json.decode(about[1]), msgspec.json.decode(about[2])
        )
        self._snapshots[collection] = snapshot
        return snapshot


_COMPARED = (
    ("passages", "text_hash", "!="),
    ("rankings", "score", "!="),
    ("judgments", "relevance", "!="),
    # No grade says that the answer can't be read; in other tables null contradicts nothing.
    ("grades", "grade", "IS DISTINCT FROM"),
    ("leaderboards", "score", "!="),
)


def _contradiction(table: str, column: str, name: str, rows: list[tuple[Any, ...]]) -> str:
    key = TABLES[table].key
    lines = [f"{name}: contradicts what the collection already holds in {table}."]
    for *values, old, new in rows[:20]:
        where = ", ".join(f"{part} {value}" for part, value in zip(key, values, strict=True))
        lines.append(f"  {where}: {column} is {old} there and {new} here")
    if len(rows) > 20:
        lines.append("  ... and more")
    lines.append("Import it into another collection, or give it another name. Nothing was stored.")
    return "\n".join(lines)


def _unknown_collection(collection: str, known: list[str]) -> UsageError:
    if not known:
        return UsageError(
            f"There is no collection {collection}: the store is empty. Build the demo with: python -m exam_core demo"
        )
    return UsageError(f"There is no collection {collection}. There are: {', '.join(known)}.")


def _add_about(whole: Reading, part: Reading) -> None:
    """What a part says of itself, added to what the parts before it said."""
    whole.graders |= part.graders
    whole.notes += [note for note in part.notes if note not in whole.notes]
    for name, count in part.counts.items():
        whole.counts[name] = whole.counts.get(name, 0) + count


def _taken_over(manifest: Manifest, manifests: list[Manifest]) -> bool:
    """Whether a later import took over what this one owns, or the texts that it filled in."""
    later = manifests[manifests.index(manifest) + 1 :]
    if manifest.source.startswith("topics:"):
        return any(other.source.startswith("topics:") for other in later)
    return any(set(map(tuple, manifest.owns)) & set(map(tuple, other.owns)) for other in later)


def _encoded(table: str, frame: pd.DataFrame) -> list[tuple[StoredFile, bytes]]:
    """A frame as Parquet files and their content; grades go to a folder for each grader."""
    if not len(frame):
        return []
    if table != "grades":
        return [_parquet(table, f"{table}/", frame)]
    return [
        _parquet(table, f"grades/{folder_name(str(grader_id))}/{IMPORTED}", group)
        for grader_id, group in frame.groupby("grader_id", sort=False)
    ]


def _parquet(table: str, prefix: str, frame: pd.DataFrame) -> tuple[StoredFile, bytes]:
    content = parquet(TABLES[table].arrow(frame))
    return StoredFile(table, f"{prefix}{content_name(content)}.parquet", len(frame)), content


def collect_abandoned(folder: Path, manifests: Sequence[Manifest]) -> None:
    """Remove files that no manifest lists and that are older than a day: rests of killed imports."""
    listed = {folder / file.path for manifest in manifests for file in manifest.files}
    oldest = time.time() - ABANDONED_AFTER
    # What is graded here is no import: its files are listed nowhere.
    patterns = [f"{name}/*.parquet" for name in TABLES if name != "grades"] + [f"grades/*/{IMPORTED}*.parquet"]
    for path in (*(path for pattern in patterns for path in folder.glob(pattern)), *folder.rglob(".*.part")):
        # Another process may be as fast, or the file somebody else's; the import is done all the same.
        with suppress(OSError):
            if path not in listed and path.stat().st_mtime < oldest:
                path.unlink()


def _connect_folder(*paths: Path) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:", config=_LOCKED)
    allowed = ", ".join(quoted(str(path.resolve())) for path in paths)
    connection.execute(f"SET allowed_directories = [{allowed}]")
    return _closed_in(connection)


def _connect_file(path: Path) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:", config=_LOCKED)
    try:
        connection.execute(f"ATTACH {quoted(str(path.resolve()))} AS shared (READ_ONLY)")
    except duckdb.Error as error:
        raise StoreError(f"{path}: can't be opened as an exported store ({str(error).splitlines()[0]}).") from None
    return _closed_in(connection)


def _closed_in(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """No file outside the store, no download, no way back."""
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection
