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


def draw(chosen: Selection, edit: Edit) -> None:
    """What changes between the version and the table, under one grader."""
    st.header("What changes")
    snapshot = data.snapshot(chosen.snapshot.collection).without(chosen.snapshot.left_out)
    there = graders_of(snapshot, edit)
    if there:
        index = there.index(chosen.series[0]) if chosen.series and chosen.series[0] in there else 0
        grader = naming.box(st.selectbox, "Grading mode", there, index=index, key=GRADER, help=OF)
        asked = replace(chosen.asked, grader=grader)
        try:
            found = data.ask(effect, snapshot, edit, asked, relevant_from=asked.relevant_from)
        except ExamboardError as error:
            show.problems(str(error).splitlines())
        else:
            _figures(found)
            _runs(found)
            _passages(chosen, found)
            _ungraded([edit.new[key] for key in found.ungraded])
    else:
        show.text("Nobody has graded a question of this bank yet.")
    _grading(chosen, edit)


def _figures(found: Effect) -> None:
    before, after = found.enabled
    show.text(f"{after:,} graded questions count" + (f", {before:,} before." if found.before else "."))
    show.table(found.figures, FIGURES, key="bank_figures")


def _runs(found: Effect) -> None:
    """The runs that move, or all where there was no board before."""
    rows = found.rows
    moved = rows if found.before is None else rows[(rows["change"] != 0) | (rows["rank_change"] != 0)]
    if moved.empty:
        show.text("No run changes.")
        return
    if found.before is not None:
        beyond = int(moved["beyond_chance"].sum())
        places = int((moved["rank_change"] != 0).sum())
        scores = int((moved["change"] != 0).sum())
        show.text(
            f"{counted({'scores': scores})} and {counted({'ranks': places})} change, {beyond or 'none'} significantly."
        )
    names = ["run_id", "rank_before", "rank_after", "mean_before", "mean_after", "change", "beyond_chance"]
    show.table(moved[names], EFFECT, key="bank_runs", export=rows)


def _passages(chosen: Selection, found: Effect) -> None:
    rows = found.relabelled
    if rows.empty:
        show.text("No passage gets another label.")
        return
    show.text(labels_change(len(rows), int(rows["crosses_tau"].sum())))
    first = rows.head(LISTED)
    row = show.table(first, RELABELLED, key="bank_passages", select=True, export=rows)
    told = [f"{one.query_id} {one.doc_id}" for one in first.itertuples()]
    picked = picking.pick("Passage", told, key="bank_passage", clicked=[picking.in_row(told, row)], help=PICK)
    if picked is not None:
        text = data.ask(passage_text, chosen.snapshot, rows["doc_id"][told.index(picked)])
        show.text(text or "Its text is not known.")


def _ungraded(questions: list[Question]) -> None:
    if not questions:
        return
    said = [f"Not graded yet, and so counted as unanswered: {counted({'questions': len(questions)})}."]
    said += [question.text or question.question_id for question in questions[:FIRST]]
    if len(questions) > FIRST:
        said.append(f"and {len(questions) - FIRST:,} more")
    show.problems(said)


def _grading(chosen: Selection, edit: Edit) -> None:
    """Grade what is missing of a version: lexically at once, or by another mode as a job."""
    if edit.base is None or edit.new != edit.old:
        show.text("New and reworded questions can be graded when they are saved.")
        return
    collection, ref = chosen.snapshot.collection, str(BankRef(edit.bank, edit.base))
    if st.button("Grade by words", key="bank_lexical", icon=":material/bolt:", help=LEXICAL, shortcut="Alt+L"):
        order = Order(collection, bank=ref)
        with doing.refusing(REFUSED), data.told("Comparing words") as progress:
            lexical.grade_lexically(data.store(), order, progress=progress)
        st.rerun()
    with st.popover("Grade with a model", icon=":material/grading:"):
        modes = modes_of(data.store())
        mode = fields.ask(st, Order, "mode", choices=list(modes), key="bank_mode")
        model = fields.ask(st, GradingOptions, "model", placeholder=modes[mode].model, key="bank_model")
        order = completed(Order(collection, mode, GradingOptions(model=model), bank=ref), modes)
        st.button("Start a job", key="bank_grade", on_click=_start, args=(order,))
    doing.refused(REFUSED)
    job = next((one for one in newest() if one.id == st.session_state.get(JOB)), None)
    if job is not None:
        runs = partial(_goes_on, job.id)
        job_state.follow(runs(), _job, job.id, running=runs)


def _start(order: Order) -> None:
    with doing.refusing(REFUSED):
        st.session_state[JOB] = job_control.start_job(data.store(), JobRequest(order)).id


def _goes_on(job_id: str) -> bool:
    return next(one for one in newest() if one.id == job_id).progress().state in RUNNING


def _job(job_id: str) -> None:
    """How far the job is."""
    job = next(one for one in newest() if one.id == job_id)
    so_far = job.progress()
    job_state.draw(job, so_far)
    if so_far.message:
        show.problems(so_far.message.splitlines())
