"""The catalogue: all that a store says of itself and that people and jobs say, as records of one SQLite file.

A record has a kind, the collection that it is about (empty: the store) and an id; what it says is JSON. Its checksum is
of all of that, since SQLite does not see a changed value; `totals` count the records of a kind and collection, so that
none is lost unseen. What is said later has a larger number.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Hashable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from exam_core.errors import StoreError
from exam_core.flushing import move
from exam_core.store import version_1
from exam_core.store.files import free_path, name_aside, write_once, writing
from exam_core.store.sqlite_files import DamagedFileError, SQLiteFile

T = TypeVar("T")

FILE = "catalogue.sqlite"
"""The file of a store's records, in the store's folder."""
DAMAGED = ".damaged"
"""Folder of the store for what was set aside, by collection; no collection's folder begins so."""
SET_ASIDE = "Put the store's catalogue back from a copy, or set the record aside: examboard check --repair."
REMEDY = "Put it back from a copy, or let what can be read of it be saved: examboard check --repair."
_SCHEMA = """
CREATE TABLE records (
    number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, collection TEXT NOT NULL, id TEXT NOT NULL,
    content BLOB NOT NULL, checksum INTEGER NOT NULL, UNIQUE (kind, collection, id))

CREATE TABLE totals (
    kind TEXT NOT NULL, collection TEXT NOT NULL, count INTEGER NOT NULL, checksums INTEGER NOT NULL,
    last INTEGER NOT NULL, PRIMARY KEY (kind, collection)) WITHOUT ROWID

CREATE TRIGGER added AFTER INSERT ON records BEGIN
    INSERT INTO totals VALUES (new.kind, new.collection, 1, new.checksum, new.number) ON CONFLICT DO UPDATE SET
        count = count + 1, checksums = checksums + new.checksum, last = new.number;
END

CREATE TRIGGER removed AFTER DELETE ON records BEGIN
    UPDATE totals SET count = count - 1, checksums = checksums - old.checksum
    WHERE kind = old.kind AND collection = old.collection;
END
"""
_COUNT_ALL = """
INSERT INTO totals SELECT kind, collection, count(*), sum(checksum), max(number) FROM records NOT INDEXED GROUP BY 1, 2
"""
_INSERT = "INSERT INTO records (kind, collection, id, content, checksum) VALUES (?, ?, ?, ?, ?)"
_DELETE = "DELETE FROM records WHERE kind = ? AND collection = ? AND id = ?"
_CHECKSUM = "ifnull(CAST(checksum AS INTEGER), 0)"
"""Of a record, also where damage made something else of it than a number."""
_ROWS = f"SELECT id, content, {_CHECKSUM} FROM records WHERE"
_EVERY = f"{_ROWS} kind = ? AND collection = ? ORDER BY number"
_NEWER = f"{_ROWS} number > ? AND +kind = ? AND +collection = ? ORDER BY number"
_ONE = f"{_ROWS} kind = ? AND collection = ? AND id = ?"
_MOVING = (version_1.MOVING, "", version_1.MOVING)
_DAMAGED_BEFORE = -1
"""Checksum of what was damaged in a store of version 1: no record has it."""


@dataclass(frozen=True)
class RecordKind(Generic[T]):
    """A kind of record, by which all of that kind are read and written.

    `name` stands in the catalogue and in messages. `lost` and `remedy` are sentences for a damaged record: what is
    lost, and what to do.
    """

    name: str
    type: type[T]
    lost: str
    remedy: str = SET_ASIDE

    def encode(self, value: T) -> bytes:
        """What a record says as it is kept."""
        return msgspec.json.encode(value)

    def decode(self, content: bytes) -> T:
        """What a record says. Raises ValueError where it is none of this kind."""
        try:
            return msgspec.json.decode(content, type=self.type)
        except RecursionError:
            raise ValueError("lists and objects nested too deep") from None


@dataclass(frozen=True)
class DamagedRecord:
    """A record that can't be read.

    Parameters
    ----------
    id : empty where it is not known, because the record is gone
    problem, lost, remedy : what is wrong, what that means, and what to do
    number : of its row; 0 without one
    """

    kind: str
    collection: str
    id: str
    problem: str
    lost: str = ""
    remedy: str = SET_ASIDE
    number: int = 0

    @property
    def name(self) -> str:
        """What messages call it: `alias 3 of c`."""
        of = f" of {self.collection}" if self.collection else ""
        return f"{self.kind} {self.id}{of}" if self.id else f"records of the kind {self.kind}{of}"

    def sentence(self, place: Path) -> str:
        """What is wrong in a store's folder, and what to do."""
        return f"{place / FILE}: {self.name} {self.problem}.\n{self.lost} {self.remedy}"


@dataclass(frozen=True)
class Records(Generic[T]):
    """The records of a kind and collection by id, in the order in which they were said, and those that are damaged."""

    values: dict[str, T]
    damaged: tuple[DamagedRecord, ...] = ()


class _Totals(NamedTuple):
    records: int
    checksums: int
    last: int

    def with_rows(self, rows: list[tuple[str, bytes, int]]) -> tuple[int, int]:
        """Count and sum of these records and some more."""
        return self.records + len(rows), self.checksums + sum(row[2] for row in rows)


class Catalogue:
    """The records of a store, in `file` or in the store's folder. Threads share it; processes read and write at once.

    A store of version 1 is read as it is until it is first written to: then its records are taken over, and its files
    moved to `.before-2`.
    """

    def __init__(self, place: Path, file: SQLiteFile | None = None) -> None:
        self.place = place
        self._file = file or SQLiteFile(place / FILE, (_SCHEMA,), REMEDY, partial(_take_over, place))
        self._before: SQLiteFile | None = None
        self._is_settled = file is not None
        self._known: dict[tuple[str, str], tuple[_Totals, Records[Any]]] = {}

    def close(self) -> None:
        """Close the file; it is opened again when it is next needed."""
        self._file.close()

    @property
    def is_writing(self) -> bool:
        """Whether this thread is in a transaction."""
        return self._file.is_writing

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction, in which nobody else decides; within another one a part of it. Errors as `SQLiteFile`."""
        is_settled = self._is_settled or self.is_writing
        with self._file.writing() as connection:
            yield connection
            is_moving = not is_settled and connection.execute(_ONE, _MOVING).fetchone()
        if is_moving:
            version_1.move_records(self.place)
            with self._file.writing() as connection:
                connection.execute(_DELETE, _MOVING)
        self._is_settled = self._is_settled or not is_settled

    @contextmanager
    def at_one_moment(self) -> Iterator[sqlite3.Connection]:
        """A connection to read by; whatever this thread reads meanwhile is as it is at one moment."""
        with ExitStack() as stack:
            connection = stack.enter_context(self._file.reading())
            if connection is None:
                if self._before is None:
                    version_1.refuse_others(self.place)
                    self._before = _in_memory(_with_checksums(version_1.records(self.place)))
                connection = stack.enter_context(self._before.reading())
                assert connection
            elif self._before:
                self._before, self._known = None, {}
            yield connection

    def read(self, kind: RecordKind[T], collection: str = "") -> Records[T]:
        """The records of a kind; what was read before is not read again.

        Raises StoreError where the file is damaged or can't be read.
        """
        key = (kind.name, collection)
        with self.at_one_moment() as connection:
            totals = _totals(connection, *key)
            known = self._known.get(key)
            if known and known[0] == totals:
                records: Records[T] = known[1]
                return records
            values, damaged, before = dict[str, T](), list[DamagedRecord](), _Totals(0, 0, 0)
            if known and not known[1].damaged:
                rows = connection.execute(_NEWER, (known[0].last, *key)).fetchall()
                if known[0].with_rows(rows) == totals[:2]:
                    before, values = known[0], dict(known[1].values)
            if not values:
                rows = connection.execute(_EVERY, key).fetchall()
            for row in rows:
                read = _read(kind, collection, *row)
                if isinstance(read, DamagedRecord):
                    damaged.append(read)
                else:
                    values[row[0]] = read[0]
            count, checksums = before.with_rows(rows)
            if count != totals.records or (checksums != totals.checksums and not damaged):
                damaged.append(DamagedRecord(*key, "", "are not those that were written", kind.lost, kind.remedy))
            records = Records(values, tuple(damaged))
            if not self.is_writing:
                self._known[key] = totals, records
            return records

    def stamp(self, collection: str, kind: RecordKind[Any] | None = None) -> Hashable:
        """Changes whenever something, or something of a kind, was said of a collection."""
        with self.at_one_moment() as connection:
            if kind:
                return _totals(connection, kind.name, collection)
            sql = "SELECT kind, count, checksums, last FROM totals WHERE collection = ?"
            return tuple(connection.execute(sql, (collection,)).fetchall())

    def find(self, kind: RecordKind[T], id: str, collection: str = "") -> T | None:
        """What a record says; None if there is none. Raises StoreError where it is damaged."""
        with self.at_one_moment() as connection:
            row = connection.execute(_ONE, (kind.name, collection, id)).fetchone()
        if row is None:
            return None
        read = _read(kind, collection, *row)
        if isinstance(read, DamagedRecord):
            raise StoreError(read.sentence(self.place))
        return read[0]

    def put(self, kind: RecordKind[T], id: str, value: T, collection: str = "") -> None:
        """Say something, in place of what the record of that id said."""
        key, content = (kind.name, collection, id), kind.encode(value)
        with self.writing() as connection:
            connection.execute(_DELETE, key)
            connection.execute(_INSERT, (*key, content, checksum(*key, content)))

    def add(self, kind: RecordKind[T], value: T, collection: str = "") -> None:
        """Say something beside what was said before, under the next number."""
        with self.writing() as connection:
            sql = "SELECT max(CAST(id AS INTEGER)) FROM records WHERE kind = ? AND collection = ?"
            (last,) = connection.execute(sql, (kind.name, collection)).fetchone()
            self.put(kind, str((last or 0) + 1), value, collection)

    def remove(self, kind: RecordKind[Any], id: str, collection: str = "") -> None:
        """Forget a record, if it is there."""
        with self.writing() as connection:
            connection.execute(_DELETE, (kind.name, collection, id))

    def collections(self, kind: RecordKind[Any]) -> list[str]:
        """The collections that have records of a kind."""
        with self.at_one_moment() as connection:
            rows = connection.execute("SELECT collection FROM totals WHERE kind = ? AND count > 0", (kind.name,))
            return [name for (name,) in rows]

    def drop(self, collection: str) -> None:
        """Forget all records of a collection."""
        with self.writing() as connection:
            for table in ("records", "totals"):  # which says nothing of it from then on
                connection.execute(f"DELETE FROM {table} WHERE collection = ?", (collection,))

    def copy_of(self, collection: str) -> Catalogue:
        """A catalogue in memory with the records of a collection."""
        sql = (
            "SELECT kind, collection, id, content, checksum FROM records JOIN totals USING (kind, collection) "
            "WHERE totals.collection = ? ORDER BY number"
        )
        with self.at_one_moment() as connection:
            return Catalogue(self.place, _in_memory(connection.execute(sql, (collection,))))

    def copy_to(self, target: Path) -> None:
        """Copy the file as it is at one moment, while others may write. Raises StoreError."""
        self._file.copy_to(target)

    def damage(self, kinds: Iterable[RecordKind[Any]]) -> list[DamagedRecord]:
        """Every record that is not as it was written; all are read anew.

        Raises StoreError where the file itself is damaged: `rebuild` saves what can be read of it.
        """
        if faults := self._file.faults():
            raise DamagedFileError(f"{self.place / FILE}: is damaged ({faults[0].splitlines()[-1]}).\n{REMEDY}")
        by_name = {kind.name: kind for kind in kinds}
        damaged, counts = [], dict[tuple[str, str], list[int]]()
        with self.at_one_moment() as connection:
            sql = f"SELECT number, kind, collection, id, content, {_CHECKSUM} FROM records ORDER BY number"
            for number, name, collection, *row in connection.execute(sql):
                own = counts.setdefault((name, collection), [0, 0])
                own[0], own[1] = own[0] + 1, own[1] + row[-1]
                kind = by_name.get(name, RecordKind(name, msgspec.Raw, ""))
                if isinstance(read := _read(kind, collection, *row), DamagedRecord):
                    damaged.append(replace(read, number=number))
            totals = {(name, of): rest for name, of, *rest, _ in connection.execute("SELECT * FROM totals")}
        explained = {(record.kind, record.collection) for record in damaged}
        for key in sorted({*counts, *totals}):
            if counts.get(key, [0, 0]) != totals.get(key, [0, 0]) and key not in explained:
                kind = by_name.get(key[0], RecordKind(key[0], msgspec.Raw, ""))
                damaged.append(DamagedRecord(*key, "", "are not those that were written", kind.lost, kind.remedy))
        return damaged

    def set_aside(self, damaged: Iterable[DamagedRecord]) -> list[Path]:
        """Take damaged records out of the catalogue, into files in `.damaged`; what is gone is gone from then on."""
        paths = []
        with self.writing() as connection:
            for record in damaged:
                sql = "SELECT content FROM records WHERE number = ?"
                for (content,) in connection.execute(sql, (record.number,)).fetchall():
                    paths.append(free_path(self.place / DAMAGED / "records" / f"{record.number}.json"))
                    write_once(paths[-1], bytes(content))
                    connection.execute("DELETE FROM records WHERE number = ?", (record.number,))
            connection.execute("DELETE FROM totals")
            connection.execute(_COUNT_ALL)
        self._known = {}
        return paths

    def rebuild(self) -> Path | None:
        """Save what can be read of a damaged file into a new one; where the old one lies then.

        None if nothing can be read: then it stays.
        """
        path = self.place / FILE
        rows = list(_readable(path))
        if not rows:
            return None
        spill, target = name_aside(path), free_path(self.place / DAMAGED / FILE)
        try:
            with closing(SQLiteFile(spill, (_SCHEMA,))) as file, file.writing() as connection:
                connection.executemany("INSERT OR IGNORE INTO records VALUES (?, ?, ?, ?, ?, ?)", rows)
            write_once(target, path.read_bytes())
            with writing(path):
                path.with_name(f"{FILE}-journal").unlink(missing_ok=True)  # of the damaged file
                move(spill, path)
        finally:
            with suppress(OSError):
                spill.unlink()
        return target


def _take_over(place: Path, connection: sqlite3.Connection) -> None:
    """Begin a store's catalogue with what version 1 wrote."""
    version_1.refuse_others(place)
    version_1.keep_out(place)
    if rows := list(version_1.records(place, strict=True)):
        rows.append((*_MOVING, b"{}", True))
        connection.executemany(_INSERT, _with_checksums(rows))


def _in_memory(rows: Iterable[tuple[Any, ...]]) -> SQLiteFile:
    file = SQLiteFile(None, (_SCHEMA,))
    with file.writing() as connection:
        connection.executemany(_INSERT, rows)
    return file


def _with_checksums(rows: Iterable[version_1.Record]) -> Iterator[tuple[Any, ...]]:
    for row in rows:
        yield *row[:4], checksum(*row[:4]) if row[4] else _DAMAGED_BEFORE


def _totals(connection: sqlite3.Connection, kind: str, collection: str) -> _Totals:
    sql = "SELECT count, checksums, last FROM totals WHERE kind = ? AND collection = ?"
    return _Totals(*(connection.execute(sql, (kind, collection)).fetchone() or (0, 0, 0)))


def _read(kind: RecordKind[T], collection: str, id: str, content: bytes, sum_of: int) -> tuple[T] | DamagedRecord:
    """What a row says, alone in a tuple."""
    problem = "is damaged"
    if sum_of == checksum(kind.name, collection, id, content):
        try:
            return (kind.decode(content),)
        except ValueError as error:
            problem = f"can't be read ({error})"
    return DamagedRecord(kind.name, collection, str(id), problem, kind.lost, kind.remedy)


def checksum(kind: str, collection: str, id: str, content: bytes) -> int:
    """Of a record: SQLite does not see that a value was changed on disk."""
    data = "\0".join(map(str, (kind, collection, id))).encode("utf-8", "surrogatepass")
    return zlib.crc32(content, zlib.crc32(data)) if isinstance(content, bytes) else _DAMAGED_BEFORE - 1


def _readable(path: Path) -> Iterator[tuple[Any, ...]]:
    """The sound rows of a damaged file, from both ends of it up to where it can't be read."""
    numbers = set[int]()
    for order in ("", " DESC"):
        try:
            with closing(sqlite3.connect(f"file:{path.absolute()}?mode=ro", uri=True)) as connection:
                for row in connection.execute(f"SELECT * FROM records NOT INDEXED ORDER BY number{order}"):
                    if row[0] not in numbers and row[5] == checksum(*row[1:5]):
                        numbers.add(row[0])
                        yield row
        except (sqlite3.Error, UnicodeDecodeError):
            continue
