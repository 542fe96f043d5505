"""Leases: which prompts a job is asking just now, so that jobs with the same model share the work.

Each job has one small file beside the cache of its model's answers, with the keys of what it asks; nobody waits for
a lock. A job writes its own lease first, reads the others' then, and gives up what it finds there. So of two that
want the same at the same moment at least one sees the other. Both may: then both give way, and try again.

A lease is renewed while its job works. One that isn't for `EXPIRES_AFTER`, or whose process is known to be dead,
holds nothing, and whoever meets it removes it. Leases only save work: where none can be written, each job asks all.
"""

from __future__ import annotations

import os
import random
import socket
import threading
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import msgspec

from exam_core.store.files import folder_name
from exam_core.store.processes import Process, is_alive, process

EXPIRES_AFTER = 120.0
"""Seconds without renewal after which a lease holds nothing."""
RENEWALS = 6
"""How often a lease is renewed in that time."""
LONGEST_PAUSE = 0.02
"""Seconds that a job pauses at most after it met another one that wanted the same, so that they fall out of step."""
_SIZE = 16


class _Lease(msgspec.Struct):
    """What a lease's file says: who holds which keys, 16 bytes each."""

    owner: Process
    keys: bytes


class Leases:
    """What this job asks, and what others with the same model ask; a context manager that leaves no file behind.

    Parameters
    ----------
    folder : of the leases of one model's cache
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        owner = process()
        host = folder_name(socket.gethostname())[:100]
        self._path = folder / f"{host}.{owner.pid}.{uuid.uuid4().hex[:8]}.lease"
        self._owner = owner
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
            self._write([])  # Its time is that of the folder's machine, whose clock may differ from ours.
            theirs = self._of_others()
            free = [key for key in keys if key not in theirs][:most]
            if not free:
                return set(), theirs.intersection(keys)
            self._write(free)
            theirs = self._of_others()
            mine = [key for key in free if key not in theirs]
            if len(mine) < len(free):
                self._write(mine)
                time.sleep(random.uniform(0, LONGEST_PAUSE))
        except OSError:
            return set(keys[:most]), set()
        self._renew()
        return set(mine), theirs.intersection(keys)

    def release(self) -> None:
        """Let everything go."""
        with suppress(OSError):
            self._path.unlink()

    def _of_others(self) -> set[bytes]:
        """Keys that others hold; what has expired is removed."""
        now, found = self._path.stat().st_mtime, set[bytes]()
        for path in self._folder.iterdir():
            if path == self._path:
                continue
            with suppress(OSError):
                expired = now - path.stat().st_mtime > EXPIRES_AFTER
                lease = None if expired else _read(path)
                if expired or (lease and is_alive(lease.owner) is False):
                    path.unlink()
                elif lease:
                    found.update(lease.keys[at : at + _SIZE] for at in range(0, len(lease.keys), _SIZE))
        return found

    def _write(self, keys: Sequence[bytes]) -> None:
        """Put the lease in place, whole; it need not survive a crash of the machine, so nothing is flushed to disk."""
        self._folder.mkdir(parents=True, exist_ok=True)
        aside = self._path.with_suffix(".part")
        try:
            aside.write_bytes(msgspec.msgpack.encode(_Lease(self._owner, b"".join(keys))))
            aside.replace(self._path)
        finally:
            aside.unlink(missing_ok=True)

    def _renew(self) -> None:
        """Begin to renew the lease, in a thread: a model may take minutes for its first answer."""
        if self._renewing is None:
            self._renewing = threading.Thread(target=self._renewals, daemon=True)
            self._renewing.start()

    def _renewals(self) -> None:
        while not self._ended.wait(EXPIRES_AFTER / RENEWALS):
            with suppress(OSError):  # It is let go just now, or somebody took it for expired.
                os.utime(self._path)


def _read(path: Path) -> _Lease | None:
    """A lease; None for what is none."""
    if path.suffix != ".lease":
        return None
    with suppress(msgspec.MsgspecError):
        return msgspec.msgpack.decode(path.read_bytes(), type=_Lease)
    return None
