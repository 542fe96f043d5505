"""SQLite files of a store: opened in one way, so that all of them keep the same promises.

What is committed is on disk, whatever happens to the process or the machine (`synchronous=EXTRA`, a rollback journal,
which works on a laptop, on a network file system with locks and on a disk that can't be written). Whoever writes
waits for another writer; readers see the last commit.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from exam_core.errors import StoreError
from exam_core.flushing import make_folder
from exam_core.store.files import A_FOLDER

PATIENCE = 60.0
"""Seconds that a writer waits for another one."""


SUFFIX = ".sqlite"


class SQLiteFile:
    """One SQLite file, made when something is first written to it. Threads may share it.

    Parameters
    ----------
    steps : SQL that brings the schema from each version (`user_version`) to the next; the first one makes it
    remedy : what to do where the file is damaged
    """

    def __init__(self, path: Path, steps: Sequence[str] = (), remedy: str = "Ask what it was: examboard check") -> None:
        self.path, self._steps, self._remedy = path, steps, remedy
        self._connection: sqlite3.Connection | None = None
        self._inode = 0
        self._lock = threading.RLock()

    def close(self) -> None:
        """Close the file; it is opened again when it is next needed."""
        with self._lock:
            if self._connection:
                self._connection.close()
            self._connection = None

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """A connection to read by; None where nothing was ever written.

        Raises StoreError where the file is damaged or can't be read.
        """
        with self._lock, self._explained("read"):
            connection = self._opened()
            yield connection if connection and (_version(connection) or not self._steps) else None

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: what is done in it is there whole at its end, and on disk, or not at all.

        Raises StoreError where the file is damaged or can't be written, or somebody else has been writing for a minute.
        """
        with self._lock, self._explained("written"):
            connection = self._begun()
            try:
                yield connection
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    with suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")

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

    def _opened(self) -> sqlite3.Connection | None:
        """The connection, to the file that has the name now: it may have been set aside or put back from a copy."""
        try:
            status = self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            self.close()
            return None
        if stat.S_ISDIR(status.st_mode):
            raise StoreError(f"{self.path}: {A_FOLDER}.\n{self._remedy}")
        if self._connection is None or status.st_ino != self._inode:
            self.close()
            self._connection, self._inode = self._connect("rw"), status.st_ino
        return self._connection

    def _begun(self) -> sqlite3.Connection:
        """The connection in a transaction that writes."""
        while True:
            connection = self._opened()
            if connection is None:
                make_folder(self.path.parent)
                self._connect("rwc").close()
                continue
            connection.execute("BEGIN IMMEDIATE")
            with suppress(FileNotFoundError):
                if self.path.stat().st_ino == self._inode:
                    self._bring_forward(connection)
                    return connection
            connection.execute("ROLLBACK")  # to a file that was moved away meanwhile

    def _bring_forward(self, connection: sqlite3.Connection) -> None:
        version = _version(connection)
        for step in self._steps[version:]:
            for statement in step.split(";"):
                connection.execute(statement)
        if version < len(self._steps):
            connection.execute(f"PRAGMA user_version = {len(self._steps)}")

    def _connect(self, mode: str) -> sqlite3.Connection:
        """Open the file; where it can't be written, SQLite opens it to be read."""
        connection = sqlite3.connect(
            f"file:{quote(os.fspath(self.path.absolute()))}?mode={mode}",
            timeout=PATIENCE,
            isolation_level=None,
            check_same_thread=False,
            uri=True,
        )
        try:
            connection.execute("PRAGMA synchronous = EXTRA")
            version = _version(connection)
        except BaseException:
            connection.close()
            raise
        if version > len(self._steps) > 0:
            connection.close()
            raise StoreError(
                f"{self.path}: was written by a later version of Examboard (schema {version}; this one knows "
                f"{len(self._steps)}).\nUse that version, or a copy of the store from before it. Nothing was changed."
            )
        return connection

    @contextmanager
    def _explained(self, what: str) -> Iterator[None]:
        """Say in a sentence what SQLite could not do."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                self.close()
                raise StoreError(f"{self.path}: is damaged ({error}).\n{self._remedy}") from None
            if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise StoreError(
                    f"{self.path}: another process has been writing to it for {PATIENCE:.0f} s.\n"
                    "It may be stopped (Ctrl-Z): end it or let it go on, then try again. Nothing was stored."
                ) from None
            raise StoreError(
                f"{self.path}: can't be {what} ({error}).\nCheck the rights on the store's folder, its file system and "
                "the free space."
            ) from error
        except OSError as error:
            raise StoreError(
                f"{self.path}: can't be {what} ({error.strerror or error}).\n"
                "Check the store's folder and the free space."
            ) from error


def _version(connection: sqlite3.Connection) -> int:
    """Of the schema; 0 where another process is just making the file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
