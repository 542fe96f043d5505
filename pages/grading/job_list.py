"""The jobs of the store, and one of them: how far it is, what its answers lack, its command and its log."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from urllib.parse import urlencode

import streamlit as st

from exam_core.aliases import KNOWN
from exam_core.errors import ExamboardError
from exam_core.grading.failures import missing_sentences
from exam_core.jobs import ordering, watching
from exam_core.jobs.ordering import Order
from exam_core.jobs.records import RUNNING, Job, JobProgress
from exam_core.jobs.task import grader_of
from exam_core.wording import counted
from pages.parts import job_state
from pages.parts.job_form import JOB, LISTED, newest
from pages.shared import data, doing, help_texts, naming, picking, show, visiting
from pages.shared.controls import NEXT_COLLECTION

ENDS_BATCHES = "The job's batches go on at the server, at your cost. To end them:"
PICK = f"{help_texts.ROW} {watching.JOBS['job'].help}"
HIDDEN = "Command and log name files and servers, so only users who may start jobs see them."


def draw(collection: str) -> None:
    """A collection's jobs and damaged ones, newest first, and one of them; of other collections their number."""
    every = newest()
    jobs = [job for job in every if _collection(job) in ("", collection)]
    if data.store().is_file:
        return
    st.header("Jobs")
    if not jobs:
        show.text(f"No job of {collection} was started yet, neither here nor on the command line.")
        _others(every, collection)
        return
    rows = watching.table(jobs)
    ids = [job.id for job in jobs]
    picking.keep_row(ids, key=JOB, table="grading_jobs", value=tuple(ids))
    columns = [name for name in watching.JOBS.names if name != "arguments" or visiting.allowed("edit", text=False)]
    rows = rows.assign(arguments=[_title(job) or typed for job, typed in zip(jobs, rows["arguments"], strict=True)])
    of = watching.JOBS.changed(job={"help": PICK}).ordered(*columns)
    row = show.table(rows[columns], of, key="grading_jobs", select=True)
    _others(every, collection)
    if len(every) == LISTED:
        st.caption(f"The newest {LISTED} jobs; all are listed by: examboard jobs")
    picked = picking.pick("Job", ids, key=JOB, clicked=[picking.in_row(ids, row)], help=PICK)
    _job(next(job for job in jobs if job.id == picked))


def _collection(job: Job) -> str:
    return next(iter(job.arguments), "")


def _others(every: list[Job], collection: str) -> None:
    """How many jobs each other collection has, as a button that leads there."""
    others = Counter(name for name in map(_collection, every) if name not in ("", collection))
    for name, n in others.items():
        label = show.escaped(f"{counted({'jobs': n})} of {name}")
        if doing.choose(label, key=f"jobs_of_{name}", icon="grading", **{NEXT_COLLECTION: name}):
            st.rerun()


def _title(job: Job) -> str:
    """The grading mode and the bank of a job that grades; empty for others."""
    order = job.request and job.request.order
    if not isinstance(order, Order):
        return ""
    mode = order.mode or order.name or "self-rating"
    return ", ".join(filter(None, (KNOWN.get(mode, mode), order.options.model, order.bank and f"bank {order.bank}")))


def _job(job: Job) -> None:
    so_far = job_state.draw(job)
    if not visiting.allowed("edit", text=False):
        st.caption(HIDDEN)
        return
    _explain(job, so_far)
    if (
        so_far.state == "done"
        and job.request
        and isinstance(order := job.request.order, Order)
        and not job.request.plan
    ):
        choices = {"collection": order.collection, **({"bank": order.bank} if order.bank else {})}
        with suppress(ExamboardError):
            choices["modes"] = grader_of(data.store(), order)
        # In a tab of its own: here, the bar would keep the modes that were there before the job.
        st.link_button("See the leaderboard", f"leaderboard?{urlencode(choices)}", icon=":material/leaderboard:")
    if not job.arguments:
        return
    with st.container(horizontal=True):
        job_state.buttons(job, so_far)
    if refused := st.session_state.pop(job_state.GOES_ON, None):
        show.problems([refused])
    show.command(ordering.command(job.arguments, job.words))
    if text := watching.last_lines(job.log):
        st.caption("Log")
        st.code(text, language=None, wrap_lines=True, height=320 if text.count("\n") > 12 else "content")


def _explain(job: Job, so_far: JobProgress) -> None:
    """Why answers are missing and what helps, what the tokens were, and how the server had to be asked."""
    for sentence in (*missing_sentences(so_far.reasons, so_far.examples), *so_far.notes):
        show.text(naming.sentence(sentence))
    if so_far.reasons:
        st.caption("To list the missing grades:")
        show.command(ordering.command(["--missing", job.id], ("jobs",)))
    if job_state.sends_batches(job) and so_far.state not in (*RUNNING, "done"):
        st.caption(ENDS_BATCHES)
        show.command(ordering.command(["--cancel", job.id], ("jobs",)))
    if so_far.prompt_tokens is not None:
        st.caption(f"{so_far.prompt_tokens:,} tokens sent, {so_far.answer_tokens or 0:,} received.")
