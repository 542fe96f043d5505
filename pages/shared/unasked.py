"""Grading modes that have no value under a measure of questions: said once, with a way on."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from exam_core.analysis.comparison import note_without_questions
from pages.shared import doing, naming, show
from pages.shared.selection import Selection

INSTEAD = "P"
"""A measure that every grading mode has."""


def draw(modes: Sequence[str], selection: Selection) -> None:
    """The modes in one sentence, and a button that switches the bar to a measure that they have."""
    if not modes:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        show.text(note_without_questions([naming.name(mode) for mode in modes]))
        switch(selection)


def switch(selection: Selection) -> None:
    """A button that switches the bar to a measure of labels."""
    doing.choose(f"Switch to {INSTEAD}@{selection.request.depth}", key="switch_measure", measure=INSTEAD)
