"""DuckDB as the store reads with it: shut in, begun when somebody reads, and begun anew now and then."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event, Lock, Thread
from typing import NoReturn

import duckdb

from exam_core.errors import StoreError
from exam_core.progress import Progress, no_progress
from exam_core.temporary import no_room, temporary_folder

RENEWED = 250
"""Cursors after which the next one is of a new DuckDB. One that works for long keeps up to 45 MiB of what it has let go
of, some 10 KiB for each query, and frees that when it is closed; a new one takes some 20 ms."""

NARROW, NARROW_OF_TEXTS = "128MiB", "512MiB"
"""What DuckDB holds of very many rows, and of those with texts, of which it reads 100,000 at once."""
THREADS = 2
"""Threads that share so little."""
_TOLD_EVERY = 0.3

_Options = dict[str, str | bool | int | float | list[str]]
_LOCKED: _Options = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}


class Database:
    """Cursors for whoever reads, in any thread; see `of_folders` and `of_file`.

    `begin` makes a connection of options, for the first cursor and again after `renewed` cursors; open cursors go on.
    """

    def __init__(self, begin: Callable[[_Options], duckdb.DuckDBPyConnection], *, renewed: int | None = None) -> None:
        self._begin, self._renewed = begin, renewed
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._lock, self._given = Lock(), 0

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A cursor for one evaluation, which whoever asked for it closes."""
        with self._lock:
            if self._connection is None or (self._renewed and self._given % self._renewed == 0):
                self._connection = self._begin({})
            self._given += 1
            return self._connection.cursor()

    @contextmanager
    def narrow(
        self, most: str = NARROW, progress: Progress = no_progress, *, in_order: bool = False
    ) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection for one evaluation of very many rows: it holds few of them, and puts the others on disk.

        With `in_order`, rows come as files have them. Raises StoreError where the disk has no room for them.
        """
        with temporary_folder("rows") as folder:
            options: _Options = {"memory_limit": most, "temp_directory": str(folder), "threads": THREADS}
            options["preserve_insertion_order"] = in_order
            try:
                with self._begin(options) as connection, _watched(connection, progress):
                    yield connection
            except duckdb.OutOfMemoryException:
                raise no_room("more rows than memory and disk hold") from None
            except duckdb.IOException as error:
                if (full := os.strerror(errno.ENOSPC)) in str(error):
                    raise no_room(full) from None
                raise

    def close(self) -> None:
        """Give no cursor any more."""
        with self._lock:
            self._renewed, self._begin = None, _closed
            if self._connection is not None:
                self._connection.close()


@contextmanager
def _watched(connection: duckdb.DuckDBPyConnection, progress: Progress) -> Iterator[None]:
    """Tell how far the longest statement of a connection is, while it runs."""
    ended, share = Event(), 0.0

    def tell() -> None:
        nonlocal share
        while not ended.wait(_TOLD_EVERY):
            share = max(share, connection.query_progress() / 100)
            progress(share)

    watching = Thread(target=tell, daemon=True)
    if progress is not no_progress:
        watching.start()
    try:
        yield
    finally:
        ended.set()
        if watching.is_alive():
            watching.join()


def of_folders(*paths: Path) -> Database:
    """Reads files in these folders, and nothing else."""
    return Database(partial(_connect_folders, [path.resolve() for path in paths]), renewed=RENEWED)


def of_file(path: Path) -> Database:
    """Reads an exported store as `shared`; not begun anew, since another file may have its name by then.

    Raises StoreError where it is no DuckDB file.
    """
    database = Database(partial(_connect_file, path))
    database.cursor().close()
    return database


def quoted(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def _closed(_options: _Options) -> NoReturn:
    raise duckdb.ConnectionException("The store was closed.")


def _connect_folders(paths: Sequence[Path], options: _Options) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:", config=_LOCKED | options)
    allowed = ", ".join(quoted(str(path)) for path in paths)
    connection.execute(f"SET allowed_directories = [{allowed}]")
    return _closed_in(connection)


def _connect_file(path: Path, options: _Options) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:", config=_LOCKED | options)
    try:
        connection.execute(f"ATTACH {quoted(str(path.resolve()))} AS shared (READ_ONLY)")
    except duckdb.Error as error:
        raise StoreError(f"{path}: can't be opened as an exported store ({str(error).splitlines()[0]}).") from None
    return _closed_in(connection)


def _closed_in(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """No file outside the store, no download, no way back; it says how far a statement is."""
    connection.execute("SET enable_progress_bar = true")
    connection.execute("SET enable_progress_bar_print = false")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection
