"""Starting and stopping jobs that ask a model, and writing their records.

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
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from exam_core.actions.verbs import verb
from exam_core.declared import NOTHING, declared
from exam_core.errors import StoreError
from exam_core.installation import JOB, SERVED_WITH
from exam_core.jobs import records
from exam_core.jobs.job_kind import AnyOrder, Wanted
from exam_core.jobs.job_progress import JobProgress
from exam_core.jobs.kinds import kind_of
from exam_core.jobs.records import Job
from exam_core.store import Store
from exam_core.store.files import write_once
from exam_core.store.job_orders import ORDER, JobOrder
from exam_core.store.processes import Process, process

LARGEST_MISSING = 1 << 26
"""Bytes of names of missing answers that a job's record takes, some 400,000."""


@verb("edit")
def start_job(store: Store, request: Wanted, confirmed: Collection[str] = ()) -> Job:
    """Start a job as a process of its own, which survives whoever started it.

    Parameters
    ----------
    confirmed : addresses of servers of this machine that the visitor confirmed

    Raises
    ------
    StoreError : its record can't be written, or its process can't be started; then there is no job
    UsageError : it would ask a server that the dashboard may not ask
    """
    options = request.order.options.as_meant
    environment = options.run_by.environment(options, confirmed)
    return _started(store, create_job(store, request), _least(request.order), environment)


def _least(order: AnyOrder) -> list[str]:
    """Arguments that the command line takes as complete; the job reads the others in its record."""
    needed = {name: field for name, field in declared(type(order)).items() if field.default is NOTHING}
    del needed["collection"]
    return [*(f"{field.option}={getattr(order, name)}" for name, field in needed.items()), "--", order.collection]


@verb("edit")
def repeat_job(store: Store, job: Job, confirmed: Collection[str] = ()) -> Job:
    """Start a new job that is asked for the same; arguments and errors as `start_job`."""
    if job.request:
        return start_job(store, job.request, confirmed)
    # A record of an earlier version has its command line alone; the job itself looks which server that asks.
    return _started(store, _created(store, JobOrder(arguments=job.arguments)), job.arguments)


def create_job(store: Store, request: Wanted) -> Job:
    """A new record; the job itself writes it from then on.

    Raises StoreError where it can't be written; then there is none.
    """
    return _created(store, JobOrder(kind_of(request).name, msgspec.to_builtins(request)))


def _created(store: Store, order: JobOrder) -> Job:
    when = dt.datetime.now(dt.UTC).strftime("%Y%m%d-%H%M%S")
    job = Job(store.jobs / f"{when}-{uuid.uuid4().hex[:4]}", order)
    try:
        with store.catalogue.writing():
            store.catalogue.put(ORDER, job.id, order)
            write_once(job.folder / records.PROGRESS, msgspec.json.encode(JobProgress()))
        write_progress(job, JobProgress())
    except StoreError as error:
        _forget(store, job)
        raise StoreError(f"No job was started: {error}") from None
    return job


def _started(
    store: Store, job: Job, arguments: Sequence[str], environment: Mapping[str, str] = MappingProxyType({})
) -> Job:
    """The job with a process, which finds in the record what it is asked for."""
    command = [sys.executable, "-m", "exam_core", "--store", str(store.path.resolve()), *job.words, *arguments]
    try:
        with job.log_file.open("ab") as log:
            child = subprocess.Popen(
                command,
                cwd=Path(__file__).parents[2],
                env={**own_environment(), **environment, JOB: job.id},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
    except OSError as error:
        _forget(store, job)
        raise StoreError(f"No job was started: {error.filename or job.folder}: {error.strerror}.") from None
    records.children.append(child)
    # It says nothing itself before its model is loaded, and must be known to live until then.
    _write(job, JobProgress(), process(child.pid))
    return job


def own_environment() -> dict[str, str]:
    """The environment without what only the dashboard's server is started with: threads of a grader share no heap."""
    return {name: said for name, said in os.environ.items() if SERVED_WITH.get(name) != said}


def _forget(store: Store, job: Job) -> None:
    """Remove the record of a job that never began, with a folder that was made for it alone."""
    with suppress(StoreError):  # without its folder it is gone, too
        store.catalogue.remove(ORDER, job.id)
    shutil.rmtree(job.folder, ignore_errors=True)


@verb("edit")
def stop_job(job: Job) -> None:
    """Ask it to stop; it does after what it is answering now, and keeps all that is done."""
    (job.folder / "stop").touch()


def note_missing(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Add to a job's record which grades got no answer; a full disk holds none, and stops no job."""
    with suppress(OSError):
        if not path.exists() or path.stat().st_size < LARGEST_MISSING:
            with path.open("ab") as file:
                file.write(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))


def write_progress(job: Job, progress: JobProgress) -> bool:
    """Say how far it is; readers see the old state or the new one.

    Returns
    -------
    whether it could be written: a job goes on where its record can't, for instance on a full disk
    """
    return _write(job, progress, process())


def _write(job: Job, progress: JobProgress, of: Process) -> bool:
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
