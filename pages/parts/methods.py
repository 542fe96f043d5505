"""What the page Which method, which tau? shows: the answer, the method grid, and a tab for each way to look further."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.parts import correlation, cutoffs
from pages.shared import show
from pages.shared.chosen import Chosen
from pages.shared.moved import BY_TAU, RUN_BY_RUN, TABS

ALL = "All coefficients"


def graded(chosen: Chosen) -> None:
    """Which tau to use, the method grid, and the tabs."""
    tabs: dict[str, Callable[[], None]] = {}
    if chosen.of_grades and not chosen.by_judgments and (found := cutoffs.sweep(chosen)):
        cutoffs.which_tau(found, chosen)
        tabs |= {name: partial(draw, found, chosen) for name, draw in cutoffs.tabs(chosen).items()}
    notes: list[str] = []
    if chosen.asked.reference is None:
        correlation.without_reference(chosen)
    else:
        picked, notes = correlation.pick(chosen, opens=ALL)
        if picked:
            tabs |= {
                ALL: partial(correlation.coefficients, picked, chosen),
                RUN_BY_RUN: partial(correlation.run_by_run, picked, chosen),
            }
    show.tabs(tabs, key=TABS)
    show.notes(notes, expanded=False)


def printed(chosen: Chosen) -> None:
    """The printed columns with their coefficients, and the tabs."""
    if chosen.asked.reference is None:
        correlation.without_reference(chosen)
        return
    column = correlation.pick_column(chosen)
    st.caption(correlation.NO_QUERIES)
    tabs: dict[str, Callable[[], None]] = {}
    if column is not None:
        tabs[RUN_BY_RUN] = partial(correlation.printed_runs, column, chosen)
    show.tabs(tabs | {BY_TAU: partial(cutoffs.printed, chosen)}, key=TABS)
