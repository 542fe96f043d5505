"""Records of jobs and their progress."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from exam_core.errors import StoreError, UsageError
from exam_core.grading.backend import LONGEST, LONGEST_REPLY
from exam_core.installation import JOB
from exam_core.jobs.job_kind import JobKind, Wanted
from exam_core.jobs.kinds import GRADING, KINDS
from exam_core.readings.reasons import in_words
from exam_core.results import attributes
from exam_core.store import Store
from exam_core.store.aliases_and_tags import ORDER, JobOrder
from exam_core.store.processes import Process, is_alive
from exam_core.wording import counted, duration

State = Literal["starting", "running", "done", "paused", "stopped", "failed", "lost", "damaged"]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
Amount = Annotated[float, msgspec.Meta(ge=-1e15, le=1e15)]
RUNNING: tuple[State, ...] = ("starting", "running")


class JobProgress(msgspec.Struct, kw_only=True):
    """How far a job is.

    Parameters
    ----------
    total, done : grades that were missing when it began, and those of them that are there now
    asked : prompts that a model answered; the others came from the cache
    unreadable, cut, failed : grades whose answer can't be read, whose passage was cut to fit, that got no answer
    filled : grades that a rule gave to an answer that can't be read; unread : why answers can't be read, with counts
    reads : of a job that paused, the reading that reads more of its first answers
    first_total, first_done : the same of passages among some run's first, which a Cover leaderboard needs
    seconds : of work, without loading the model; left : estimated, None if nothing is known yet
    workers, workers_wanted : of a cluster, that work now, and that were asked for or were there; None elsewhere
    reasons : of those that got no answer, by reason (`grading.failures`); examples : what was said of one of each
    prompt_tokens, answer_tokens : that a server counted in this job; None where none does
    spent : what they cost, at the prices that were given; before : what earlier jobs for the same grades had spent;
        to_come : what the rest will cost, about; None where nothing is known; over : whether the budget ended it
    server_cut : prompts of which the server counted clearly fewer tokens than it was sent
    batch : how far batches are at the server, in words; empty where none is waited for
    trying : what a server did that it is asked again for; empty where it answers
    notes : what is to be known of how it was asked, in sentences
    waiting : seconds since when all that is missing is being asked by other jobs; 0 if it isn't
    questions : that were read so far, where questions are written; lost : what in replies became none, by reason;
        ways : how replies were read; failures : why prompts got none; version : of the bank that has the questions at
        the end, added : new in it, known : that were there already, by id or words
    pid, place, started, host : of the process; see `store.processes`
    """

    state: State = "starting"
    message: str = ""
    total: Count = 0
    done: Count = 0
    asked: Count = 0
    unreadable: Count = 0
    cut: Count = 0
    failed: Count = 0
    filled: Count = 0
    unread: dict[str, Count] = {}
    reads: str = ""
    first_total: Count = 0
    first_done: Count = 0
    seconds: Amount = 0.0
    left: Amount | None = None
    workers: int | None = None
    workers_wanted: Count = 0
    reasons: dict[str, Count] = {}
    examples: dict[str, str] = {}
    prompt_tokens: Count | None = None
    answer_tokens: Count | None = None
    spent: Amount | None = None
    before: Amount = 0.0
    to_come: Amount | None = None
    over: bool = False
    server_cut: Count = 0
    batch: str = ""
    trying: str = ""
    notes: list[str] = []
    waiting: Amount = 0.0
    questions: Count = 0
    lost: dict[str, Count] = {}
    ways: dict[str, Count] = {}
    failures: dict[str, Count] = {}
    version: str = ""
    added: Count = 0
    known: Count = 0
    updated: Amount = 0.0
    pid: Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)] = 0
    place: str = ""
    started: str = ""
    host: str = ""

    @property
    def rate(self) -> float:
        """Prompts per second that a model answered."""
        return self.asked / self.seconds if self.seconds else 0.0


def progress_sentence(so_far: JobProgress) -> str:
    """How far a job is, in one line."""
    parts = [f"{so_far.done:,} of {so_far.total:,}"]
    if so_far.batch and so_far.state in RUNNING:
        parts.append(so_far.batch)
    elif so_far.asked:
        parts.append(f"{so_far.rate:,.1f} prompts/s")
    if so_far.workers is not None and so_far.state in RUNNING:
        lacking = f"{so_far.workers} of " if so_far.workers < so_far.workers_wanted else ""
        parts.append(lacking + counted({"workers": so_far.workers_wanted}))
    if so_far.trying and so_far.state in RUNNING:
        parts.append(so_far.trying)
    if waits(so_far):
        parts.append(f"waiting for another job for {duration(so_far.waiting)}")
    elif so_far.left is not None and so_far.state in RUNNING:
        parts.append(f"{duration(so_far.left)} left")
    if 0 < so_far.first_total == so_far.first_done < so_far.total:
        parts.append("the Cover leaderboard is complete")
    if so_far.spent is not None:
        parts.append(price_words(so_far))
    if so_far.questions:
        parts.append(counted({"questions": so_far.questions}))
    if so_far.unreadable:
        parts.append(f"{so_far.unreadable:,} unreadable")
    if so_far.filled:
        parts.append(f"{so_far.filled:,} graded though unreadable")
    return " · ".join(parts)


def price_words(so_far: JobProgress) -> str:
    """What a job has cost, and what will come."""
    spent = f"{amount(so_far.spent or 0.0)} spent"
    if so_far.to_come is not None and so_far.state in RUNNING:
        spent += f", about {amount(so_far.to_come)} to come"
    return spent


def amount(price: float) -> str:
    """A sum of money, with as many decimals as it takes: single prompts cost thousandths."""
    return f"{price:,.2f}" if price >= 1 or not price else f"{price:.4f}"


def waits(so_far: JobProgress) -> bool:
    """Whether all that is missing is being asked by other jobs."""
    return bool(so_far.waiting) and so_far.state in RUNNING


PROGRESS = "progress.json"
"""How far it is: a `JobProgress` in a file, because it is written anew every second or so and nothing depends on it."""
_SILENT_AFTER = 120.0
"""Seconds without a word after which a job on another machine is taken for lost."""
children: list[subprocess.Popen[bytes]] = []
"""Jobs that this process started; asking them for their state keeps them from becoming zombies."""


R = TypeVar("R")


@dataclass(frozen=True)
class Job:
    """The record of a job: the folder of its log and progress, and its order, which is None where that is damaged."""

    folder: Path
    order: JobOrder | None = field(default=None, compare=False)

    @property
    def id(self) -> str:
        """Name of the job: when it was asked for, and some letters."""
        return self.folder.name

    @property
    def request(self) -> Wanted | None:
        """What was asked for; None where the record is damaged, or of a version that kept its arguments alone."""
        return self._asked[0]

    @property
    def arguments(self) -> list[str]:
        """What follows `words` on the command line that does the same; none where the record is damaged."""
        return self._asked[1]

    @property
    def damage(self) -> str:
        """Why what was asked for can't be read; empty where it can."""
        return self._asked[2]

    @property
    def kind(self) -> JobKind:
        """What kind of job it is; records of earlier versions are of jobs that grade."""
        return next((kind for kind in KINDS if self.order and kind.name == self.order.kind), GRADING)

    @property
    def words(self) -> tuple[str, ...]:
        """Words of the command that does the same."""
        return self.kind.words

    @cached_property
    def _asked(self) -> tuple[Wanted | None, list[str], str]:
        if self.order is None:
            return None, [], "is damaged"
        if self.kind.name != self.order.kind:
            return None, self.order.arguments, "is of no kind of job" if self.order.kind else ""
        try:
            request = msgspec.convert(_brought_forward(deepcopy(self.order.request)), self.kind.request)
            return request, self.kind.arguments(request), ""
        except (ValueError, RecursionError, UsageError) as error:
            return None, [], f"can't be read ({error})"

    @property
    def log_file(self) -> Path:
        """Where what the job prints is kept, where the dashboard started it, and what programs print that it starts."""
        return self.folder / "log.txt"

    @property
    def missing_file(self) -> Path:
        """Where it is kept which grades got no answer, and why: a JSON object a line."""
        return self.folder / "missing.jsonl"

    def missing(self) -> list[dict[str, Any]]:
        """Query, passage, question, reason and what was said, of grades that got no answer; a broken line is left."""
        records = []
        with suppress(OSError):
            for line in self.missing_file.read_bytes().splitlines():
                with suppress(ValueError, RecursionError):
                    records.append(msgspec.json.decode(line, type=dict[str, Any]))
        return records

    @property
    def log(self) -> str:
        """What is in `log_file`, its last 100 kB."""
        with suppress(OSError), self.log_file.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 100_000))
            return file.read().decode("utf-8", "replace")
        return ""

    def so_far(self) -> tuple[JobProgress, str]:
        """What it said last of how far it is, and why that can't be read; empty where it can."""
        try:
            return msgspec.json.decode((self.folder / PROGRESS).read_bytes().decode(), type=JobProgress), ""
        except OSError:
            return JobProgress(), ""  # it has said nothing yet
        except (ValueError, RecursionError) as error:
            return JobProgress(), f"{PROGRESS} can't be read ({error})"

    def progress(self) -> JobProgress:
        """How far it is; `lost` if its process is gone without a last word, `damaged` if its record can't be read."""
        progress, damage = self.so_far()
        if damage := self.damage or damage:
            progress.state = "damaged"
            progress.message = f"Its record {damage}. Its answers are kept. Its folder can be removed: {self.folder}"
        elif progress.state in RUNNING and not _alive(progress):
            progress.state = "lost"
            progress.message = "Its process ended unexpectedly. Its answers are kept; start it again to go on."
        return progress

    @property
    def stopping(self) -> bool:
        """Whether it was asked to stop."""
        return (self.folder / "stop").exists()


def _brought_forward(fields: dict[str, Any]) -> dict[str, Any]:
    """What an earlier version wrote of an order, as it is said today."""
    order = fields.get("order")
    options = order.get("options") if isinstance(order, dict) else None
    if isinstance(order, dict) and isinstance(options, dict) and "samples" not in options:
        if options.get("max_tokens") == LONGEST:  # which was the default, for servers too
            options["max_tokens"] = None
        if order.get("max_output_tokens") not in (None, LONGEST_REPLY):
            options["max_output_tokens"] = order["max_output_tokens"]
    return fields


def mine(store: Store) -> Job | None:
    """The record that this process was started to write; None where somebody typed the command."""
    known = os.environ.get(JOB)
    if not known:
        return None
    return next((job for job in jobs(store) if job.id == known), None) or Job(store.jobs / known)


def ordered(store: Store, kind: type[R]) -> R | None:
    """The request of this kind that the dashboard started this process for; None where its command line says it.

    Raises StoreError where it can't be read.
    """
    job = mine(store)
    if job and job.damage:
        raise StoreError(f"{job.folder}: its record {job.damage}. Start the job again.")
    return job.request if job and isinstance(job.request, kind) else None


def jobs(store: Store) -> list[Job]:
    """The records, newest first; a job whose folder was removed is gone."""
    if store.is_file or not store.jobs.is_dir():
        return []
    records = store.catalogue.read(ORDER)
    orders = dict.fromkeys(record.id for record in records.damaged if record.id) | records.values
    every = (Job(store.jobs / name, orders[name]) for name in sorted(orders, reverse=True))
    return [job for job in every if job.folder.is_dir()]


def damaged_jobs(store: Store) -> list[tuple[Path, str]]:
    """The folders of jobs of which it can't be read how far they are, and why."""
    every = ((job.folder, job.so_far()[1]) for job in jobs(store))
    return [(folder, why) for folder, why in every if why]


def job(store: Store, job_id: str) -> Job:
    """The record of that name; UsageError if there is none."""
    for record in jobs(store):
        if record.id == job_id:
            return record
    raise UsageError(f"There is no job {job_id}. List the jobs with: examboard jobs")


def _alive(progress: JobProgress) -> bool:
    """Whether the process that wrote this lives; where that can't be seen from here, whether it spoke lately."""
    for child in children:
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
        pass  # somebody else's
    return True


def as_row(job: Job) -> dict[str, Any]:
    """A job in one row of a table."""
    progress = job.progress()
    trying = progress.trying if progress.state in RUNNING else ""
    message = trying or progress.batch or progress.message.partition("\n")[0]
    return {
        "job": job.id,
        **attributes(progress, "state", "done", "total", "asked", "rate", "left", "unreadable"),
        "unreadable_reasons": in_words(progress.unread),
        **attributes(progress, "cut", "failed"),
        "why": ", ".join(f"{count:,} {why}" for why, count in sorted(progress.reasons.items())),
        **attributes(progress, "prompt_tokens", "answer_tokens", "spent"),
        "workers": progress.workers if progress.state in RUNNING else None,
        "message": "waiting for another job" if waits(progress) else message,
        "command": " ".join(["examboard", *job.words, *job.arguments]) if job.arguments else "",
    }
