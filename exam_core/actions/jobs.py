"""Records of grading jobs: what was asked for, how far it is, what it said; on disk, for any process to read.

A job is a process of its own. It writes its record; whoever watches reads it, and asks it to stop by a file.
"""

from __future__ import annotations

import datetime as dt
import os
import shutil
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import msgspec

from exam_core.errors import StoreError, UsageError
from exam_core.grading.remote import servers
from exam_core.grading.remote.servers import JOB
from exam_core.store import Store
from exam_core.store.files import write_once
from exam_core.store.processes import Process, is_alive, process

State = Literal["starting", "running", "done", "stopped", "failed", "lost", "damaged"]
RUNNING: tuple[State, ...] = ("starting", "running")
_SILENT_AFTER = 120.0
"""Seconds without a word after which a job on another machine is taken for lost."""


class Progress(msgspec.Struct, kw_only=True):
    """How far a job is.

    Parameters
    ----------
    total, done : grades that were missing when it began, and those of them that are there now
    asked : prompts that a model answered; the others came from the cache
    unreadable, cut, failed : grades whose answer can't be read, whose passage was cut to fit, that got no answer
    first_total, first_done : the same of passages among some run's first, which a Cover leaderboard needs
    seconds : of work, without loading the model; left : estimated, None if nothing is known yet
    waiting : seconds since when all that is missing is being asked by other jobs; 0 if it isn't
    pid, place, started, host : of the process; see `store.processes`
    """

    state: State = "starting"
    message: str = ""
    total: int = 0
    done: int = 0
    asked: int = 0
    unreadable: int = 0
    cut: int = 0
    failed: int = 0
    first_total: int = 0
    first_done: int = 0
    seconds: float = 0.0
    left: float | None = None
    waiting: float = 0.0
    updated: float = 0.0
    pid: int = 0
    place: str = ""
    started: str = ""
    host: str = ""

    @property
    def rate(self) -> float:
        """Prompts per second that a model answered."""
        return self.asked / self.seconds if self.seconds else 0.0


@dataclass(frozen=True)
class Job:
    """The record of a job."""

    folder: Path

    @property
    def id(self) -> str:
        """Name of the job: when it was asked for, and some letters."""
        return self.folder.name

    @property
    def arguments(self) -> list[str]:
        """What follows `examboard grade` on the command line that does the same; none where the record is damaged."""
        return self._request()[0]

    def _request(self) -> tuple[list[str], str]:
        """The arguments, and why they can't be read."""
        try:
            return msgspec.json.decode((self.folder / "request.json").read_bytes(), type=list[str]), ""
        except OSError as error:
            return [], str(error.strerror)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            return [], str(error)

    @property
    def log(self) -> str:
        """What the job printed, its last 100 kB."""
        with suppress(OSError), (self.folder / "log.txt").open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 100_000))
            return file.read().decode("utf-8", "replace")
        return ""

    def progress(self) -> Progress:
        """How far it is; `lost` if its process is gone without a last word, `damaged` if its record can't be read."""
        found = Progress()
        with suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
            found = msgspec.json.decode((self.folder / "progress.json").read_bytes(), type=Progress)
        damage = self._request()[1]
        if damage:
            found.state = "damaged"
            found.message = (
                f"Its record request.json can't be read ({damage}). What was graded is kept. "
                f"Its folder can be removed: {self.folder}"
            )
        elif found.state in RUNNING and not _alive(found):
            found.state = "lost"
            found.message = "Its process ended without a word. What was graded is kept; start it again to go on."
        return found

    def write(self, progress: Progress) -> bool:
        """Say how far it is; readers see the old state or the new one.

        Returns
        -------
        whether it could be written: a job goes on where its record can't, for instance on a full disk
        """
        return self._write(progress, process())

    def _write(self, progress: Progress, of: Process) -> bool:
        progress.updated, progress.host = time.time(), socket.gethostname()
        progress.pid, progress.place, progress.started = of.pid, of.place, of.started
        aside = self.folder / f".progress.{os.getpid()}.part"
        try:
            aside.write_bytes(msgspec.json.encode(progress))
            aside.replace(self.folder / "progress.json")
        except OSError:
            with suppress(OSError):
                aside.unlink()
            return False
        return True

    def stop(self) -> None:
        """Ask it to stop; it does after what it is answering now, and keeps all that is done."""
        (self.folder / "stop").touch()

    @property
    def stopping(self) -> bool:
        """Whether it was asked to stop."""
        return (self.folder / "stop").exists()


def create(store: Store, arguments: Sequence[str]) -> Job:
    """A new record; the job itself writes it from then on.

    Raises
    ------
    StoreError : it can't be written; then there is none
    """
    when = dt.datetime.now(dt.UTC).strftime("%Y%m%d-%H%M%S")
    job = Job(store.jobs / f"{when}-{uuid.uuid4().hex[:4]}")
    try:
        write_once(job.folder / "request.json", msgspec.json.encode(list(arguments)))
        if not job.write(Progress()):
            write_once(job.folder / "progress.json", msgspec.json.encode(Progress()))  # Says why it can't be.
    except StoreError as error:
        _forget(job)
        raise StoreError(f"No job was started: {error}") from None
    return job


def _forget(job: Job) -> None:
    """Remove the record of a job that never began, with a folder that was made for it alone."""
    shutil.rmtree(job.folder, ignore_errors=True)


def mine(store: Store) -> Job | None:
    """The record that this process was started to write; None where somebody typed the command."""
    known = os.environ.get(JOB)
    return Job(store.jobs / known) if known else None


def start(store: Store, arguments: Sequence[str]) -> Job:
    """Start a job as a process of its own, which survives whoever started it.

    Parameters
    ----------
    arguments : what follows `examboard grade` on the command line

    Raises
    ------
    StoreError : its record can't be written, or its process can't be started; then there is no job
    UsageError : it would ask a server that the dashboard may not ask
    """
    for address in _servers(arguments):
        if not servers.is_named(address):
            servers.refuse_inner(address)
    job = create(store, arguments)
    command = [sys.executable, "-m", "exam_core", "--store", str(store.path.resolve()), "grade", *arguments]
    try:
        with (job.folder / "log.txt").open("ab") as log:
            child = subprocess.Popen(
                command,
                cwd=Path(__file__).parents[2],
                env=os.environ | {JOB: job.id},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
    except OSError as error:
        _forget(job)
        raise StoreError(f"No job was started: {error.filename or job.folder}: {error.strerror}.") from None
    _reaped.append(child)
    # It says nothing itself before its model is loaded, and must be known to live until then.
    job._write(Progress(), process(child.pid))
    return job


def _servers(arguments: Sequence[str]) -> list[str]:
    """The addresses that such a job asks; the job itself looks again (`servers.is_asked_by_a_visitor`)."""
    option = "--base-url"
    apart = [value for name, value in pairwise(arguments) if name == option]
    return apart + [value.removeprefix(f"{option}=") for value in arguments if value.startswith(f"{option}=")]


_reaped: list[subprocess.Popen[bytes]] = []
"""Children of this process; asking them for their state keeps them from becoming zombies."""


def jobs(store: Store) -> list[Job]:
    """The records, newest first."""
    if store.is_file or not store.jobs.is_dir():
        return []
    return [Job(path) for path in sorted(store.jobs.iterdir(), reverse=True) if (path / "request.json").exists()]


def job(store: Store, job_id: str) -> Job:
    """The record of that name; UsageError if there is none."""
    for found in jobs(store):
        if found.id == job_id:
            return found
    raise UsageError(f"There is no job {job_id}. List the jobs with: python -m exam_core jobs")


def progress_sentence(so_far: Progress) -> str:
    """How far a job is, in one line."""
    parts = [f"{so_far.done:,} of {so_far.total:,}"]
    if so_far.asked:
        parts.append(f"{so_far.rate:,.1f} prompts/s")
    if _waits(so_far):
        parts.append(f"waiting for another job for {duration(so_far.waiting)}")
    elif so_far.left is not None and so_far.state in RUNNING:
        parts.append(f"{duration(so_far.left)} left")
    if 0 < so_far.first_total == so_far.first_done < so_far.total:
        parts.append("the Cover leaderboard is complete")
    if so_far.unreadable:
        parts.append(f"{so_far.unreadable:,} unreadable")
    return " · ".join(parts)


def _waits(so_far: Progress) -> bool:
    return bool(so_far.waiting) and so_far.state in RUNNING


def duration(seconds: float) -> str:
    """A time in words that a person reads at once."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes / 60:.1f} h"


def _alive(progress: Progress) -> bool:
    """Whether the process that wrote this lives; where that can't be seen from here, whether it spoke lately."""
    for child in _reaped:
        child.poll()
    here = progress.host == socket.gethostname()
    alive = is_alive(Process(progress.pid, progress.place, progress.started)) if here else None
    if alive is not None:
        return alive
    # On another machine, or on this one before it was started anew: there, its number was another process.
    if not here or progress.place:
        return time.time() - progress.updated < _SILENT_AFTER
    try:
        os.kill(progress.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def as_row(found: Job) -> dict[str, Any]:
    """A job in one row of a table."""
    progress = found.progress()
    return {
        "job": found.id,
        "state": progress.state,
        "done": progress.done,
        "total": progress.total,
        "asked": progress.asked,
        "rate": progress.rate,
        "left": progress.left,
        "unreadable": progress.unreadable,
        "cut": progress.cut,
        "failed": progress.failed,
        "message": "waiting for another job" if _waits(progress) else progress.message.partition("\n")[0],
        "command": " ".join(["examboard grade", *found.arguments]) if found.arguments else "",
    }
