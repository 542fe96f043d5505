"""What is missing of a collection for more than it shows, each with the buttons that bring it."""

from __future__ import annotations

import streamlit as st

from exam_core.actions import lexical
from exam_core.analysis.contents import has_texts
from exam_core.errors import ExamboardError
from exam_core.grading.modes.papers import MODES
from exam_core.grading.options import GradingOptions
from exam_core.jobs import ordering
from exam_core.jobs.ordering import JobRequest, Order
from exam_core.wording import counted, duration
from pages.parts.job_form import HERE, newest
from pages.shared import data, scrolling, show, steps, visiting, wings
from pages.shared.selection import Selection

SAID, DONE = "next steps: what was graded", "graded_by_words"
AFTER = "Add passage texts and questions first."
LEXICAL = "Compares words of questions and passages: done in seconds, without a model."
MODEL = "FLAN-T5 or another model on this machine. Plan on that page measures how long it takes."


def draw(selection: Selection) -> None:
    """The list; nothing where nothing is missing."""
    _done(selection)
    lacks = steps.lacks(selection)
    if not lacks:
        return
    st.header("Next steps")
    for lack in lacks:
        with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"lacks_{lack.what}"):
            show.text(lack.sentence)
            if not visiting.allowed("edit", text=False):
                continue
            if lack.what == "grades":
                _grades(selection)
            else:
                steps.brings(lack.what, selection, "add")
            wings.draw("draw_lack", lack, selection)


def _grades(selection: Selection) -> None:
    """The ways to grades: at once by words, by a model here, on a server, on another machine, or from a file."""
    if selection.about["banks"] and data.ask(has_texts, data.snapshot(selection.snapshot.collection)):
        if st.button("Grade by words, at once", icon=":material/bolt:", key="grade_by_words", help=LEXICAL):
            _grade_by_words(selection)
        label = f"Grade here{_planned(selection)}"
        state = {"grading_by": HERE, scrolling.WANTED: "grading_by"}
        steps.button(label, ":material/computer:", steps.GRADING, selection, "grade_here", help=MODEL, **state)
        for name, own in wings.backends().items():
            label, about = own.step
            state = {"grading_by": name, scrolling.WANTED: "grading_by"}
            steps.button(label, own.icon, steps.GRADING, selection, f"grade_by_{name}", help=about, **state)
        with st.popover("Command for a GPU machine", icon=":material/terminal:", key="grade_elsewhere"):
            first, collection = next(iter(MODES)), selection.snapshot.collection
            order = Order(collection, first, GradingOptions(device="cuda"), bank=selection.bank_name)
            show.command(ordering.command(ordering.arguments(JobRequest(ordering.completed(order)))))
    else:
        st.caption(AFTER)
    steps.button("Upload grades", ":material/upload_file:", steps.HOLDINGS, selection, "add_grades")


def _planned(selection: Selection) -> str:
    """How long the newest plan of the collection says that a model takes on this machine; empty without one."""
    for job in newest():
        request, left = job.request, job.progress().left
        here = selection.snapshot.collection
        if isinstance(request, JobRequest) and request.plan and request.order.collection == here:
            device = request.order.options.device
            where = "this machine" if device == "auto" else device.upper()
            return f": {where}, about {duration(left)}" if left else ""
    return ""


def _grade_by_words(selection: Selection) -> None:
    """Grade by shared words and say so; the page is drawn anew with the grades."""
    order = Order(selection.snapshot.collection, bank=selection.bank_name)
    try:
        with data.report_progress("Comparing words") as progress:
            done = lexical.grade_lexically(data.store(), order, progress=progress)
    except ExamboardError as error:
        show.problems([str(error)])
        return
    st.session_state[SAID] = order.collection, done.done
    scrolling.to(DONE)
    st.rerun()


def _done(selection: Selection) -> None:
    """What was graded last, until another collection is looked at."""
    collection, n = st.session_state.get(SAID, ("", 0))
    if collection == selection.snapshot.collection:
        with st.container(border=True, horizontal=True, vertical_alignment="center", key=DONE):
            show.text(f"Done: {counted({'grades': n})} by shared words.")
            board = "pages/leaderboard/leaderboard.py"
            steps.button("See the leaderboard", ":material/leaderboard:", board, selection, "graded_board")
