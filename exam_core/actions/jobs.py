"""Starting and stopping grading jobs, and writing their records.

A job is a process of its own. It writes its record; whoever watches reads it (`jobs/records.py`), and asks it to stop
by a file.
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
from itertools import pairwise
from pathlib import Path

import msgspec

from exam_core.errors import StoreError
from exam_core.grading.remote import servers
from exam_core.jobs.progress import Progress
from exam_core.jobs.records import Job, children
from exam_core.store import Store
from exam_core.store.files import write_once
from exam_core.store.processes import Process, process


def create_job(store: Store, arguments: Sequence[str]) -> Job:
    """A new record; the job itself writes it from then on.

    Raises
    ------
    StoreError : it can't be written; then there is none
    """
    when = dt.datetime.now(dt.UTC).strftime("%Y%m%d-%H%M%S")
    job = Job(store.jobs / f"{when}-{uuid.uuid4().hex[:4]}")
    try:
        write_once(job.folder / "request.json", msgspec.json.encode(list(arguments)))
        if not write_progress(job, Progress()):
            write_once(job.folder / "progress.json", msgspec.json.encode(Progress()))  # Says why it can't be.
    except StoreError as error:
        _forget(job)
        raise StoreError(f"No job was started: {error}") from None
    return job


def _forget(job: Job) -> None:
    """Remove the record of a job that never began, with a folder that was made for it alone."""
    shutil.rmtree(job.folder, ignore_errors=True)


def start_job(store: Store, arguments: Sequence[str]) -> Job:
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
    job = create_job(store, arguments)
    command = [sys.executable, "-m", "exam_core", "--store", str(store.path.resolve()), "grade", *arguments]
    try:
        with (job.folder / "log.txt").open("ab") as log:
            child = subprocess.Popen(
                command,
                cwd=Path(__file__).parents[2],
                env=os.environ | {servers.JOB: job.id},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
    except OSError as error:
        _forget(job)
        raise StoreError(f"No job was started: {error.filename or job.folder}: {error.strerror}.") from None
    children.append(child)
    # It says nothing itself before its model is loaded, and must be known to live until then.
    _write(job, Progress(), process(child.pid))
    return job


def _servers(arguments: Sequence[str]) -> list[str]:
    """The addresses that such a job asks; the job itself looks again (`servers.is_asked_by_a_visitor`)."""
    option = "--base-url"
    apart = [value for name, value in pairwise(arguments) if name == option]
    return apart + [value.removeprefix(f"{option}=") for value in arguments if value.startswith(f"{option}=")]


def stop_job(job: Job) -> None:
    """Ask it to stop; it does after what it is answering now, and keeps all that is done."""
    (job.folder / "stop").touch()


def write_progress(job: Job, progress: Progress) -> bool:
    """Say how far it is; readers see the old state or the new one.

    Returns
    -------
    whether it could be written: a job goes on where its record can't, for instance on a full disk
    """
    return _write(job, progress, process())


def _write(job: Job, progress: Progress, of: Process) -> bool:
    progress.updated, progress.host = time.time(), socket.gethostname()
    progress.pid, progress.place, progress.started = of.pid, of.place, of.started
    aside = job.folder / f".progress.{os.getpid()}.part"
    try:
        aside.write_bytes(msgspec.json.encode(progress))
        aside.replace(job.folder / "progress.json")
    except OSError:
        with suppress(OSError):
            aside.unlink()
        return False
    return True
