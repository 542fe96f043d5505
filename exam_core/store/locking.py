"""Who decides about a collection: one process at a time, by a lock that ends with its process."""

from __future__ import annotations

import fcntl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from exam_core.errors import StoreError

LOCKS = ".locks"
"""Folder of the store with a file for each collection that was ever written to; no collection's folder begins so."""

PATIENCE = 60.0
"""Seconds that an import waits for another one to be decided, which takes well under a second."""

_PAUSE = 0.02
_held = threading.local()


@contextmanager
def locked(place: Path, folder: str) -> Iterator[None]:
    """Hold the lock of a collection; within a thread it may be taken again.

    Checking what others committed and committing oneself belong under one lock, or two imports that contradict each
    other are both accepted. Reading never waits: what is committed appears by one rename.

    Raises StoreError where the lock can't be had: the store can't be written, or somebody holds it for a minute.

    Parameters
    ----------
    place : the store's folder
    folder : the collection's folder in it
    """
    path = place / LOCKS / folder
    names = _held.__dict__.setdefault("names", set())
    if path in names:
        yield
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("ab")
    except OSError as error:
        raise StoreError(
            f"{path}: can't be written ({error.strerror}).\nCheck the store's folder and the free space."
        ) from None
    with file:
        _wait(file.fileno(), path)
        names.add(path)
        try:
            yield
        finally:
            names.discard(path)


def _wait(handle: int, path: Path) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise StoreError(
                    f"{path}: another import into this collection has been at its last step for {PATIENCE:.0f} s.\n"
                    "It may be stopped (Ctrl-Z): end it or let it go on, then import again. Nothing was stored."
                ) from None
            time.sleep(_PAUSE)
        except OSError as error:
            raise StoreError(f"{path}: can't be locked ({error.strerror}). Check the store's file system.") from None
        else:
            return
