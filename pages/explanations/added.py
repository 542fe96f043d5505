"""What explanations add to the pages; what draws it loads when it is looked at."""

from __future__ import annotations

import streamlit as st

from exam_core.analysis.choice import Evaluation
from pages.shared.selection import Selection

LOADED_LATER = ("pages.explanations.why",)
TITLE = "Why is this run here?"
WHAT = "The run's ranking next to another run's, for the query that moves it most. Questions can be switched off."


def draw_run(selection: Selection, choice: Evaluation, run: str) -> None:
    """Why a run is where it is, on a page that shows it otherwise, too: where that is asked for."""
    if st.toggle(TITLE, key="why", help=WHAT, bind="query-params"):
        from pages.explanations import why

        why.draw_rankings(selection, choice, run)


def draw_displaced(selection: Selection, choice: Evaluation, run: str, stands: str) -> bool:
    """Why a displaced run is where it is."""
    from pages.explanations import why

    why.draw_rankings(selection, choice, run, stands=stands)
    return True
