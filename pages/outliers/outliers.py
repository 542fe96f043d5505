"""Outliers: which runs stand elsewhere than the reference has them, and why."""

import streamlit as st

from pages.outliers import outlying as parts
from pages.shared import frame, show, wings

with frame.page("Outliers") as selection:
    # The sentence is computed from the controls below it.
    head, controls = st.container(), st.container(horizontal=True, gap="medium", vertical_alignment="bottom")
    with controls:
        choices, outliers = parts.displaced(selection)
    with head:
        parts.verdict(outliers, selection)
    shown = parts.visible(outliers, selection)
    clicked = parts.chart(shown, controls, selection)
    run, method = parts.pick(outliers, clicked)
    parts.explanation(outliers, choices, run, method, selection)
    parts.figures(shown, choices, run, method)
    show.notes(outliers.notes, expanded=False)
    wings.draw("draw_outliers", selection, choices, outliers)
