"""Whether a grader agrees with itself, a part of Reliability; and how alike graders are, a part of Agreement."""

from __future__ import annotations

import streamlit as st

from exam_core.defaults import DRAWS, SEED
from exam_core.store.summary import graders
from exam_core.wings.judges import alike as likeness
from exam_core.wings.judges import repeats as repetition
from exam_core.wings.judges.repeats import repeats, repetitions
from pages.shared import data, naming, show
from pages.shared.selection import Selection

NAMED = "Grades of one prompt and model, given again. By default the most that this collection has."
COMPARED = "Whose grades are compared: passage by passage, or question by question where modes answer questions."
ALONE = "One grading mode alone has none to be compared with. Grade with another one, or import labels."
NONE = (
    "No two grading modes here have the same prompt and model. Grade again under another name, with another seed or "
    "temperature, or on a later day, and compare them here. Where a server gave several "
    "answers to each prompt, start the job anew with *the last one alone* as *Their grade*: nothing is asked again."
)


def repeated(selection: Selection) -> None:
    """How far repetitions agree, how many grades move across tau, and what that does to the board."""
    snapshot = selection.snapshot
    first = data.ask(repetitions, snapshot)
    known = graders(snapshot)
    if len(known) < 2:
        st.info(NONE)
        return
    picked = naming.box(st.multiselect, "Repetitions", known, default=first, key="repetitions", help=NAMED)
    if len(picked) < 2:
        st.info(NONE)
        return
    request = selection.request.but(grader=None, own_taus=())
    result = data.ask_slowly("Comparing repetitions", repeats, snapshot, request, tuple(picked), draws=DRAWS, seed=SEED)
    for sentence in repetition.repeats_sentences(result, snapshot):
        show.text(naming.sentence(sentence))
    show.chart(repetition.repeats_figure(result, snapshot), key="repeats_chart")
    show.table(result.rows, repetition.ROWS, key="repeats_rows")
    show.notes(result.notes)


def side_by_side(selection: Selection) -> None:
    """How alike the collection's grading modes grade."""
    snapshot = selection.snapshot
    known = graders(snapshot)
    picked = naming.box(st.multiselect, "Grading modes", known, default=known, key="alike", help=COMPARED)
    if len(picked) < 2:
        st.info(ALONE if len(known) < 2 else "Choose two grading modes or more.")
        return
    result = data.ask_slowly("Comparing grading modes", likeness.alike, snapshot, tuple(picked))
    for sentence in likeness.alike_sentences(result, snapshot):
        show.text(naming.sentence(sentence))
    show.chart(likeness.alike_figure(result, snapshot), key="alike_chart")
    show.table(result.rows, likeness.ROWS, key="alike_rows")
    show.notes(result.notes)
