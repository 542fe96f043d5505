"""How far a job is, as numbers and in one line."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

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
