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


def draw(chosen: Selection) -> None:
    """The list; nothing where nothing is missing."""
    _said(chosen)
    found = steps.lacks(chosen)
    if not found:
        return
    st.header("Next steps")
    for one in found:
        with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"lacks_{one.what}"):
            show.text(one.sentence)
            if not visiting.allowed("edit", told=False):
                continue
            if one.what == "grades":
                _grades(chosen)
            else:
                steps.brings(one.what, chosen, "add")
            wings.draw("draw_lack", one, chosen)


def _grades(chosen: Selection) -> None:
    """The ways to grades: at once by words, by a model here, on a server, on another machine, or from a file."""
    if chosen.about["banks"] and data.ask(has_texts, data.snapshot(chosen.snapshot.collection)):
        lexically = st.button("Grade by words, at once", icon=":material/bolt:", key="grade_by_words", help=LEXICAL)
        if lexically:
            _lexically(chosen)
        here = f"Grade here{_planned(chosen)}"
        state = {"grading_by": HERE, scrolling.WANTED: "grading_by"}
        steps.button(here, ":material/computer:", steps.GRADING, chosen, "grade_here", help=MODEL, **state)
        for name, own in wings.backends().items():
            label, about = own.step
            state = {"grading_by": name, scrolling.WANTED: "grading_by"}
            steps.button(label, own.icon, steps.GRADING, chosen, f"grade_by_{name}", help=about, **state)
        with st.popover("Command for a GPU machine", icon=":material/terminal:", key="grade_elsewhere"):
            show.command(_elsewhere(chosen))
    else:
        st.caption(AFTER)
    steps.button("Upload grades", ":material/upload_file:", steps.HOLDINGS, chosen, "add_grades")


def _elsewhere(chosen: Selection) -> str:
    """The command that grades on a machine with a GPU, which has the store."""
    first, collection = next(iter(MODES)), chosen.snapshot.collection
    order = ordering.completed(Order(collection, first, GradingOptions(device="cuda"), bank=chosen.bank_name))
    return ordering.command(ordering.arguments(JobRequest(order)))


def _planned(chosen: Selection) -> str:
    """How long the newest plan of the collection says that a model takes on this machine; empty without one."""
    for job in newest():
        wanted, so_far = job.request, job.progress()
        if isinstance(wanted, JobRequest) and wanted.plan and wanted.order.collection == chosen.snapshot.collection:
            where = wanted.order.options.device.upper() if wanted.order.options.device != "auto" else "this machine"
            return f": {where}, about {duration(so_far.left)}" if so_far.left else ""
    return ""


def _lexically(chosen: Selection) -> None:
    """Grade by shared words and say so; the page is drawn anew with the grades."""
    order = Order(chosen.snapshot.collection, bank=chosen.bank_name)
    try:
        with data.told("Comparing words") as progress:
            done = lexical.grade_lexically(data.store(), order, progress=progress)
    except ExamboardError as error:
        show.problems([str(error)])
        return
    st.session_state[SAID] = order.collection, done.done
    scrolling.to(DONE)
    st.rerun()


def _said(chosen: Selection) -> None:
    """What was graded last, until another collection is looked at."""
    collection, n = st.session_state.get(SAID, ("", 0))
    if collection == chosen.snapshot.collection:
        with st.container(border=True, horizontal=True, vertical_alignment="center", key=DONE):
            show.text(f"Done: {counted({'grades': n})} by shared words.")
            steps.button(
                "See the leaderboard",
                ":material/leaderboard:",
                "pages/leaderboard/leaderboard.py",
                chosen,
                "graded_board",
            )
