"""Grading jobs as a person watches them: a table, their states in words, the last lines of what they said."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from exam_core.jobs.progress import RUNNING, Progress, State
from exam_core.jobs.records import Job
from exam_core.wording import duration

STATES: dict[State, str] = {
    "starting": "… starting",
    "running": "▶ running",
    "done": "✓ done",
    "stopped": "■ stopped",
    "failed": "✗ failed",
    "lost": "? lost",
    "damaged": "! damaged",
}
"""Each state with a sign of its own."""
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
    """One row for each job.

    Returns
    -------
    job, state (in words), what (plan or grade), collection, done and total (grades; null where nothing is known),
    rate (prompts per second), left (in words), unreadable, failed, arguments
    """
    rows = []
    for job in jobs:
        so_far, total = job.progress(), job.progress().total
        rows.append(
            {
                "job": job.id,
                "state": "■ stopping" if stopping(job) else STATES[so_far.state],
                "what": "plan" if plans(job) else "grade",
                "collection": next(iter(job.arguments), ""),
                "done": so_far.done if total else None,
                "total": total or None,
                "rate": so_far.rate or None,
                "left": _left(so_far),
                "unreadable": so_far.unreadable if total else None,
                "failed": so_far.failed if total else None,
                "arguments": " ".join(job.arguments[1:]),
            }
        )
    names = ["job", "state", "what", "collection", "done", "total", "rate", "left", "unreadable", "failed", "arguments"]
    counts = dict.fromkeys(("done", "total", "unreadable", "failed"), "Int64") | {"rate": "float64"}
    return pd.DataFrame(rows, columns=names).astype(counts)


def _left(so_far: Progress) -> str:
    if so_far.state not in RUNNING:
        return ""
    if so_far.waiting:
        return "waits for another job"
    return "" if so_far.left is None else duration(so_far.left)


def last_lines(log: str, most: int = 200) -> str:
    """The end of a log as a terminal would leave it: no colours, and of a rewritten line its last words."""
    lines = [_CONTROL.sub("", line.rstrip("\r").rpartition("\r")[2]) for line in log.split("\n")]
    return "\n".join(lines[-most:]).strip("\n")
