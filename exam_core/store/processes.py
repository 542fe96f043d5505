"""Which process wrote a file: so that one that gets its number later isn't taken for it."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import msgspec


class Process(msgspec.Struct, frozen=True):
    """A process as another one can look for it; `place` and `started` are empty where the system doesn't say them.

    `place` is the system's start and the processes that see each other there; `started` is in the system's own unit.
    """

    pid: int
    place: str = ""
    started: str = ""


def process(pid: int | None = None) -> Process:
    """A process that runs on this machine; by default this one."""
    number = os.getpid() if pid is None else pid
    return Process(number, here(), _started(number) or "")


@cache
def here() -> str:
    """Where the processes are that this one can see, since when: two containers of one machine differ, too."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}.{os.stat('/proc/self/ns/pid').st_ino}"  # noqa: PTH116  # no file: a name that the kernel gives
    except OSError:
        return ""


def is_alive(process: Process) -> bool | None:
    """Whether a process lives; None where that can't be seen from here."""
    if not process.started or not process.place or process.place != here():
        return None
    return _started(process.pid) == process.started


def _started(pid: int) -> str | None:
    """When a process began, in ticks since the machine did; None where it has ended, or Linux doesn't say."""
    try:
        # The name in parentheses may hold anything; the state is the first field after it, the start the twentieth.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields[19]
