"""What a collection lacks, and the buttons that lead to where it is brought or to a measure that works without."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import streamlit as st

from exam_core.analysis.comparison import note_without_questions
from exam_core.analysis.contents import Lack, What, lacking
from pages.shared import data, doing, naming, show
from pages.shared.selection import Selection

HOLDINGS, GRADING = "pages/collections/collections.py", "pages/grading/grading.py"
BRINGS: dict[What, tuple[str, str, str]] = {
    "runs": ("Add runs", ":material/upload_file:", HOLDINGS),
    "judgments": ("Add judgments", ":material/upload_file:", HOLDINGS),
    "passages": ("Add passage texts", ":material/upload_file:", HOLDINGS),
    "questions": ("Upload a bank", ":material/upload_file:", HOLDINGS),
    "grades": ("Grade or bring grades", ":material/grading:", GRADING),
}
"""Label, icon and page of the button that brings it."""
WITHOUT = "{} holds printed figures, without {}. Choose a collection with {}"
OF_GRADES: tuple[What, ...] = ("passages", "questions", "grades")
"""What grades take."""


def lacks(selection: Selection) -> list[Lack]:
    """What the collection lacks, with all its runs; nothing of printed figures."""
    if selection.in_print:
        return []
    return data.ask(lacking, data.snapshot(selection.snapshot.collection))


def unprinted(selection: Selection, what: str, such: str = "passages, such as demo.", message: str = WITHOUT) -> bool:
    """Whether figures are printed; says then that the page has nothing to show, and which collections have."""
    if selection.in_print:
        show.text(message.format(selection.snapshot.collection, what, such))
    return selection.in_print is not None


def missing(selection: Selection, why: str = "", needed: Collection[What] = tuple(BRINGS)) -> None:
    """The first of what a page needs and the collection lacks: why it is needed, that it is missing, and a button."""
    for first in [lack for lack in lacks(selection) if lack.what in needed][:1]:
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            show.text(f"{why} {first.sentence}".strip())
            brings(first.what, selection, "missing")


def brings(what: What, selection: Selection, of: str) -> None:
    """The button that leads to where something is brought; its key begins with `of`."""
    label, icon, path = BRINGS[what]
    button(label, icon, path, selection, f"{of}_{what}")


def button(
    label: str, icon: str, path: str, selection: Selection, key: str, *, help: str | None = None, **state: str
) -> None:
    """A button to another page, with the chosen collection.

    Parameters
    ----------
    state : values of that page's widgets by their keys; `scrolling.WANTED` is the key of what comes into view
    """
    state = {"collection": selection.snapshot.collection, **state}
    if st.button(label, icon=icon, key=key, help=help, on_click=st.session_state.update, args=(state,)):
        st.switch_page(path, query_params={})  # without them, it would refuse to clear those of widgets


INSTEAD = "P"
"""A measure that every grading mode has."""


def without_questions(modes: Sequence[str], selection: Selection) -> None:
    """The modes in one sentence, and a button that switches the bar to a measure that they have."""
    if not modes:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        show.text(note_without_questions([naming.name(mode) for mode in modes]))
        switch_measure(selection)


def switch_measure(selection: Selection) -> None:
    """A button that switches the bar to a measure of labels."""
    doing.choose(f"Switch to {INSTEAD}@{selection.request.depth}", key="switch_measure", measure=INSTEAD)
