"""Files that browsers send: a session holds few, and none that no page reads.

Streamlit keeps what is sent to a session until that session ends, whether a page asked for it or not.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

MOST, TOGETHER = 200, 100 * 2**20
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
        while len(uploads) > MOST or sum(len(upload.data) for upload in uploads) > TOGETHER:
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
