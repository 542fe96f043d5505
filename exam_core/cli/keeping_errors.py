"""What the dashboard's server says of errors: passed on to standard error, and kept in a file that does not grow."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from threading import Thread
from typing import IO

from exam_core.secrecy import without_secrets

LARGEST, OLDER = 2**20, 3
"""Bytes of the file, and how many full ones are kept beside it."""
LONGEST = 2**16
"""Bytes of a line that are written at once."""


def usual_file(store: Path, port: int) -> Path:
    """Where a dashboard of this store keeps its errors; each has its own, because two can't share one that turns."""
    return store / ".logs" / f"dashboard-{port}.log"


class _File(RotatingFileHandler):
    """The file, which is there from the first line on; others can't read it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=LARGEST, backupCount=OLDER, encoding="utf-8", errors="replace", delay=True)
        self._is_reported = False

    def _open(self) -> TextIOWrapper:
        Path(self.baseFilename).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        opener = lambda path, flags: os.open(path, flags, 0o600)  # noqa: E731
        return open(self.baseFilename, "a", encoding="utf-8", errors="replace", opener=opener)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Say once why nothing is kept."""
        del record
        if not self._is_reported:
            self._is_reported = True
            reason = getattr(sys.exc_info()[1], "strerror", None) or "no such place"
            sys.stderr.write(f"{self.baseFilename}: errors can't be kept here ({reason}).\n")


class Keeping(Thread):
    """Reads a server's standard error until it ends, and keeps it in a file; a path of None keeps nothing."""

    def __init__(self, text: IO[bytes], path: Path | None) -> None:
        super().__init__(name="errors", daemon=True)
        self._lines, self._file = text, _File(path) if path else None

    def run(self) -> None:
        """Pass each line on, and keep it, without secrets."""
        with self._lines:
            while line := self._lines.readline(LONGEST):
                message = without_secrets(line.decode("utf-8", "replace"))
                with suppress(OSError, ValueError):  # nobody listens
                    sys.stderr.write(message)
                    sys.stderr.flush()
                if self._file:
                    record = logging.LogRecord("dashboard", logging.ERROR, "", 0, message.rstrip("\n"), None, None)
                    self._file.handle(record)
        if self._file:
            self._file.close()
