"""The live page, made of the choice on screen."""

from __future__ import annotations

from datetime import date

import streamlit as st

from exam_core.errors import ExamboardError
from exam_core.hiding import telling_words
from exam_core.progress import Progress
from exam_core.store import Snapshot
from exam_core.store.summary import run_ids
from exam_core.wings.live.cube import axes_of, cube, data_in_words, first_of
from exam_core.wings.live.live_page import live_page
from exam_core.wings.live.passages import passages
from exam_core.wording import without_commands
from pages.shared import data, share_and_export
from pages.shared.boxes import escaped
from pages.shared.selection import Selection

TEXTS = "With the passages of each run"
TEXTS_HELP = (
    "Adds the texts that the runs returned within the depth, with their grades and the questions. Anyone who has the "
    "file can read them: check that their licence allows this."
)
SHOWN = {"re-normalised": "normalised", "raw": "raw", "ranks": "ranks"}
"""What the live page calls what its chart shows."""
MADE = "live page that was made"
"""In the session, what it was made of, and its text."""


def draw_shared(selection: Selection, address: str) -> None:
    """The button that makes the live page; where nothing is computed, nothing could be chosen in it."""
    if not selection.figures.of_grades(selection.request):
        return
    if selection.request.groups == "yes":
        st.caption(escaped("No live page: it has runs by themselves, not groups of runs."))
        return
    has_texts = st.checkbox(TEXTS, key="live_texts", help=TEXTS_HELP)
    wanted = (selection, has_texts)
    of, text = st.session_state.get(MADE, (None, ""))
    if of != wanted:
        if not st.button("Make the live page (HTML)", key="make_live", type="tertiary"):
            return
        try:
            with data.report_progress("Computing") as progress:
                text = page(selection, address, progress, has_texts=has_texts)
        except ExamboardError as error:
            st.caption(escaped(f"No live page: {without_commands(str(error))}"))
            return
        st.session_state[MADE] = (wanted, text)
    share_and_export.save("Save the live page (HTML)", text, "live.html", "text/html")


def _snapshot(selection: Selection) -> Snapshot:
    """The collection, not even naming the runs that are left out."""
    return selection.snapshot.without(selection.snapshot.left_out, named=False)


def page(selection: Selection, address: str, progress: Progress, *, has_texts: bool = False) -> str:
    """The live page of the grading modes and the measure on screen, and the usual measures, which opens with them."""
    request, snapshot = selection.request, _snapshot(selection)
    references = [request.reference] if request.reference else ()
    axes = axes_of(snapshot, request, selection.series, (), references).with_measure(snapshot, request.measure)
    first = first_of(snapshot, request, axes) | {
        "view": SHOWN[selection.view],
        "order": "own" if selection.own_order else "reference",
        "runs": telling_words(st.session_state.get("runs", ""), run_ids(snapshot)) if selection.hidden else "",
    }
    facts = {"Data": data_in_words(snapshot), "Dashboard": address, "Made": date.today().isoformat()}
    if snapshot.left_out:
        del facts["Dashboard"]  # it names them
    result = cube(snapshot, request, axes, progress=progress)
    return live_page(result, first, facts, passages(result) if has_texts else None)
