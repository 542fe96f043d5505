"""The store: collections in folders of immutable files, read by DuckDB."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import duckdb
import msgspec
import pandas as pd

from exam_core.errors import StoreError, UsageError
from exam_core.formats import Reading
from exam_core.store.again import stored_again
from exam_core.store.aliases_and_tags import (
    ALIAS,
    ALIASES,
    TAGS,
    read_aliases,
    read_tags,
    sound_sayings,
    write_alias,
    write_tags,
)
from exam_core.store.answer_cache import AnswerCache
from exam_core.store.asides import Asides, asides
from exam_core.store.commits import Committed, Origin, Prepared, commit, prepare
from exam_core.store.database import identifier, of_file, of_folders
from exam_core.store.files import files_in, folder_name, plain_name
from exam_core.store.grade_segments import describe_grader, read_graders, refuse_another, sound_segments, write_segment
from exam_core.store.layout import refuse_later, say_layout, settle
from exam_core.store.locking import locked
from exam_core.store.manifests import Manifest, import_id, manifest_names, read_imports, set_aside
from exam_core.store.snapshot import SQL_TYPE, Snapshot
from exam_core.store.snapshot_cache import keep_while_held
from exam_core.store.views import gathered_sql
from exam_core.tables import LATER, TABLES, Table
from exam_core.tags import RunTags

CACHE, JOBS = "cache", "jobs"
"""Folders of the store that are no collections: answers of models, and records of grading jobs."""
MODES = ".modes"
"""Modes of one's own: a file for each, named as graders call it."""

LONGEST_NAME = 255
"""Bytes that file systems allow for the name of a folder."""


@dataclass(frozen=True)
class _SeenNames:
    """Names of what a collection is made of at this moment: imports, grades that were made here, what people said."""

    manifests: list[str]
    segments: list[str]
    aliases: list[str]
    tags: list[str]
    unread: list[str]
    """A sentence for each record of graders, aliases and tags that can't be read, and is left out."""

    @property
    def fingerprint(self) -> str:
        """Of what figures depend on."""
        return hashlib.sha256("\n".join([*self.manifests, *self.segments]).encode()).hexdigest()[:16]

    @property
    def said(self) -> tuple[list[str], list[str], list[str]]:
        """What people said, which no figure depends on, and what is left out."""
        return self.aliases, self.tags, self.unread


@dataclass(frozen=True)
class _ImportDetails:
    """What a snapshot tells of an import, and its files by table: many snapshots in a row have it in common."""

    source: dict[str, Any]
    files: list[tuple[str, Path]]


def _told(folder: Path, name: str, manifest: Manifest) -> _ImportDetails:
    said = ("source", "file", "created", "by", "counts", "notes", "owns", "together")
    source = {"id": import_id(name)} | {field: getattr(manifest, field) for field in said}
    return _ImportDetails(source, [(stored.table, folder / stored.path) for stored in manifest.files])


class Store:
    """Collections under one folder (or in one `.duckdb` file, which is read only).

    Any number of processes may read and write at once: files are never changed, and an import
    becomes visible by the rename of its manifest.

    Raises StoreError where it was written by a later version, or is of an earlier one and can't be brought to this one.

    Parameters
    ----------
    also : other folders that links in this one may lead to
    tell : is told of each record that can't be read, and is left out of a snapshot
    """

    def __init__(self, path: Path | str, *, also: Sequence[Path] = (), tell: Callable[[str], object] = str) -> None:
        self.path, self._tell = Path(path), tell
        self.is_file = self.path.is_file()
        if not self.is_file:
            settle(self.path)
        self._database = of_file(self.path) if self.is_file else of_folders(self.path, *also)
        self._making = Lock()
        self._snapshots: dict[str, Snapshot] = {}
        self._said: dict[str, tuple[list[str], list[str], list[str]]] = {}
        self._imports: dict[str, dict[tuple[Path, str], _ImportDetails]] = {}
        keep_while_held(self, self._snapshots)

    def close(self) -> None:
        """Read nothing more, and keep nothing of what was read: for a store that is there for a moment."""
        for snapshot in self._snapshots.values():
            snapshot.validity.end()
        self._database.close()

    def collections(self) -> list[str]:
        """Names of the collections, sorted; also of one that can't be read, which its snapshot says."""
        if self.is_file:
            rows = self._database.cursor().execute(
                "SELECT DISTINCT schema_name FROM duckdb_tables() WHERE database_name = 'shared'"
            )
            return sorted(name for (name,) in rows.fetchall())
        return sorted(plain_name(entry.name) for entry in files_in(self.path, "*") if _is_collection(entry))

    def snapshot(self, collection: str) -> Snapshot:
        """The collection as it is now.

        Raises UsageError where there is no such collection; the message names those there are.
        """
        if self.is_file:
            return self._snapshots.get(collection) or self._file_snapshot(collection)
        seen = self._seen(collection)
        if known := self._known(collection, seen):
            return known
        with self._making:  # of two that see a change at once, the second one finds what the first one made
            seen = self._seen(collection)
            return self._known(collection, seen) or self._read(collection, seen)

    def _seen(self, collection: str) -> _SeenNames:
        """What the collection is made of now; UsageError if there is none of that name."""
        folder = self.folder(collection)
        names = manifest_names(folder)
        if not names:
            raise _unknown_collection(collection, self.collections())
        segments, lost = sound_segments(folder)
        (aliases, unnamed), (tags, untagged) = (sound_sayings(folder, kind) for kind in (ALIASES, TAGS))
        return _SeenNames(names, segments, aliases, tags, [*lost, *unnamed, *untagged])

    def _known(self, collection: str, seen: _SeenNames) -> Snapshot | None:
        """The newest snapshot, if it is of what is seen now."""
        known = self._snapshots.get(collection)
        is_same = known and known.fingerprint == seen.fingerprint and self._said.get(collection) == seen.said
        return known if is_same else None

    def _read(self, collection: str, seen: _SeenNames) -> Snapshot:
        """A snapshot of what is seen; those before it are superseded."""
        folder, names, segments = self.folder(collection), seen.manifests, seen.segments
        known = self._snapshots.get(collection)
        imports = read_imports(folder, names)
        manifests = list(imports.values())
        graders = read_graders(folder) if segments else {}
        graders |= {name: about for manifest in manifests for name, about in manifest.graders.items()}
        whole = folder.resolve()  # whoever keeps the snapshot may be elsewhere later
        there = self._imports.get(collection, {})
        told = {(whole, name): there.get((whole, name)) or _told(whole, name, one) for name, one in imports.items()}
        self._imports[collection] = told
        tables, gathered = gathered_sql(whole, manifests, segments, known.gathered if known else {})
        files: dict[str, dict[Path, str]] = {}
        for one in told.values():
            for table, path in one.files:
                files.setdefault(table, {})[path] = one.source["file"] or one.source["source"]
        files.setdefault("grades", {}).update({whole / path: "" for path in segments})
        aliases = _aliases(graders, read_aliases(folder, seen.aliases))
        snapshot = Snapshot(
            collection,
            seen.fingerprint,
            self._database,
            tables,
            graders,
            [one.source for one in told.values()],
            files,
            gathered,
            aliases=aliases,
            tags=tuple(sorted(read_tags(folder, seen.tags).items())),
            unread=tuple(seen.unread),
            folder=whole,
        )
        for sentence in seen.unread:
            self._tell(sentence)
        self._snapshots[collection], self._said[collection] = snapshot, seen.said
        if known:
            known.validity.end()
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
    ) -> Committed:
        """Add what a reader found to a collection, whole or not at all.

        Raises BadInput where a row contradicts what another import says.

        Parameters
        ----------
        readings : what is added; one that comes in parts is written part by part, and seen when all are
        source : an earlier import with the same source is superseded as a whole
        owns : (table, id) pairs whose rows come from this import alone from now on

        Returns
        -------
        what happened; nothing, if the collection holds exactly this already and undamaged
        """
        (done,) = self.commit_together([self.prepare(collection, readings, Origin(source, file, sha256), owns=owns)])
        return done

    def prepare(
        self,
        collection: str,
        readings: Reading | Iterable[Reading],
        origin: Origin,
        *,
        owns: Sequence[tuple[str, str]] = (),
    ) -> Prepared:
        """Write what a reader found, for `commit_together` to make it visible; arguments and errors as `commit`."""
        self.refuse_file("import into a folder")
        prepared = Prepared(collection, self.folder(collection), origin, tuple(owns))
        prepare(self._database, prepared, [readings] if isinstance(readings, Reading) else readings)
        return prepared

    def prepare_again(self, collection: str, read: str) -> list[Prepared]:
        """The imports that were made of something, as if it were read again; see `stored_again`."""
        return stored_again(collection, self.folder(collection), read)

    def asides(self, collection: str) -> AbstractContextManager[Asides]:
        """Where a file's rows go that are too many for the memory, while an import of it is made."""

        def folder() -> Path:
            self.refuse_file("import into a folder")
            return self.folder(collection)

        return asides(folder)

    def refuse_file(self, instead: str) -> None:
        """Raise StoreError for a single-file store, which is read only; `instead` says what to do in a folder."""
        if self.is_file:
            raise StoreError(f"{self.path} is a single-file store and read only; {instead}.")

    def commit_together(self, imports: Sequence[Prepared]) -> list[Committed]:
        """Make imports visible, all of them or none; those into one collection don't contradict each other.

        Raises BadInput where a row contradicts what another import said meanwhile.
        """
        with ExitStack() as locks:
            for collection in sorted({prepared.collection for prepared in imports}):
                locks.enter_context(self.locked(collection))
            return commit(self._database, imports)

    @contextmanager
    def locked(self, collection: str) -> Iterator[None]:
        """Nobody else commits to the collection meanwhile: for what depends on what is there, such as a version."""
        with locked(self.path, self.folder(collection).name):
            settle(self.path)  # somebody may have a later version by now
            say_layout(self.path)
            yield

    def add_grades(self, collection: str, grader_id: str, grades: pd.DataFrame) -> None:
        """Commit grades that were made here; they show at the next snapshot.

        Parameters
        ----------
        grades : rows of the grades table of this grader, which `describe_grader` has introduced
        """
        refuse_later(self.path)
        write_segment(self.folder(collection), grader_id, grades)

    def describe_grader(self, collection: str, grader_id: str, about: dict[str, Any]) -> None:
        """Say what a grader is before its first grades; UsageError if its name means another one already."""
        self.refuse_file("grade into a folder")
        with self.locked(collection):
            describe_grader(self.folder(collection), grader_id, about)

    def refuse_another_grader(self, collection: str, grader_id: str, about: dict[str, Any]) -> None:
        """Raise UsageError where a grader's name means another one that graded here, before anything is asked."""
        refuse_another(self.folder(collection), grader_id, about)

    def give_alias(self, collection: str, grader_id: str, alias: str, by: str) -> None:
        """Say what a grader is called from now on; empty takes the guessed name again. Nothing is checked here."""
        with self.locked(collection):
            write_alias(self.folder(collection), grader_id, alias, by)

    def give_tags(self, collection: str, tags: RunTags, by: str) -> None:
        """Say what tags all runs have from now on. Nothing is checked here."""
        with self.locked(collection):
            write_tags(self.folder(collection), tags, by)

    def tags_before(self, collection: str) -> RunTags:
        """Tags of runs as they were before they were last changed."""
        folder = self.folder(collection)
        return read_tags(folder, sound_sayings(folder, TAGS)[0], before=True)

    def answers(self, name: str, about: dict[str, Any]) -> AnswerCache:
        """The cache of a model's answers, for all collections."""
        return AnswerCache(self.path / CACHE / folder_name(name), about)

    @property
    def jobs(self) -> Path:
        """Folder of the records of grading jobs."""
        return self.path / JOBS

    def undo(self, collection: str, undone: str) -> dict[str, Any] | None:
        """Take an import back, whole or not at all; an earlier one of the same source counts again.

        A collection without imports is gone. What others have open can be read for another day.

        Parameters
        ----------
        undone : the import's id, as a snapshot's `sources` name it

        Returns
        -------
        source, file and time of the import that counts again; None if there is none

        Raises
        ------
        UsageError : no such collection, or no such import that counts
        """
        self.refuse_file("nothing in it can be undone")
        folder = self.folder(collection)
        if not manifest_names(folder):
            raise _unknown_collection(collection, self.collections())
        with self.locked(collection):
            counting = [import_id(name) for name in read_imports(folder, manifest_names(folder))]
            if undone not in counting:
                raise UsageError(f"{collection} has no import {undone} to undo. There are: {', '.join(counting)}.")
            again = set_aside(folder, undone)
        return {"source": again.source, "file": again.file, "created": again.created} if again else None

    def folder(self, collection: str) -> Path:
        """Where a collection is, or would be; UsageError if it can't have that name."""
        if not collection.strip() or len(collection) > 100 or not collection.isprintable():
            raise UsageError("A collection's name is a line of 1 to 100 characters.")
        if collection in (CACHE, JOBS):
            raise UsageError(f"The name {collection} is taken by the graders; choose another for the collection.")
        name = folder_name(collection)
        if len(name) > LONGEST_NAME:
            raise UsageError(f"Collection {collection}: its folder would have too long a name. Take a shorter one.")
        return self.path / name

    def _file_snapshot(self, collection: str) -> Snapshot:
        if collection not in self.collections():
            raise _unknown_collection(collection, self.collections())
        schema = f"shared.{identifier(collection)}"
        with self._database.cursor() as cursor:
            there = _tables_in(cursor, collection)
            held = {name: table for name, table in TABLES.items() if name in there or name not in LATER}
            try:
                tables = {name: _exported_sql(cursor, f"{schema}.{name}", table) for name, table in held.items()}
                later = "tags" if "tags" in _types_in(cursor, f"{schema}._about") else "'{}'"
                about = cursor.execute(f"SELECT fingerprint, graders, sources, {later} FROM {schema}._about").fetchone()
                wrong = [name for name in tables if not _is_table(cursor, schema, name)]
                graders, sources, tags = (msgspec.json.decode(text) for text in about[1:]) if about else ({}, [], {})
                said = tuple(sorted((run, tuple(own)) for run, own in tags.items()))
            except (duckdb.Error, ValueError, TypeError, AttributeError):
                about, wrong, tables = None, [], {}
        if about is None or wrong:
            tables_named = f" ({', '.join(wrong)})" if wrong else ""
            raise StoreError(
                f"{self.path}: collection {collection} is not as this version of Examboard exports it{tables_named}.\n"
                "Export it again with this version."
            )
        aliases = _aliases(graders, {})
        snapshot = Snapshot(
            collection, str(about[0]), self._database, tables, graders, sources, aliases=aliases, tags=said
        )
        self._snapshots[collection] = snapshot
        return snapshot


def _aliases(graders: dict[str, dict[str, Any]], given: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """What people called graders: as a file of another store brought it, and as it was said here, which counts more."""
    brought = {name: str(about[ALIAS]) for name, about in graders.items() if about.get(ALIAS)}
    return tuple(sorted((name, alias) for name, alias in (brought | given).items() if alias))


def _tables_in(cursor: duckdb.DuckDBPyConnection, collection: str) -> set[str]:
    """Names of the tables that an exported file has of a collection."""
    found = cursor.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = 'shared' AND schema_name = ?", [collection]
    )
    return {name for (name,) in found.fetchall()}


def _types_in(cursor: duckdb.DuckDBPyConnection, table: str) -> dict[str, str]:
    return {row[0]: row[1] for row in cursor.execute(f"DESCRIBE {table}").fetchall()}


def _exported_sql(cursor: duckdb.DuckDBPyConnection, name: str, table: Table) -> str:
    """An exported table; columns that its version did not have are null."""
    found = _types_in(cursor, name) if table.later else {}
    columns = [
        f"NULL::{SQL_TYPE[column.kind]} AS {column.name}" if column.later and column.name not in found else column.name
        for column in table.columns
    ]
    return f"SELECT {', '.join(columns)} FROM {name}"


def _is_table(cursor: duckdb.DuckDBPyConnection, schema: str, name: str) -> bool:
    """Whether an exported table has the columns of ours with their types, and nulls only where they may be."""
    found = _types_in(cursor, f"{schema}.{name}")
    if any(
        found.get(column.name) != SQL_TYPE[column.kind]
        for column in TABLES[name].columns
        if column.name in found or not column.later
    ):
        return False
    needed = " OR ".join(f"{column.name} IS NULL" for column in TABLES[name].columns if not column.nullable)
    return cursor.execute(f"SELECT 1 FROM {schema}.{name} WHERE {needed} LIMIT 1").fetchone() is None


def _is_collection(folder: Path) -> bool:
    if folder.name.startswith("."):
        return False
    try:
        return bool(manifest_names(folder))
    except StoreError:
        return True


def _unknown_collection(collection: str, known: list[str]) -> UsageError:
    if not known:
        return UsageError(
            f"There is no collection {collection}: the store is empty. Build the demo with: examboard demo"
        )
    return UsageError(f"There is no collection {collection}. There are: {', '.join(known)}.")
