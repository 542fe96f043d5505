"""The store: collections in folders of immutable files, read by DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

import duckdb
import msgspec
import pandas as pd

from exam_core.errors import StoreError, UsageError
from exam_core.formats import Reading
from exam_core.store.aliases_and_tags import ALIAS, ALIASES, TAGS, GivenAlias, GivenTags, aliases_in, tags_in
from exam_core.store.answer_cache import AnswerCache
from exam_core.store.asides import Asides
from exam_core.store.catalogue import Catalogue, RecordKind
from exam_core.store.commits import Committed, Origin, Prepared, commit, now, prepare
from exam_core.store.database import identifier, of_file, of_folders
from exam_core.store.files import content_name, folder_name, write_once
from exam_core.store.grade_segments import GRADER, SEGMENT, Segment, parquet, read_segments, refuse_another
from exam_core.store.manifests import IMPORT, Manifest, counting, read_imports, undo
from exam_core.store.snapshot import SQL_TYPE, Snapshot, keep_while_held, table_sql
from exam_core.tables import GRADES, LATER, TABLES, Table
from exam_core.tags import RunTags

CACHE, JOBS = "cache", "jobs"
"""Folders of the store that are no collections: answers of models, and records of grading jobs."""


@dataclass(frozen=True)
class _Known:
    """What the newest snapshot of a collection was made of, and names and tags as they were said then."""

    stamp: Hashable
    names: tuple[dict[str, str], RunTags, list[str]]
    details: dict[tuple[Path, str], _ImportDetails]


@dataclass(frozen=True)
class _ImportDetails:
    """What a snapshot tells of an import, and its files by table: many snapshots in a row have it in common."""

    source: dict[str, Any]
    files: list[tuple[str, Path]]


def _details(folder: Path, name: str, manifest: Manifest) -> _ImportDetails:
    fields = ("source", "file", "created", "by", "counts", "notes", "owns", "together")
    source = {"id": name} | {field: getattr(manifest, field) for field in fields}
    return _ImportDetails(source, [(stored.table, folder / stored.path) for stored in manifest.files])


class Store:
    """Collections under one folder (or in one `.duckdb` file, which is read only).

    Any number of processes may read and write at once: Parquet files are never changed, and whatever is said of them is
    said by a transaction of the catalogue. A collection is a folder, and its records there. Whatever is asked of a
    store of a later version raises StoreError.

    Parameters
    ----------
    tell : is told of each record that can't be read, and is left out of a snapshot
    catalogue : in place of the one in the folder
    """

    def __init__(
        self, path: Path | str, *, tell: Callable[[str], object] = str, catalogue: Catalogue | None = None
    ) -> None:
        self.path, self._tell = Path(path), tell
        self.is_file = self.path.is_file()
        self.catalogue = catalogue or Catalogue(self.path)
        self._database = of_file(self.path) if self.is_file else of_folders(self.path)
        self._making = Lock()
        self._snapshots: dict[str, Snapshot] = {}
        self._knowing: dict[str, _Known] = {}
        keep_while_held(self, self._snapshots)

    def close(self) -> None:
        """Read nothing more, and keep nothing of what was read: for a store that is there for a moment."""
        for snapshot in self._snapshots.values():
            snapshot.validity.end()
        self._database.close()
        self.catalogue.close()

    def collections(self) -> list[str]:
        """Names of the collections, sorted; also of one that can't be read, which its snapshot says."""
        if self.is_file:
            rows = self._database.cursor().execute(
                "SELECT DISTINCT schema_name FROM duckdb_tables() WHERE database_name = 'shared'"
            )
            return sorted(name for (name,) in rows.fetchall())
        return sorted(name for name in self.catalogue.collections(IMPORT) if self.folder(name).is_dir())

    def snapshot(self, collection: str) -> Snapshot:
        """The collection as it is now.

        Raises UsageError where there is no such collection; the message names those there are.
        """
        if self.is_file:
            return self._snapshots.get(collection) or self._file_snapshot(collection)
        if known := self._known(collection):
            return known
        with self._making:  # of two that see a change at once, the second one finds what the first one made
            return self._known(collection) or self._read(collection)

    def _known(self, collection: str) -> Snapshot | None:
        """The newest snapshot, if nothing was said since."""
        known = self._knowing.get(collection)
        snapshot = self._snapshots.get(collection)  # which is written before it
        if snapshot is None or known is None or not self.folder(collection).is_dir():
            return None
        return snapshot if known.stamp == self.catalogue.stamp(collection) else None

    def _read(self, collection: str) -> Snapshot:
        """A snapshot of what is there; those before it are superseded. UsageError if there is no such collection."""
        catalogue = self.catalogue
        with catalogue.at_one_moment():
            stamp, imports = catalogue.stamp(collection), read_imports(catalogue, collection)
            if not imports or not self.folder(collection).is_dir():
                raise _unknown_collection(collection, self.collections())
            graders, aliases, tags = (catalogue.read(kind, collection) for kind in (GRADER, ALIASES, TAGS))
            made_here = read_segments(catalogue, collection)
        # Where the description of a grader is damaged, nobody knows what grades without one mean.
        segments = sorted(
            path for path, segment in made_here.items() if not graders.damaged or segment.grader in graders.values
        )
        unread = [record.sentence(self.path) for records in (graders, aliases, tags) for record in records.damaged]
        names = aliases_in(aliases), tags_in(tags), unread
        old, before = self._snapshots.get(collection), self._knowing.get(collection)
        # Of what figures depend on; as if imports were files, as they were in version 1.
        fingerprint = content_name("\n".join([*(f"{name}.json" for name in imports), *segments]).encode())
        if old and before and (old.fingerprint, before.names) == (fingerprint, names):
            self._knowing[collection] = replace(before, stamp=stamp)
            return old
        folder, import_details = self.folder(collection).resolve(), before.details if before else {}
        counts = counting(imports)
        details = {
            (folder, name): import_details.get((folder, name)) or _details(folder, name, count)
            for name, count in counts.items()
        }
        tables = table_sql(folder, list(counts.values()), segments)
        files: dict[str, dict[Path, str]] = {}
        for table, path, source in ((*file, detail.source) for detail in details.values() for file in detail.files):
            files.setdefault(table, {})[path] = source["file"] or source["source"]
        files.setdefault("grades", {}).update({folder / path: "" for path in segments})
        described = {name: dict(about) for name, about in graders.values.items()} if segments else {}
        described |= {name: about for manifest in counts.values() for name, about in manifest.graders.items()}
        snapshot = Snapshot(
            collection,
            fingerprint,
            self._database,
            tables,
            described,
            [detail.source for detail in details.values()],
            files,
            aliases=_aliases(described, names[0]),
            tags=tuple(sorted(names[1].items())),
            unread=tuple(unread),
            folder=folder,
        )
        for sentence in unread:
            self._tell(sentence)
        self._snapshots[collection], self._knowing[collection] = snapshot, _Known(stamp, names, details)
        if old:
            old.validity.end()
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
        """Add what a reader found to a collection, whole or not at all; nothing if it holds exactly this already and
        undamaged.

        Raises BadInput where a row contradicts what another import says.

        Parameters
        ----------
        readings : one that comes in parts is written part by part, and seen when all are
        source : an earlier import with the same source is superseded as a whole
        owns : (table, id) pairs whose rows come from this import alone from now on
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
        prepared = Prepared(collection, self._own_folder(collection), origin, tuple(owns))
        self._begin(prepared)
        prepare(self._database, self.catalogue, prepared, [readings] if isinstance(readings, Reading) else readings)
        return prepared

    def _begin(self, prepared: Prepared) -> None:
        """Look at an import before its files are written."""

    def asides(self, collection: str) -> Asides:
        """Where a file's rows go that are too many for the memory, while an import of it is made."""
        return Asides(lambda: self._own_folder(collection))

    def refuse_file(self, instead: str) -> None:
        """Raise StoreError for a single-file store, which is read only; `instead` says what to do in a folder."""
        if self.is_file:
            raise StoreError(f"{self.path} is a single-file store and read only; {instead}.")

    def commit_together(self, imports: Sequence[Prepared]) -> list[Committed]:
        """Make imports visible, all of them or none; those into one collection don't contradict each other.

        Raises BadInput where a row contradicts what another import said meanwhile.
        """
        with self.catalogue.writing():
            return commit(self._database, self.catalogue, imports)

    @contextmanager
    def locked(self, collection: str) -> Iterator[None]:
        """A transaction: nobody else commits meanwhile; for what depends on what is there, such as a version."""
        with self.catalogue.writing():
            self._own_folder(collection)
            yield

    def _own_folder(self, collection: str) -> Path:
        """A collection's folder, to be written to; if it was removed, what is still said of it is no more."""
        self.refuse_file("import into a folder")
        folder = self.folder(collection)
        if not folder.is_dir() and self.catalogue.stamp(collection):
            self.catalogue.drop(collection)
        return folder

    def add_grades(self, collection: str, grader_id: str, grades: pd.DataFrame) -> None:
        """Commit grades of a grader that `describe_grader` has introduced; they show at the next snapshot."""
        content, place = parquet(GRADES.arrow(grades)), f"grades/{folder_name(grader_id)}/"
        number = sum(name.startswith(place) for name in read_segments(self.catalogue, collection))
        name = f"{place}{number + 1:06d}-{content_name(content)}.parquet"
        write_once(self.folder(collection) / name, content)
        self.catalogue.put(SEGMENT, name, Segment(grader_id), collection)

    def describe_grader(self, collection: str, grader_id: str, about: dict[str, Any]) -> None:
        """Say what a grader is before its first grades; the same name never means another model, prompt or option.

        Raises UsageError where the name is taken by a grader that differs; the message says in what.
        """
        self.refuse_file("grade into a folder")
        self.folder(collection)
        with self.catalogue.writing():
            self.refuse_another_grader(collection, grader_id, about)
            if self.catalogue.find(GRADER, grader_id, collection) is None:
                self.catalogue.put(GRADER, grader_id, about, collection)

    def refuse_another_grader(self, collection: str, grader_id: str, about: dict[str, Any]) -> None:
        """Raise UsageError where a grader's name means another one that graded here, StoreError where nobody knows."""
        if (known := self.catalogue.find(GRADER, grader_id, collection)) is not None:
            refuse_another(grader_id, known, about)

    def give_alias(self, collection: str, grader_id: str, alias: str, by: str) -> None:
        """Say what a grader is called from now on; empty takes the guessed name again. Nothing is checked here."""
        self.catalogue.add(ALIASES, GivenAlias(grader=grader_id, alias=alias, by=by, created=now()), collection)

    def give_tags(self, collection: str, tags: RunTags, by: str) -> None:
        """Say what tags all runs have from now on. Nothing is checked here."""
        own = {run: list(of_run) for run, of_run in tags.items()}
        self.catalogue.add(TAGS, GivenTags(tags=own, by=by, created=now()), collection)

    def tags_before(self, collection: str) -> RunTags:
        """Tags of runs as they were before they were last changed."""
        return tags_in(self.catalogue.read(TAGS, collection), before=True)

    def damaged(self, kind: RecordKind[Any], collection: str = "") -> list[str]:
        """A sentence for each record of a kind that can't be read: what is lost with it, and what to do."""
        return [record.sentence(self.path) for record in self.catalogue.read(kind, collection).damaged]

    def answers(self, name: str, about: dict[str, Any]) -> AnswerCache:
        """The cache of a model's answers, for all collections."""
        return AnswerCache(self.path / CACHE / folder_name(name), about)

    @property
    def jobs(self) -> Path:
        """Folder of the records of grading jobs."""
        return self.path / JOBS

    def undo(self, collection: str, undone: str) -> dict[str, Any] | None:
        """Take an import back, by its id in a snapshot's `sources`; an earlier one of the same source counts again.

        Returns source, file and time of that one, or None. A collection without imports is gone. What others have open
        can be read for another day.

        Raises UsageError where there is no such collection, or no such import that counts.
        """
        self.refuse_file("nothing in it can be undone")
        with self.locked(collection):
            imports = counting(read_imports(self.catalogue, collection))
            if not imports:
                raise _unknown_collection(collection, self.collections())
            if undone not in imports:
                raise UsageError(f"{collection} has no import {undone} to undo. There are: {', '.join(imports)}.")
            again = undo(self.catalogue, collection, self.folder(collection), undone)
        return {"source": again.source, "file": again.file, "created": again.created} if again else None

    def folder(self, collection: str) -> Path:
        """Where a collection is, or would be; UsageError if it can't have that name."""
        if not collection.strip() or len(collection) > 100 or not collection.isprintable():
            raise UsageError("A collection's name is a line of 1 to 100 characters.")
        if collection in (CACHE, JOBS):
            raise UsageError(f"The name {collection} is taken by the graders; choose another for the collection.")
        return self.path / folder_name(collection)

    def _file_snapshot(self, collection: str) -> Snapshot:
        if collection not in self.collections():
            raise _unknown_collection(collection, self.collections())
        schema = f"shared.{identifier(collection)}"
        with self._database.cursor() as cursor:
            sql = "SELECT table_name FROM duckdb_tables() WHERE database_name = 'shared' AND schema_name = ?"
            known = {name for (name,) in cursor.execute(sql, [collection]).fetchall()}
            contents = {name: table for name, table in TABLES.items() if name in known or name not in LATER}
            try:
                tables = {name: _exported_sql(cursor, f"{schema}.{name}", table) for name, table in contents.items()}
                later = "tags" if "tags" in _types_in(cursor, f"{schema}._about") else "'{}'"
                about = cursor.execute(f"SELECT fingerprint, graders, sources, {later} FROM {schema}._about").fetchone()
                wrong = [name for name in tables if not _is_table(cursor, schema, name)]
                graders, sources, tags = map(msgspec.json.decode, about[1:]) if about else ({}, [], {})
                pairs = tuple(sorted((run, tuple(own)) for run, own in tags.items()))
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
            collection, str(about[0]), self._database, tables, graders, sources, aliases=aliases, tags=pairs
        )
        self._snapshots[collection] = snapshot
        return snapshot


def _aliases(graders: dict[str, dict[str, Any]], texts: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """What people called graders: as a file of another store brought it, and as it was said here, which counts more."""
    names = {name: str(about[ALIAS]) for name, about in graders.items() if about.get(ALIAS)}
    return tuple(sorted((name, alias) for name, alias in (names | texts).items() if alias))


def _types_in(cursor: duckdb.DuckDBPyConnection, table: str) -> dict[str, str]:
    return {row[0]: row[1] for row in cursor.execute(f"DESCRIBE {table}").fetchall()}


def _exported_sql(cursor: duckdb.DuckDBPyConnection, name: str, table: Table) -> str:
    """An exported table; columns that its version did not have are null."""
    names = _types_in(cursor, name) if table.later else {}
    columns = [
        f"NULL::{SQL_TYPE[column.kind]} AS {column.name}" if column.later and column.name not in names else column.name
        for column in table.columns
    ]
    return f"SELECT {', '.join(columns)} FROM {name}"


def _is_table(cursor: duckdb.DuckDBPyConnection, schema: str, name: str) -> bool:
    """Whether an exported table has the columns of ours with their types, and nulls only where they may be."""
    names = _types_in(cursor, f"{schema}.{name}")
    if any(
        names.get(column.name) != SQL_TYPE[column.kind]
        for column in TABLES[name].columns
        if column.name in names or not column.later
    ):
        return False
    needed = " OR ".join(f"{column.name} IS NULL" for column in TABLES[name].columns if not column.nullable)
    return cursor.execute(f"SELECT 1 FROM {schema}.{name} WHERE {needed} LIMIT 1").fetchone() is None


def _unknown_collection(collection: str, known: list[str]) -> UsageError:
    if not known:
        return UsageError(
            f"There is no collection {collection}: the store is empty. Build the demo with: examboard demo"
        )
    return UsageError(f"There is no collection {collection}. There are: {', '.join(known)}.")
