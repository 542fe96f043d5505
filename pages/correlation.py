"""Correlation: how well each grading mode agrees with the reference, and run by run where it does not (table 3)."""

import streamlit as st

from pages.parts import correlation as parts
from pages.parts import fidelity
from pages.shared import frame, show

with frame.page("Correlation") as chosen:
    first = st.container()
    show.choice(chosen)
    if chosen.asked.reference is None:
        parts.without_reference(chosen)
    else:
        beside, notes = parts.ASKED[chosen.basis](chosen, first)
        if beside is not None:
            rows = chosen.shown(beside.rows)
            parts.scatter(beside, rows)
            parts.slopes(beside, rows)
            parts.runs(beside, rows)
            notes = [*notes, *beside.notes]
        show.notes(notes)
    fidelity.view(chosen)
