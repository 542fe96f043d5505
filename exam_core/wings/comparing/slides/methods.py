"""The slide of the page of methods: every tau."""

from __future__ import annotations

from exam_core.charts.strips import MANY
from exam_core.defaults import Sampling
from exam_core.errors import UsageError
from exam_core.slides.slide import PageSlide, Slide, Told
from exam_core.store.summary import graded_banks
from exam_core.wings.comparing.analysis.of_figures import cutoffs_of
from exam_core.wings.comparing.charts.tau_curves import cutoffs_figure
from exam_core.wings.comparing.reports.tau_table import SERIES_CUTOFFS, advice, cutoffs_table
from exam_core.wording import METHODS


def cutoffs(told: Told) -> Slide:
    """What each tau trades off, and which held-out queries recommend."""
    if not told.of_grades:
        raise UsageError("Taus need grades: choose a measure of grades, in a collection that has them.")
    found = {
        name: told.ask(cutoffs_of, told.figures, told.asked.but(grader=name, tau=None), Sampling())
        for name in told.view.series
        if name in told.comparison.boards
    }
    first = found[told.first] if told.first in found else next(iter(found.values()))
    tau = told.choice.tau
    names = told.comparison.names
    called = {names.get(name, name): one for name, one in found.items()}
    rows = {name: one.rows for name, one in called.items()}
    coefficient = told.view.own("cutoffs_coefficient", "Kendall").lower()
    one = names.get(told.first, told.first) if len(rows) >= MANY else None
    figure = cutoffs_figure(rows, coefficient=coefficient, tau=tau, measured=told.heading, highlighted=one)
    said = next(iter(advice(first, tau).values()), f"{told.heading} at every tau.")
    table = cutoffs_table(called).dropna(axis="columns", how="all")
    notes = tuple(dict.fromkeys(note for one in found.values() for note in one.notes))
    return told.slide(said, figure, table, SERIES_CUTOFFS, notes=notes)


ROWS = (
    PageSlide(
        METHODS, cutoffs, 60, takes=lambda snapshot: bool(graded_banks(snapshot)), former=("Cutoffs", "Correlation")
    ),
)
