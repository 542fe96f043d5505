"""What an edit of a bank does: figures, runs that move, labels that change, what is not graded."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from exam_core.actions import job_control, lexical
from exam_core.analysis.other_labels import RELABELLED
from exam_core.errors import ExamboardError
from exam_core.grading.modes.known import modes_of
from exam_core.grading.options import GradingOptions
from exam_core.jobs.ordering import JobRequest, Order, completed
from exam_core.jobs.records import RUNNING
from exam_core.question import Question
from exam_core.store.evidence import passage_text
from exam_core.store.names import BankRef
from exam_core.wings.banks.effect import EFFECT, FIGURES, Edit, Effect, effect, graders_of
from exam_core.wording import counted, labels_change
from pages.parts import job_state
from pages.parts.job_form import newest
from pages.shared import data, doing, fields, naming, picking, show
from pages.shared.selection import Selection

GRADER, JOB, REFUSED = "bank_grader", "bank: the job that grades", "bank: why it can't be graded"
LEXICAL = (
    "Grades missing pairs by the words that passage and question (or answer key) share: at once, without a model, for "
    "a first look at an edit."
)
LISTED, FIRST = 300, 3
"""Passages that the table and the box list, and questions without a grade that are named."""
OF = "The grading mode whose grades show the effect of the edit."
PICK = "The passage whose text is shown. Click a row of the table."


def draw(selection: Selection, edit: Edit) -> None:
    """What changes between the version and the table, under one grader."""
    st.header("What changes")
    snapshot = data.snapshot(selection.snapshot.collection).without(selection.snapshot.left_out)
    known = graders_of(snapshot, edit)
    if known:
        index = known.index(selection.series[0]) if selection.series and selection.series[0] in known else 0
        grader = naming.box(st.selectbox, "Grading mode", known, index=index, key=GRADER, help=OF)
        request = replace(selection.request, grader=grader)
        try:
            result = data.ask(effect, snapshot, edit, request, relevant_from=request.relevant_from)
        except ExamboardError as error:
            show.problems(str(error).splitlines())
        else:
            _figures(result)
            _runs(result)
            _passages(selection, result)
            _ungraded([edit.new[key] for key in result.ungraded])
    else:
        show.text("Nobody has graded a question of this bank yet.")
    _grading(selection, edit)


def _figures(result: Effect) -> None:
    before, after = result.enabled
    show.text(f"{after:,} graded questions count" + (f", {before:,} before." if result.before else "."))
    show.table(result.figures, FIGURES, key="bank_figures")


def _runs(result: Effect) -> None:
    """The runs that move, or all where there was no board before."""
    rows = result.rows
    moved = rows if result.before is None else rows[(rows["change"] != 0) | (rows["rank_change"] != 0)]
    if moved.empty:
        show.text("No run changes.")
        return
    if result.before is not None:
        beyond = int(moved["beyond_chance"].sum())
        places = int((moved["rank_change"] != 0).sum())
        scores = int((moved["change"] != 0).sum())
        show.text(
            f"{counted({'scores': scores})} and {counted({'ranks': places})} change, {beyond or 'none'} significantly."
        )
    names = ["run_id", "rank_before", "rank_after", "mean_before", "mean_after", "change", "beyond_chance"]
    show.table(moved[names], EFFECT, key="bank_runs", export=rows)


def _passages(selection: Selection, result: Effect) -> None:
    rows = result.relabelled
    if rows.empty:
        show.text("No passage gets another label.")
        return
    show.text(labels_change(len(rows), int(rows["crosses_tau"].sum())))
    first = rows.head(LISTED)
    row = show.table(first, RELABELLED, key="bank_passages", select=True, export=rows)
    sentences = [f"{item.query_id} {item.doc_id}" for item in first.itertuples()]
    picked = picking.pick("Passage", sentences, key="bank_passage", clicked=[picking.in_row(sentences, row)], help=PICK)
    if picked is not None:
        text = data.ask(passage_text, selection.snapshot, rows["doc_id"][sentences.index(picked)])
        show.text(text or "Its text is not known.")


def _ungraded(questions: list[Question]) -> None:
    if not questions:
        return
    sentences = [f"Not graded yet, and so counted as unanswered: {counted({'questions': len(questions)})}."]
    sentences += [question.text or question.question_id for question in questions[:FIRST]]
    if len(questions) > FIRST:
        sentences.append(f"and {len(questions) - FIRST:,} more")
    show.problems(sentences)


def _grading(selection: Selection, edit: Edit) -> None:
    """Grade what is missing of a version: lexically at once, or by another mode as a job."""
    if edit.base is None or edit.new != edit.old:
        show.text("New and reworded questions can be graded when they are saved.")
        return
    collection, ref = selection.snapshot.collection, str(BankRef(edit.bank, edit.base))
    if st.button("Grade by words", key="bank_lexical", icon=":material/bolt:", help=LEXICAL, shortcut="Alt+L"):
        order = Order(collection, bank=ref)
        with doing.refusing(REFUSED), data.report_progress("Comparing words") as progress:
            lexical.grade_lexically(data.store(), order, progress=progress)
        st.rerun()
    with st.popover("Grade with a model", icon=":material/grading:"):
        modes = modes_of(data.store())
        mode = fields.ask(st, Order, "mode", choices=list(modes), key="bank_mode")
        model = fields.ask(st, GradingOptions, "model", placeholder=modes[mode].model, key="bank_model")
        order = completed(Order(collection, mode, GradingOptions(model=model), bank=ref), modes)
        st.button("Start a job", key="bank_grade", on_click=_start, args=(order,))
    doing.refused(REFUSED)
    job = next((item for item in newest() if item.id == st.session_state.get(JOB)), None)
    if job is not None:
        runs = partial(_goes_on, job.id)
        job_state.follow(runs(), _job, job.id, running=runs)


def _start(order: Order) -> None:
    with doing.refusing(REFUSED):
        st.session_state[JOB] = job_control.start_job(data.store(), JobRequest(order)).id


def _goes_on(job_id: str) -> bool:
    return next(job for job in newest() if job.id == job_id).progress().state in RUNNING


def _job(job_id: str) -> None:
    """How far the job is."""
    job = next(item for item in newest() if item.id == job_id)
    so_far = job.progress()
    job_state.draw(job, so_far)
    if so_far.message:
        show.problems(so_far.message.splitlines())
