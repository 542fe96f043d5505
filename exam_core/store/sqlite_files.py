"""SQLite files of a store: opened in one way, so that all of them keep the same promises.

What is committed is on disk, whatever happens to the process or the machine (`synchronous=EXTRA`, a rollback journal,
which works on a laptop, on a network file system with locks and on a disk that can't be written). Whoever writes
waits for another writer; readers see the last commit, and wait for nobody who decides.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from exam_core.errors import StoreError
from exam_core.flushing import flush, make_folder
from exam_core.store.files import A_FOLDER

PATIENCE = 60.0
"""Seconds that a writer waits for another one."""


SUFFIX = ".sqlite"


class DamagedFileError(StoreError):
    """A SQLite file is not as it was written."""


class _Connection(sqlite3.Connection):
    """Closes when nobody has it any more; Python 3.13 warns of one that is still open then."""

    def __del__(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # of a file that could not be opened
            self.close()


class _Opened(NamedTuple):
    connection: sqlite3.Connection
    inode: int


class SQLiteFile:
    """One SQLite file, made when something is first written to it. Threads may share it.

    Parameters
    ----------
    path : of the file; None: a database in memory, which goes with this object
    steps : SQL that brings the schema from each version (`user_version`) to the next, with empty lines between
        statements; the first one makes it
    remedy : what to do where the file is damaged
    begin : fills a new file, in its first transaction
    """

    def __init__(
        self,
        path: Path | None,
        steps: Sequence[str] = (),
        remedy: str = "Ask what it was: examboard check",
        begin: Callable[[sqlite3.Connection], object] = id,
    ) -> None:
        self.path, self._steps, self._remedy, self._begin = path, steps, remedy, begin
        self._reader: _Opened | None = None
        self._writer: _Opened | None = None
        self._writing = threading.RLock()
        self._reading = threading.RLock() if path else self._writing
        self._depth = 0
        self._seen: sqlite3.Connection | None = None
        """How often the thread that reads is reading, and by what: within its first reading it sees one state."""
        self._owner = 0
        """The thread that has a transaction open."""

    @property
    def is_writing(self) -> bool:
        """Whether this thread is in a transaction."""
        return self._owner == threading.get_ident()

    def close(self) -> None:
        """Close the file; it is opened again when it is next needed, but for one in memory, which is gone."""
        with self._writing, self._reading:
            for opened in filter(None, {self._reader, self._writer}):
                opened.connection.close()
            self._reader = self._writer = None

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """A connection that sees one state; None where nothing was ever written. Who is writing reads what they wrote.

        Raises StoreError where the file is damaged or can't be read.
        """
        if self.is_writing and self._writer:
            yield self._writer.connection
            return
        with self._reading, ExitStack() as stack:
            if not self._depth:
                with self._explained("read"):
                    self._reader = self._opened(self._reader)
                    self._seen = self._reader.connection if self._reader else None
                    if self._seen:
                        stack.callback(self._seen.rollback)
                        self._seen.execute("BEGIN")
                        self._seen = self._seen if self._version(self._seen) or not self._steps else None
            self._depth += 1
            try:
                with self._explained("read", of_files=False):
                    yield self._seen
            finally:
                self._depth -= 1

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: what is done in it is there whole at its end, and on disk, or not at all.

        Within another one of the same thread it is a part of that one, which may fail alone.

        Raises StoreError where the file is damaged or can't be written, or somebody else has been writing for a minute.
        """
        if self.is_writing and self._writer:
            with _part_of(self._writer.connection) as connection:
                yield connection
            return
        if not self._writing.acquire(timeout=PATIENCE):
            raise self._busy()
        try:
            with self._explained("written"):
                connection = self._begun()
            try:
                self._owner = threading.get_ident()
                with self._explained("written"):
                    version = self._version(connection)
                    for step in self._steps[version:]:
                        for statement in step.split("\n\n"):
                            connection.execute(statement)
                    if version < len(self._steps):
                        connection.execute(f"PRAGMA user_version = {len(self._steps)}")
                        if not version:
                            self._begin(connection)
                with self._explained("written", of_files=False):
                    yield connection
                    connection.execute("COMMIT")
            finally:
                self._owner = 0
                if connection.in_transaction:
                    with suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")
        finally:
            self._writing.release()

    def faults(self) -> list[str]:
        """What SQLite finds wrong with the file's structure; StoreError where it can't even be opened."""
        with self.reading() as connection:
            if not connection:
                return []
            return [line for (line,) in connection.execute("PRAGMA integrity_check(3)") if line != "ok"]

    def copy_to(self, target: Path) -> None:
        """Copy the file as it is at one moment, while others may write to it. Raises StoreError."""
        with self.reading() as connection:
            if connection:
                with closing(sqlite3.connect(target)) as copy:
                    connection.backup(copy)  # at once: in parts it would begin anew with each commit of others

    def _opened(self, known: _Opened | None) -> _Opened | None:
        """A connection to the file that has the name now: it may have been set aside or put back from a copy."""
        if self.path is None:
            self._writer = self._writer or _Opened(self._connect(":memory:"), 0)
            return self._writer
        try:
            status = self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            status = None
        if known and (status is None or status.st_ino != known.inode):
            known.connection.close()
        if status is None:
            return None
        if stat.S_ISDIR(status.st_mode):
            raise DamagedFileError(f"{self.path}: {A_FOLDER}.\n{self._remedy}")
        if known and status.st_ino == known.inode:
            return known
        return _Opened(self._connect(self._address("rw")), status.st_ino)

    def _begun(self) -> sqlite3.Connection:
        """The connection in a transaction that writes."""
        while True:
            self._writer = self._opened(self._writer)
            if self._writer is None:
                assert self.path
                make_folder(self.path.parent)
                self._connect(self._address("rwc")).close()
                flush(self.path.parent)
                continue
            connection, inode = self._writer
            connection.execute("BEGIN IMMEDIATE")
            with suppress(FileNotFoundError):
                if self.path is None or self.path.stat().st_ino == inode:
                    return connection
            connection.execute("ROLLBACK")  # to a file that was moved away meanwhile

    def _address(self, mode: str) -> str:
        return f"file:{quote(os.fspath(Path(self.path or '').absolute()))}?mode={mode}"

    def _connect(self, address: str) -> sqlite3.Connection:
        """Open the file; where it can't be written, SQLite opens it to be read."""
        own: dict[str, Any] = {"timeout": PATIENCE, "isolation_level": None, "check_same_thread": False, "uri": True}
        connection = sqlite3.connect(address, factory=_Connection, **own)
        connection.execute("PRAGMA synchronous = EXTRA")
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        return connection

    def _version(self, connection: sqlite3.Connection) -> int:
        """Of the schema; 0 where another process is just making the file. Raises StoreError where it is a later one."""
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if version > len(self._steps) > 0:
            raise StoreError(
                f"{self.path}: was written by a later version of Examboard (schema {version}; this one knows "
                f"{len(self._steps)}).\nUse that version, or a copy of the store from before it. Nothing was changed."
            )
        if not version and self._steps and connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            raise DamagedFileError(f"{self.path}: is damaged (it has no version).\n{self._remedy}")
        return version

    def _busy(self) -> StoreError:
        return StoreError(
            f"{self.path}: could not be locked for {PATIENCE:.0f} s, because another process is writing to it.\n"
            "It may be stopped (Ctrl-Z): end it or let it go on, then try again; or the file system has no locks: put "
            "the store on another one. Nothing was stored."
        )

    @contextmanager
    def _explained(self, what: str, *, of_files: bool = True) -> Iterator[None]:
        """Say in a sentence what SQLite, or with `of_files` the system, could not do."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            # What is asked of the file never changes: what is wrong with a statement is wrong with the file.
            if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR):
                raise DamagedFileError(f"{self.path}: is damaged ({error}).\n{self._remedy}") from None
            if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise self._busy() from None
            raise StoreError(
                f"{self.path}: can't be {what} ({error}).\nCheck the rights on the store's folder, its file system and "
                "the free space."
            ) from error
        except UnicodeDecodeError as error:  # SQLite quotes the damaged schema
            if not of_files:
                raise
            raise DamagedFileError(f"{self.path}: is damaged ({error.reason}).\n{self._remedy}") from None
        except OSError as error:
            if not of_files:
                raise
            raise StoreError(
                f"{self.path}: can't be {what} ({error.strerror or error}).\n"
                "Check the store's folder and the free space."
            ) from error


@contextmanager
def _part_of(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """A part of a transaction: done whole, or not at all."""
    connection.execute("SAVEPOINT part")
    try:
        yield connection
    except BaseException:
        if connection.in_transaction:  # a full disk ends the whole transaction
            connection.execute("ROLLBACK TO part")
            connection.execute("RELEASE part")
        raise
    connection.execute("RELEASE part")
