"""Leases: which prompts a job is asking just now, so that jobs with the same model share the work.

Each job has a row in the file of its model's answers, with the keys of what it asks; nobody waits until others have
asked. A lease is renewed while its job works. One that isn't for `EXPIRES_AFTER`, or whose process is known to be
dead, holds nothing, and whoever meets it removes it. Leases only save work: where none can be written, each job asks
all.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType

import msgspec

from exam_core.errors import StoreError
from exam_core.store.processes import Process, is_alive, process
from exam_core.store.sqlite_files import SQLiteFile

EXPIRES_AFTER = 120.0
"""Seconds without renewal after which a lease holds nothing."""
RENEWALS = 6
"""How often a lease is renewed in that time."""
LONG_AGO = 3600.0
"""Seconds by which clocks of two machines never differ."""
TABLE = "CREATE TABLE leases (id TEXT PRIMARY KEY, process BLOB NOT NULL, renewed REAL NOT NULL, keys BLOB NOT NULL)"
_SIZE = 16


class Leases:
    """What this job asks, and what others with the same model ask; a context manager that leaves no row behind.

    Parameters
    ----------
    file : of the model's answers, with a table `leases`
    """

    def __init__(self, file: SQLiteFile) -> None:
        self._file = file
        self._id = uuid.uuid4().hex
        self._process = msgspec.msgpack.encode(process())
        self._seen: dict[tuple[str, float], float] = {}
        """When each renewal of another job was first seen, by our own clock: clocks of machines differ."""
        self._has_row = False
        self._ended = threading.Event()
        self._renewing: threading.Thread | None = None

    def __enter__(self) -> Leases:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._renewing:
            self._renewing.join()
        self.release()

    def take(self, keys: Sequence[bytes], most: int | None = None) -> tuple[set[bytes], set[bytes]]:
        """Lease those that nobody else asks.

        What was leased before is let go.

        Parameters
        ----------
        most : so many at most, the first ones

        Returns
        -------
        those that are leased to this job now, and those that are leased to others
        """
        try:
            with self._file.writing() as connection:
                others: set[bytes] = set()
                gone = []
                for name, owner, renewed, held in connection.execute("SELECT * FROM leases WHERE id != ?", [self._id]):
                    if self._is_over(name, owner, renewed):
                        gone.append((name,))
                    else:
                        others.update(held[at : at + _SIZE] for at in range(0, len(held), _SIZE))
                connection.executemany("DELETE FROM leases WHERE id = ?", gone)
                mine = [key for key in keys if key not in others][:most]
                row = (self._id, self._process, time.time(), b"".join(mine))
                connection.execute("INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?)", row)
        except StoreError:
            return set(keys[:most]), set()
        self._has_row = True
        self._renew()
        return set(mine), others.intersection(keys)

    def release(self) -> None:
        """Let everything go."""
        if self._has_row:
            with suppress(StoreError), self._file.writing() as connection:
                connection.execute("DELETE FROM leases WHERE id = ?", [self._id])
                self._has_row = False

    def _is_over(self, name: str, owner: bytes, renewed: float) -> bool:
        """Whether a lease of another job holds nothing any more."""
        now = time.monotonic()
        if now - self._seen.setdefault((name, renewed), now) > EXPIRES_AFTER or time.time() - renewed > LONG_AGO:
            return True
        try:
            return is_alive(msgspec.msgpack.decode(owner, type=Process)) is False
        except (msgspec.MsgspecError, TypeError):
            return True

    def _renew(self) -> None:
        """Begin to renew the lease, in a thread: a model may take minutes for its first answer."""
        if self._renewing is None:
            self._renewing = threading.Thread(target=self._renewals, daemon=True)
            self._renewing.start()

    def _renewals(self) -> None:
        while not self._ended.wait(EXPIRES_AFTER / RENEWALS):
            with suppress(StoreError), self._file.writing() as connection:
                connection.execute("UPDATE leases SET renewed = ? WHERE id = ?", [time.time(), self._id])
