"""Processes that work when a test tells them to, so that it can race them or kill them.

Each is forked from one that has loaded the libraries, which takes a second of processor.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["exam_core.actions.grading_jobs", "exam_core.actions.importing"])

STARTED = sys.modules["__main__"]


class Worker:
    """A process that runs `work` with its end of a connection, and says "ready" before anything else."""

    def __init__(self, work: Callable[[Connection], None]) -> None:
        self._connection, other = CONTEXT.Pipe()
        sys.modules["__main__"] = STARTED  # it may be a page that another test ran, and a process runs that first
        self.process = CONTEXT.Process(target=work, args=(other,), daemon=True)
        self.process.start()
        other.close()

    def tell(self, *message: Any) -> None:
        """Send the process what it shall do."""
        self._connection.send(message)

    def has_spoken(self) -> bool:
        """Yes if it says something that nobody has heard yet."""
        return self._connection.poll()

    def says(self) -> str:
        """Wait for the next that the process says."""
        return str(self._connection.recv())

    def wait_for(self, word: str) -> None:
        """Wait until the process says a word; RuntimeError if it says another."""
        if (said := self.says()) != word:
            raise RuntimeError(f"the process said {said!r} instead of {word!r}")

    def kill(self) -> None:
        """SIGKILL: the process can't clean up after itself."""
        self.process.kill()
        self.process.join()
        self._connection.close()
