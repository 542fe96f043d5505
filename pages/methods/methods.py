"""Which method, which tau: how well each grading mode agrees with the reference at each tau, and which to use."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from exam_core.wings.comparing.of_figures import residuals_of
from exam_core.wings.comparing.residuals import residuals
from exam_core.wording import METHODS
from pages.methods import by_tau, method_grid
from pages.shared import frame, show
from pages.shared.moved import BY_TAU, RUN_BY_RUN, TABS
from pages.shared.selection import Selection

ALL = "All coefficients"


def graded(chosen: Selection) -> None:
    """Which tau to use, the method grid, and the tabs."""
    tabs: dict[str, Callable[[], object]] = {}
    if chosen.has_taus and (found := by_tau.sweep(chosen)):
        by_tau.which_tau(found, chosen)
        tabs |= {name: partial(draw, found, chosen) for name, draw in by_tau.tabs(chosen).items()}
    notes: list[str] = []
    if chosen.asked.reference is None:
        method_grid.without_reference(chosen)
    else:
        picked, notes = method_grid.pick(chosen, opens=ALL)
        if picked:
            tabs |= {
                ALL: partial(method_grid.coefficients, picked, chosen),
                RUN_BY_RUN: partial(method_grid.run_by_run, chosen, residuals, chosen.snapshot, picked),
            }
    show.notes(notes, expanded=False)
    show.tabs(tabs, key=TABS)


def printed(chosen: Selection) -> None:
    """The printed columns with their coefficients, and the tabs."""
    if chosen.asked.reference is None:
        method_grid.without_reference(chosen)
        return
    column = method_grid.pick_column(chosen)
    st.caption(method_grid.NO_QUERIES)
    tabs: dict[str, Callable[[], object]] = {}
    if column is not None:
        of_print = residuals_of, chosen.figures, column, chosen.asked
        tabs[RUN_BY_RUN] = partial(method_grid.run_by_run, chosen, *of_print)
    tabs[BY_TAU] = partial(by_tau.printed, chosen)
    show.tabs(tabs, key=TABS)


with frame.page(METHODS) as chosen:
    show.choice(chosen)
    (printed if chosen.in_print else graded)(chosen)
