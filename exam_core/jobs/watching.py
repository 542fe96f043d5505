"""Jobs as a person watches them: a table, their states in words, the last lines of what they said."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from exam_core.jobs.job_progress import RUNNING, JobProgress, State
from exam_core.jobs.kinds import KINDS
from exam_core.jobs.records import Job
from exam_core.readings.reasons import UNREADABLE_ANSWERS, in_words
from exam_core.results import ResultTable, count, number, text
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
    count(
        "failed",
        "Failed",
        "Got no answer, for instance from a server; the next job asks them again.",
        "grades",
    ),
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
        so_far, total = job.progress(), job.progress().total
        rows.append(
            {
                "job": job.id,
                "state": "■ stopping" if stopping(job) else STATES[so_far.state],
                "what": "plan" if plans(job) else job.kind.what,
                "collection": next(iter(job.arguments), ""),
                "done": so_far.done if total else None,
                "total": total or None,
                "rate": so_far.rate or None,
                "left": _left(so_far),
                "unreadable": so_far.unreadable if total else None,
                "unread": in_words(so_far.unread),
                "failed": so_far.failed if total else None,
                "arguments": " ".join(job.arguments[1:]),
            }
        )
    counts = dict.fromkeys(("done", "total", "unreadable", "failed"), "Int64") | {"rate": "float64"}
    return JOBS.of(rows).astype(counts)


def _left(so_far: JobProgress) -> str:
    if so_far.state not in RUNNING:
        return ""
    if so_far.waiting:
        return "waits for another job"
    if so_far.workers == 0:
        return "waits for workers"
    return "" if so_far.left is None else duration(so_far.left)


def last_lines(log: str, most: int = 200) -> str:
    """The end of a log as a terminal would leave it: no colours, and of a rewritten line its last words."""
    lines = [_CONTROL.sub("", line.rstrip("\r").rpartition("\r")[2]) for line in log.split("\n")]
    return "\n".join(lines[-most:]).strip("\n")
