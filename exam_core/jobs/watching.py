"""Jobs as the page and the command show them: state, speed and what is ahead."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from exam_core.grading.modes.mode import Mode
from exam_core.grading.options import refuse_impossible
from exam_core.jobs.kinds import KINDS
from exam_core.jobs.ordering import Order
from exam_core.jobs.records import RUNNING, Job, State
from exam_core.jobs.task import Task
from exam_core.readings.reasons import UNREADABLE_ANSWERS, in_words
from exam_core.results import ResultTable, count, number, text
from exam_core.store import Snapshot, Store
from exam_core.wording import duration

STATES: dict[State, str] = {
    "starting": "… starting",
    "running": "▶ running",
    "done": "✓ done",
    "paused": "‖ paused",
    "stopped": "■ stopped",
    "failed": "✗ failed",
    "lost": "? lost",
    "damaged": "! damaged",
}
"""Each state with a sign of its own."""
_DOES = f"{', '.join(kind.does for kind in KINDS)}, or plans.".capitalize()
JOBS = ResultTable(
    "jobs",
    "Grading jobs with how far they are; counts are null where nothing is known yet",
    text("job", "Job", "Start in UTC, and four letters.", pinned=True),
    text("state", "State"),
    text("what", "What", _DOES),
    text("collection", "Collection"),
    count("done", "Done", "Grades that the job made, or replies that it read.", "grades or replies"),
    count("total", "of", "Grades that were missing when it began, or prompts.", "grades or replies"),
    number(
        "rate",
        "Prompts/s",
        "Prompts per second that a model answered, without loading it; answers from the cache are not counted.",
        "prompts per second",
        form="%.1f",
    ),
    text("left", "Time left", "Estimated from the speed so far."),
    count("unreadable", "Unreadable", UNREADABLE_ANSWERS, "grades"),
    text("unread", "Why", "Reasons for unreadable answers, with counts; Outcomes has a remedy for each."),
    count("failed", "Failed", "Got no answer, for instance from a server; the next job asks them again.", "grades"),
    text("arguments", "Arguments", width="large"),
)
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]")


def running(jobs: Sequence[Job]) -> list[Job]:
    """Those that run now."""
    return [job for job in jobs if job.progress().state in RUNNING]


def plans(job: Job) -> bool:
    """Whether the job only says what would be done."""
    return "--plan" in job.arguments


def stopping(job: Job) -> bool:
    """Whether it still runs, but was asked to stop."""
    return job.stopping and job.progress().state in RUNNING


def table(jobs: Sequence[Job]) -> pd.DataFrame:
    """`JOBS`, one row for each job; state and time left in words."""
    rows = []
    for job in jobs:
        so_far, left = job.progress(), ""
        total = so_far.total
        if so_far.state in RUNNING and so_far.waiting:
            left = "waits for another job"
        elif so_far.state in RUNNING and so_far.workers == 0:
            left = "waits for workers"
        elif so_far.state in RUNNING and so_far.left is not None:
            left = duration(so_far.left)
        rows.append(
            {
                "job": job.id,
                "state": "■ stopping" if stopping(job) else STATES[so_far.state],
                "what": "plan" if plans(job) else job.kind.what,
                "collection": next(iter(job.arguments), ""),
                "done": so_far.done if total else None,
                "total": total or None,
                "rate": so_far.rate or None,
                "left": left,
                "unreadable": so_far.unreadable if total else None,
                "unread": in_words(so_far.unread),
                "failed": so_far.failed if total else None,
                "arguments": " ".join(job.arguments[1:]),
            }
        )
    counts = dict.fromkeys(("done", "total", "unreadable", "failed"), "Int64") | {"rate": "float64"}
    return JOBS.of(rows).astype(counts)


def last_lines(log: str, most: int = 200) -> str:
    """The end of a log as a terminal would leave it: no colours, and of a rewritten line its last words."""
    lines = [_CONTROL.sub("", line.rstrip("\r").rpartition("\r")[2]) for line in log.split("\n")]
    return "\n".join(lines[-most:]).strip("\n")


TRIED = ResultTable(
    "trial",
    "Passages that a grading mode was tried on, with the model's answers and the grades read of them",
    text("query_id", "Query"),
    text("doc_id", "Passage ID"),
    text("passage", "Passage", width="medium"),
    text("question", "Question", "The question; the query where passages are graded as a whole.", width="medium"),
    text("answer", "Answer", "The model's own words.", width="medium"),
    number("grade", "Grade", "The grade that was read from the answer; empty if it can't be read.", "grade"),
    text("reason", "Why", "Why an answer can't be read, or is missing."),
)


@dataclass(frozen=True)
class Ahead:
    """What is to be graded.

    Parameters
    ----------
    grader : the name that the grades will have
    graded, missing : grades that are there, and that the job would make
    first : of the missing ones, those of passages among some run's first 20
    without_text : passages under a query that have no text and can't be graded
    prompt : the first one; empty where nothing is missing
    """

    grader: str
    graded: int
    missing: int
    first: int
    without_text: int
    prompt: str


def ahead(snapshot: Snapshot, store: Store, wanted: Order, own: Mode | None = None) -> Ahead:
    """What such a job would do in the collection as it is now, perhaps with a mode that the store does not keep.

    No model is loaded. The snapshot is what a kept answer is kept for. Raises UsageError for what prevents the job:
    missing texts or answer keys, options that don't go together.
    """
    task = Task(store, wanted, own=own)
    refuse_impossible(task.order.options, task.mode.kind)
    return Ahead(
        grader=task.grader,
        graded=task.work.graded,
        missing=len(task),
        first=int(task.first.sum()),
        without_text=int(task.work.pairs["passage_text"].isna().sum()),
        prompt=task.prompts(_typical(snapshot, task))[0].text if len(task) else "",
    )


def _typical(snapshot: Snapshot, task: Task) -> slice:
    """The place of a missing grade whose passage runs rank high for the first query, to be looked at."""
    pairs = task.work.pairs
    query = pairs["query_id"].iloc[task.work.pair[0]]
    ranked = snapshot.query("SELECT doc_id, sum(1 / (rank + 1)) FROM rankings WHERE query_id = ? GROUP BY 1", [query])
    high = pairs["doc_id"].map(dict(ranked.itertuples(index=False))).where(pairs["query_id"] == query).fillna(0)
    place = int(high.to_numpy(float)[task.work.pair].argmax())
    return slice(place, place + 1)
