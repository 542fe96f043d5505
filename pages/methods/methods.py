"""Which method, which tau: how well each grading mode agrees with the reference at each tau, and which to use."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from exam_core.wings.comparing.of_figures import residuals_of
from exam_core.wings.comparing.residuals import residuals
from exam_core.wording import METHODS
from pages.methods import by_tau, method_grid
from pages.shared import frame, naming, show
from pages.shared.moved import BY_TAU, RUN_BY_RUN, TABS
from pages.shared.selection import Selection

ALL = "All coefficients"


def graded(selection: Selection) -> None:
    """Which tau to use, the method grid, and the tabs."""
    tabs: dict[str, Callable[[], object]] = {}
    if selection.has_taus and (cutoffs := by_tau.sweep(selection)):
        by_tau.which_tau(cutoffs, selection)
        tabs[BY_TAU] = partial(by_tau.by_tau, cutoffs, selection)
    notes: list[str] = []
    if selection.request.reference is None:
        method_grid.without_reference(selection)
    else:
        picked, notes = method_grid.pick(selection, opens=ALL)
        if picked:
            naming.titles(picked)
            tabs |= {
                ALL: partial(method_grid.coefficients, picked, selection),
                RUN_BY_RUN: partial(method_grid.run_by_run, selection, residuals, selection.snapshot, picked),
            }
    show.notes(notes, expanded=False)
    show.tabs(tabs, key=TABS)


def printed(selection: Selection) -> None:
    """The printed columns with their coefficients, and the tabs."""
    if selection.request.reference is None:
        method_grid.without_reference(selection)
        return
    column = method_grid.pick_column(selection)
    st.caption(method_grid.NO_QUERIES)
    tabs: dict[str, Callable[[], object]] = {}
    if column is not None:
        of_print = residuals_of, selection.figures, column, selection.request
        tabs[RUN_BY_RUN] = partial(method_grid.run_by_run, selection, *of_print)
    tabs[BY_TAU] = partial(by_tau.printed, selection)
    show.tabs(tabs, key=TABS)


with frame.page(METHODS) as selection:
    show.choice(selection)
    (printed if selection.in_print else graded)(selection)
