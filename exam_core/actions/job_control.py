"""Jobs of the dashboard: started, stopped, repeated, paused where most answers can't be read."""

from __future__ import annotations

import datetime as dt
import os
import shutil
import socket
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np

from exam_core.actions.verbs import verb
from exam_core.declared import NOTHING, declared
from exam_core.errors import StoreError
from exam_core.grading.backend import Reading
from exam_core.grading.modes.ratings import Verdict
from exam_core.installation import JOB, SERVED_WITH
from exam_core.jobs import records
from exam_core.jobs.job_kind import AnyOrder, Wanted
from exam_core.jobs.kinds import kind_of
from exam_core.jobs.records import Job, JobProgress
from exam_core.jobs.task import Task
from exam_core.readings.reasons import HELP, by_count
from exam_core.store import Store
from exam_core.store.aliases_and_tags import ORDER, JobOrder
from exam_core.store.answer_cache import CachedAnswer
from exam_core.store.files import write_once
from exam_core.store.processes import Process, process
from exam_core.wording import cut_at_word

LARGEST_MISSING = 1 << 26
"""Bytes of names of missing answers that a job's record takes, some 400,000."""


@verb("edit")
def start_job(store: Store, request: Wanted, confirmed: Collection[str] = ()) -> Job:
    """Start a job as a process of its own, which survives whoever started it.

    `confirmed` are addresses of servers of this machine that the visitor confirmed.

    Raises StoreError where its record can't be written, or its process can't be started: then there is no job. Raises
    UsageError where it would ask a server that the dashboard may not ask.
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
    # Names are in the order of time, within a second too: its fraction comes first, and then chance.
    now = dt.datetime.now(dt.UTC)
    end = f"{now.microsecond * 16**4 // 10**6:04x}{uuid.uuid4().hex[:2]}"
    job = Job(store.jobs / f"{now:%Y%m%d-%H%M%S}-{end}", order)
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
    return {name: value for name, value in os.environ.items() if SERVED_WITH.get(name) != value}


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
    """Write how far a job is, and say whether that could be done: a job goes on where its record can't, as on a full
    disk.

    Readers see the old state or the new one.
    """
    return _write(job, progress, process())


def _write(job: Job, progress: JobProgress, of: Process) -> bool:
    progress.updated, progress.host = time.time(), socket.gethostname()
    progress.pid, progress.place, progress.started = of.pid, of.place, of.started
    path = job.folder / f".progress.{os.getpid()}.part"
    try:
        path.write_bytes(msgspec.json.encode(progress))
        path.replace(job.folder / "progress.json")
    except OSError:
        with suppress(OSError):
            path.unlink()
        return False
    return True


FIRST = 100
"""Answers that are looked at before any grade is stored."""
SHOWN = 5
"""Answers that are shown of those that can't be read, the most frequent."""
LONGEST = 160
"""Characters that are shown of an answer."""
READINGS: tuple[Reading, ...] = ("chat", "flan-t5")
Graded = tuple[int, Verdict, CachedAnswer]
"""The place of what was asked, its grade, and the answer that the grade was read from."""
Keeps = Callable[[Sequence[Graded]], None]


class Holding:
    """Gives grades to `keep` once more than half of the first hundred answers could be read; else it gives none of
    them.

    An answer to which a rule gives a grade counts as one that can't be read.
    """

    def __init__(self, task: Task, keep: Keeps) -> None:
        self._task, self._keep = task, keep
        self._open = task.order.go_on
        self._held: list[Graded] = []
        self._missing = 0
        self.why = ""
        """Why the job pauses, in lines; empty where it does not."""
        self.reads = ""
        """The reading that would read more, where there is one."""

    @property
    def room(self) -> int | None:
        """Grades that are wanted before it is decided whether the job pauses; None: as many as come."""
        return None if self._open else FIRST - len(self._held) - self._missing

    def add(self, graded: Sequence[Graded], missing: int = 0) -> None:
        """Keep grades, or hold them back as long as nothing is decided; `missing` ones got no answer."""
        if self._open:
            self._keep(graded)
            return
        self._held += graded
        self._missing += missing
        if len(self._held) + self._missing >= FIRST:
            first = self._held[:FIRST]
            lost = [item for item in first if item[1].reason]
            if (len(lost) + self._missing) * 2 > len(first) + self._missing:
                self.why = "\n".join(self._lines(first, lost))
            else:
                self.end()

    def end(self) -> None:
        """Keep what is held back, unless the job pauses."""
        if not self.why:
            self._open = True
            if self._held:
                self._keep(self._held)
            self._held = []

    def _lines(self, first: Sequence[Graded], lost: Sequence[Graded]) -> Iterator[str]:
        """What a person has to know to decide how to go on."""
        if self._missing:
            number = len(first) + self._missing
            unread = f", and {len(lost)} answers can't be read" if lost else ""
            head = f"{self._missing} of the first {number} grades got no answer{unread}"
            yield f"{head}, so the job paused. No grade was stored; answers are kept."
        else:
            yield (
                f"{len(lost)} of the first {len(first)} answers can't be read, so the job paused. No grade was stored; "
                "the answers are kept, and not asked again."
            )
        filled = sum(verdict.grade is not None for _, verdict, _ in lost)
        if filled:
            yield f"{filled} of them would count 0 or 1 by the rule --unreadable {self._task.order.unreadable}."
        counts = Counter((answer.text, verdict.reason) for _, verdict, answer in lost)
        for (text, reason), count in counts.most_common(SHOWN):
            message = " ".join(text.split())
            yield f"  {count} × {cut_at_word(message, LONGEST)!r}: {reason}"
        count = self._look(first, len(first) - len(lost)) if lost else 0
        if self.reads:
            rest = ", without --unreadable" if filled else ""
            yield f"The reading {self.reads} reads {count} of these {len(first)}: --reading {self.reads}{rest}"
        elif lost:
            reason = by_count(Counter(verdict.reason for _, verdict, _ in lost))[0][0]
            yield f"No other reading reads more of them. {HELP[reason]}"
        again = "To ask for the missing answers again, start the job again. " if self._missing else ""
        yield f"{again}To go on anyway: --go-on"

    def _look(self, first: Sequence[Graded], now: int) -> int:
        """Look which reading reads most of some answers, if more than are read now; how many it reads."""
        mode, modes = self._task.mode, self._task.asked(np.array([place for place, _, _ in first]))
        most = now
        for reading in READINGS if mode.verifier != "llm" else ():
            other = replace(mode, reading=reading)
            pairs = zip(modes, first, strict=True)
            count = sum(other.read(answer.text, mode_input).grade is not None for mode_input, (_, _, answer) in pairs)
            if count > most and reading != mode.reading:
                self.reads, most = reading, count
        return most
