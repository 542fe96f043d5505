"""Sessions whose tab was closed, and files that no page reads: kept for a while, and then ended, with their memory.

A browser may come back to its session. Streamlit's own storage ends an old session when another one comes: until then
its event loop keeps three files open, and what was uploaded stays in memory, whether a page asked for it or not.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import time
from collections.abc import Sequence
from contextlib import suppress

from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.session_manager import SessionInfo, SessionStorage
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from pages.shared import recording

MOST_FILES, TOGETHER = 200, 100 * 2**20
"""Files of a session, and their bytes: a page takes many at once, and those before may still be shown."""
UNREAD = 120.0
"""Seconds within which a page reads a file that was sent for it; it does so in the run that follows."""


class Uploads:
    """Stands in front of Streamlit's keeper of files."""

    def __init__(self, keeper: MemoryUploadedFileManager) -> None:
        self._keeper, self._add, self._get = keeper, keeper.add_file, keeper.get_files
        self._unread: dict[tuple[str, str], float] = {}
        keeper.add_file, keeper.get_files = self.add_file, self.get_files  # type: ignore[method-assign]

    def add_file(self, session_id: str, file: UploadedFileRec) -> None:
        """Keep a file; of too many, or too much, those that came first go."""
        self._add(session_id, file)
        self._unread[session_id, file.file_id] = time.monotonic()
        uploads = list(self._keeper.file_storage[session_id].values())
        while len(uploads) > MOST_FILES or sum(len(upload.data) for upload in uploads) > TOGETHER:
            self._keeper.remove_file(session_id, uploads.pop(0).file_id)

    def get_files(self, session_id: str, file_ids: Sequence[str]) -> list[UploadedFileRec]:
        """The files, which a page reads."""
        for file_id in file_ids:
            self._unread.pop((session_id, file_id), None)
        return self._get(session_id, file_ids)

    def end_unread(self) -> None:
        """Forget the files that no page has read."""
        old = time.monotonic() - UNREAD
        for (session_id, file_id), since in list(self._unread.items()):
            if since < old:
                self._unread.pop((session_id, file_id), None)
                self._keeper.remove_file(session_id, file_id)


KEPT = 120.0
"""Seconds for which a browser may come back to its session, as Streamlit has it."""
MOST = 128
"""Sessions that wait for their browser."""
EVERY = 10.0
"""Seconds between two looks."""
SWEPT = 20.0
"""Seconds between two times at which all of memory is looked through."""
_STORAGE = "_session_storage"


class Left(SessionStorage):
    """Sessions without a browser, those that left first in front; all are ended in the end."""

    def __init__(self) -> None:
        self._left: dict[str, tuple[float, SessionInfo]] = {}

    def get(self, session_id: str) -> SessionInfo | None:
        """The session, if it still waits."""
        pair = self._left.get(session_id)
        return pair[1] if pair else None

    def save(self, session_info: SessionInfo) -> None:
        """Let a session wait."""
        self._left[session_info.session.id] = time.monotonic(), session_info
        self.end_old()

    def delete(self, session_id: str) -> None:
        """Forget a session that somebody else goes on with, or ends."""
        del self._left[session_id]

    def list(self) -> list[SessionInfo]:
        """All that wait."""
        return [info for _, info in self._left.values()]

    def end_old(self) -> int:
        """End what waited too long, and what is too many; returns how many there were."""
        ended, old = 0, time.monotonic() - KEPT
        while self._left:
            session_id, (since, info) = next(iter(self._left.items()))
            if since > old and len(self._left) <= MOST:
                break
            del self._left[session_id]
            info.session.shutdown()
            ended += 1
        return ended


async def watch() -> None:
    """End old sessions, forget files that nobody reads and give free memory back, again and again; not where Streamlit
    keeps sessions or files elsewhere.
    """
    while not Runtime.exists():
        await asyncio.sleep(0.1)
    manager, keeper = getattr(Runtime.instance(), "_session_mgr", None), Runtime.instance().uploaded_file_mgr
    if not hasattr(manager, _STORAGE) or not isinstance(keeper, MemoryUploadedFileManager):
        return
    left, uploads = Left(), Uploads(keeper)
    setattr(manager, _STORAGE, left)
    ended, swept = 0, time.monotonic()
    while True:
        await asyncio.sleep(EVERY)
        if ended and time.monotonic() - swept > SWEPT:
            sweep()
            ended, swept = 0, time.monotonic()
        await asyncio.to_thread(_give_back)
        try:
            ended += left.end_old()
            uploads.end_unread()
        except Exception as error:  # of one session: the others are to end
            recording.record(error, doing="'ending sessions'")


def _give_back() -> None:
    """Give free pages back to the system, which glibc keeps; other C libraries do so by themselves, or not."""
    with suppress(AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def sweep() -> None:
    """Free what sessions left behind, also what the garbage collector was told to leave alone (`data.settle`).

    Of a session that was open then, objects that refer to each other would stay for good, with what they have of the
    store: this takes a fifth of a second, in which nobody is answered. A list of all objects (`gc.get_objects`) would
    have tuples that another thread is making still, and which it then can't make (a SystemError).
    """
    is_frozen = gc.get_freeze_count() > 0
    gc.unfreeze()
    gc.collect()
    if is_frozen:
        gc.freeze()
