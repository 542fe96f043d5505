"""How far a job is, in a sentence and a bar, and the buttons that stop it or go on with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

import streamlit as st

from exam_core.actions import job_control
from exam_core.errors import ExamboardError
from exam_core.jobs import watching
from exam_core.jobs.ordering import JobRequest, Order
from exam_core.jobs.records import RUNNING, Job, JobProgress, progress_sentence
from pages.parts.job_form import start
from pages.shared import show, visiting
from pages.shared.doing import button

EVERY = 2.0
"""Seconds after which what a running job changes is shown anew."""
GOES_ON = "grading: why it can't stop"
STOP = "The job stops within seconds; its answers are kept."
STOP_BATCHES = f"{STOP} Its batches go on at the server, at your cost, until somebody ends them or continues the job."
PAUSED = "Starts a job that reads the stored answers again. Grades that are read in another way get another name."
GO_ON = "Starts the same command again. Nothing is graded twice."


def follow(
    watched: bool, draw: Callable[..., None], *arguments: Any, running: Callable[[], bool] | None = None
) -> None:
    """Draw a part of the page; while a job runs, again and again by itself.

    Parameters
    ----------
    watched : whether a job ran when the page was drawn
    running : whether one runs now; where that is another answer, the whole page is drawn anew. The part stays until
        then: what it leaves out, the browser takes away, and the page jumps.
    """

    @wraps(draw)
    def part() -> None:
        draw(*arguments)
        if running and running() != watched:
            st.rerun()

    st.fragment(part, run_every=EVERY if watched else None)()


def draw(job: Job) -> JobProgress:
    """How far it is, and to whoever may start jobs what went wrong; returns how far."""
    so_far = job.progress()
    word = watching.STATES[so_far.state]
    sentence = f"{word} · {progress_sentence(so_far)}" if so_far.total else word
    if so_far.state == "starting":
        server = getattr(job.request.order.options, "base_url", "") if job.request else ""
        sentence = f"{word}: {'asking the server' if server else 'a large model takes a minute to load'}."
    if watching.stopping(job):
        sentence += " · stops as soon as its answers are kept"
    if so_far.state in RUNNING and so_far.total:
        st.progress(min(so_far.done / so_far.total, 1.0))
    show.text(sentence)
    if so_far.message and visiting.allowed("edit", text=False):
        show.problems(so_far.message.splitlines())
    return so_far


def sends_batches(job: Job) -> bool:
    """Whether its prompts go to a server in batches."""
    return job.request is not None and job.request.order.options.batch


def buttons(job: Job, so_far: JobProgress) -> None:
    """To stop it, or to go on with it: after a pause anyway, or with the reading that reads more."""
    if so_far.state in RUNNING:
        about = STOP_BATCHES if sends_batches(job) else STOP
        button("Stop", _stop, job, key="grading_stop", icon="stop", help=about, disabled=job.stopping)
    elif so_far.state == "paused" and (request := job.request) and isinstance(request.order, Order):
        wanted: Any = request
        changes: dict[str, dict[str, Any]] = {"Go on anyway": {"go_on": True}}
        if so_far.reads:
            changes = {f"Read as {so_far.reads}": {"reading": so_far.reads, "unreadable": "null"}} | changes
        for label, change in changes.items():
            order, key = replace(wanted.order, **change), f"grading_pause_{next(iter(change))}"
            again = JobRequest(order) if isinstance(wanted, JobRequest) else replace(wanted, order=order)
            button(label, start, again, key=key, icon="resume", help=PAUSED)
    elif so_far.state != "done":
        button("Go on", start, job, key="grading_go_on", icon="resume", help=GO_ON)


def _stop(job: Job) -> None:
    try:
        job_control.stop_job(job)
    except ExamboardError as error:
        st.session_state[GOES_ON] = str(error)
    except OSError as error:
        st.session_state[GOES_ON] = f"{error.filename}: {error.strerror}. The job was not asked to stop."
