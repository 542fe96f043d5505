"""What the page Grading shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from exam_core import actions
from exam_core.analysis.holdings.needs import has_texts
from exam_core.charts.ratings import ratings_alternative, ratings_figure
from exam_core.errors import ExamboardError
from exam_core.grading.reasons import missing_sentences
from exam_core.jobs import ordering, outcomes, watching
from exam_core.jobs.order import Order, Request
from exam_core.jobs.progress import RUNNING, JobProgress
from exam_core.jobs.records import Job
from pages.parts import gullibility, job_form, job_state, names, next_steps, probe_form
from pages.parts.job_form import GRADER, JOB, LISTED, newest, start
from pages.shared import data, naming, picking, show, steps, visiting, words
from pages.shared.chosen import Chosen

EVERY = 2.0
"""Seconds after which what a running job changes is shown anew."""
OF = "grading_of"
GOES_ON = "grading: why it can't stop"
ANSWER = 300
"""Characters of an unreadable answer that are shown; its export has all."""
STOP = "The job stops within seconds; its answers are kept."
STOP_BATCHES = f"{STOP} Its batches go on at the server, at your cost, until somebody ends them or the job goes on."
ENDS_BATCHES = "Its batches go on at the server, at your cost. To end them:"
PAUSED = "Starts a job that reads the stored answers again. Another reading gives the grades another name."
GO_ON = "Starts the same command again. Nothing is graded twice."
PICK = f"{words.ROW} {watching.JOBS['job'].help}"
GRADED_BY = "Grading mode whose grades of the chosen bank, or labels of whole passages, are shown."
HIDDEN = "Command and log name files and servers, so only users who may start jobs see them."
IN_PART = f"The model's answer, its first {ANSWER} characters; the export has all."


def watched() -> bool:
    """Whether some job runs, so that the page must follow it."""
    return bool(watching.running(newest()))


def follow(watched: bool, draw: Callable[..., None], *arguments: Any) -> None:
    """Draw a part of the page; while a job runs, again and again by itself."""
    st.fragment(draw, run_every=EVERY if watched else None)(*arguments)


def draw(chosen: Chosen) -> None:
    """Graded so far, what could be, and what came out; no form where no passage has a text that could be graded."""
    seen = watched()
    if steps.unprinted(chosen, "passages to grade"):
        follow(seen, jobs, seen)
        return
    next_steps.draw(chosen)
    if not chosen.about["graders"] and not data.ask(has_texts, data.snapshot(chosen.snapshot.collection)):
        follow(seen, jobs, seen)
        return
    follow(seen, graders, chosen)
    names.draw(chosen)
    job_form.draw(chosen)
    follow(seen, jobs, seen)
    outcome, gullible = st.tabs(["Outcomes", "Gullibility"])
    with outcome:
        follow(seen, results, chosen)
    with gullible:
        follow(seen, gullibility.draw, chosen)
        probe_form.draw(chosen)


def graders(chosen: Chosen) -> None:
    """How far each grader is in the chosen collection and bank."""
    held = data.ask(outcomes.held, data.snapshot(chosen.snapshot.collection), chosen.bank_name)
    st.header("Graded so far")
    asked = f", bank {chosen.bank_name}" if chosen.asked.bank else ""
    if held.empty:
        show.text(f"Nobody graded {chosen.snapshot.collection}{asked} yet.")
        return
    show.text(f"{chosen.snapshot.collection}{asked}:")
    st.caption(outcomes.EVERY_RANK)
    show.table(held, outcomes.HELD, key="grading_held")


def jobs(watched: bool) -> None:
    """The jobs of the store, newest first, and one of them.

    Parameters
    ----------
    watched : whether some job ran when the page was drawn; where that changes, the whole page changes
    """
    found = newest()
    if bool(watching.running(found)) != watched:
        st.rerun()
    if data.store().is_file:
        return
    st.header("Jobs")
    if not found:
        show.text("No job was started yet, neither here nor on the command line.")
        return
    rows = watching.table(found)
    ids = [job.id for job in found]
    picking.keep_row(ids, key=JOB, table="grading_jobs", given=tuple(ids))
    told = [name for name in watching.JOBS.names if name != "arguments" or visiting.allowed("edit", told=False)]
    row = show.table(
        rows[told], watching.JOBS.changed(job={"help": PICK}).ordered(*told), key="grading_jobs", select=True
    )
    if len(found) == LISTED:
        st.caption(f"The newest {LISTED} jobs; all are listed by: examboard jobs")
    picked = picking.pick("Job", ids, key=JOB, clicked=[None if row is None else ids[row]], help=PICK)
    _job(next(job for job in found if job.id == picked))


def _job(job: Job) -> None:
    so_far = job.progress()
    job_state.draw(job, so_far)
    if not visiting.allowed("edit", told=False):
        st.caption(HIDDEN)
        return
    if so_far.message:
        show.problems(so_far.message.splitlines())
    told(job, so_far)
    if not job.arguments:
        return
    with st.container(horizontal=True):
        buttons(job, so_far)
    if refused := st.session_state.pop(GOES_ON, None):
        show.problems([refused])
    show.command(ordering.command(job.arguments, job.words))
    said = watching.last_lines(job.log)
    if said:
        st.caption("Log")
        st.code(said, language=None, wrap_lines=True, height=320 if said.count("\n") > 12 else "content")


def told(job: Job, so_far: JobProgress) -> None:
    """Why answers are missing and what helps, what the tokens were, and how the server had to be asked."""
    for sentence in (*missing_sentences(so_far.reasons, so_far.examples), *so_far.notes):
        show.text(sentence)
    if so_far.reasons:
        st.caption("To list the missing grades:")
        show.command(ordering.command(["--missing", job.id], ("jobs",)))
    if _sends_batches(job) and so_far.state not in (*RUNNING, "done"):
        st.caption(ENDS_BATCHES)
        show.command(ordering.command(["--cancel", job.id], ("jobs",)))
    if so_far.prompt_tokens is not None:
        st.caption(f"{so_far.prompt_tokens:,} tokens sent, {so_far.answer_tokens or 0:,} answered.")


def _sends_batches(job: Job) -> bool:
    return job.request is not None and job.request.order.options.batch


def buttons(job: Job, so_far: JobProgress) -> None:
    """To stop it, or to go on with it."""
    if so_far.state in RUNNING:
        st.button(
            "Stop",
            key="grading_stop",
            icon=":material/stop:",
            help=STOP_BATCHES if _sends_batches(job) else STOP,
            disabled=job.stopping,
            on_click=_stop,
            args=(job,),
        )
    elif so_far.state == "paused" and (request := job.request) and isinstance(request.order, Order):
        _buttons_of_a_pause(request, so_far.reads)
    elif so_far.state != "done":
        st.button(
            "Go on",
            key="grading_go_on",
            icon=":material/resume:",
            help=GO_ON,
            on_click=start,
            args=(job,),
        )


def _buttons_of_a_pause(request: Any, reads: str) -> None:
    """To go on as it is, or with the reading that reads more."""
    changes: dict[str, dict[str, Any]] = {"Go on as it is": {"go_on": True}}
    if reads:
        changes = {f"Read as {reads}": {"reading": reads, "unreadable": "null"}} | changes
    for label, change in changes.items():
        st.button(
            label,
            key=f"grading_pause_{next(iter(change))}",
            icon=":material/resume:",
            help=PAUSED,
            on_click=start,
            args=(again(request, **change),),
        )


def again(request: Any, **change: Any) -> Any:
    """The same request, of an order that differs in something."""
    order = replace(request.order, **change)
    return Request(order) if isinstance(request, Request) else replace(request, order=order)


def _stop(job: Job) -> None:
    """Ask a job to stop; for a button's callback."""
    try:
        actions.stop_job(job)
    except ExamboardError as error:
        st.session_state[GOES_ON] = str(error)
    except OSError as error:
        st.session_state[GOES_ON] = f"{error.filename}: {error.strerror}. The job was not asked to stop."


def results(chosen: Chosen) -> None:
    """The grades of one grader, and its answers that could not be read."""
    snapshot = data.snapshot(chosen.snapshot.collection)
    held = data.ask(outcomes.held, snapshot, chosen.bank_name)["grader_id"].tolist()
    if not held:
        show.text("There are no grades yet.")
        return
    if (coming := st.session_state.get(GRADER)) in held:
        st.session_state[OF], st.session_state[GRADER] = coming, None
    grader = naming.box(st.selectbox, "Grading mode", held, key=OF, help=GRADED_BY)
    rows = data.ask(outcomes.ratings, snapshot, grader, chosen.bank_name)
    show.chart(ratings_figure(rows), key="grading_ratings", alt=f"{naming.name(grader)}. {ratings_alternative(rows)}")
    *_, unread = rows.itertuples()
    show.text(f"{unread.count:,} of {rows['count'].sum():,} grades are unreadable ({unread.share:.1%}).")
    if not unread.count:
        return
    show.table(data.ask(outcomes.reasons, snapshot, grader, chosen.bank_name), outcomes.REASONS, key="grading_reasons")
    answers = data.ask(outcomes.unreadable_answers, snapshot, grader, chosen.bank_name)
    more = f"; the first {len(answers):,}" if len(answers) == outcomes.LISTED else ""
    st.caption(f"Its unreadable answers, the most frequent first{more}.")
    show.table(
        answers.assign(answer=[text if len(text) <= ANSWER else f"{text[:ANSWER]}…" for text in answers["answer"]]),
        outcomes.ANSWERS.changed(answer={"help": IN_PART}),
        key="grading_unreadable_answers",
        export=answers,
    )
