"""Slides of the page of methods: every tau, and runs beside the reference."""

from __future__ import annotations

from dataclasses import replace

from exam_core.analysis.contents.requirements import is_graded
from exam_core.charts.strips import MANY
from exam_core.defaults import Sampling
from exam_core.errors import UsageError
from exam_core.slides.slide import PageSlide, Slide, Told
from exam_core.store.summary import graded_banks
from exam_core.wings.comparing.analysis.of_figures import cutoffs_of, residuals_of
from exam_core.wings.comparing.analysis.residuals import Residuals
from exam_core.wings.comparing.charts.reference_scatter import farthest, scatter_figure
from exam_core.wings.comparing.charts.tau_curves import cutoffs_figure
from exam_core.wings.comparing.reports.tau_table import SERIES_CUTOFFS, advice, cutoffs_table
from exam_core.wording import METHODS, plain_number, reference_in_words


def methods(told: Told) -> Slide:
    """What each tau trades off; where nothing can be cut, runs beside the reference."""
    cut = told.of_grades and is_graded(told.figures.snapshot)
    return (cutoffs if cut else correlation)(told)


def cutoffs(told: Told) -> Slide:
    """What each tau trades off, and which held-out queries recommend."""
    if not told.of_grades:
        raise UsageError("Taus need grades: choose a measure of grades, in a collection that has them.")
    found = {
        name: told.ask(cutoffs_of, told.figures, told.asked, Sampling(), series=name)
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
    if len(called) > 1:
        said = f"{names.get(told.first, told.first)}: {said[0].lower()}{said[1:]}"
    table = cutoffs_table(called).dropna(axis="columns", how="all")
    notes = tuple(dict.fromkeys(note for one in found.values() for note in one.notes))
    return told.slide(said, figure, table, SERIES_CUTOFFS, notes=notes)


def correlation(told: Told) -> Slide:
    """Scores against the reference, of the method that was picked; the runs farthest from the line are named."""
    told = _of_picked_method(told)
    beside = _beside(told)
    points = told.shown(beside.rows)
    table, declared = beside.table(points)
    far = farthest(beside.rows.dropna(subset=["residual"]), "residual")[:1]
    residual = beside.rows.set_index("run_id")["residual"]
    named = "".join(
        f" {run} is farthest from the line, {abs(residual[run]):.2f} {'above' if residual[run] > 0 else 'below'} it."
        for run in far
    )
    ticks = told.ticks()
    said = f"{told.method} beside {reference_in_words(beside.reference)}."
    if "Kendall" in ticks:
        said = f"{told.agreed(ticks['Kendall'], beside.reference)}."
    figure = scatter_figure(points, **beside.axes, of_ranks=beside.of_ranks, identity=beside.identity)
    return told.slide(f"{said}{named}", figure, table, declared, ticks=ticks, notes=tuple(beside.notes))


def _beside(told: Told) -> Residuals:
    series = told.view.own("correlation_column") or told.first  # of printed columns, the one that was picked
    return told.ask(residuals_of, told.figures, series, told.asked, raw=told.view.raw)


def _of_picked_method(told: Told) -> Told:
    """Of a view of Correlation in which a method or a measure was picked: with that as what is evaluated.

    Raises UsageError where the collection has no such method.
    """
    line, measure = told.view.own("correlation_method"), told.view.own("correlation_measure")
    view = told.view
    if measure:
        view = replace(view, asked=view.asked.but(measure=measure))
    if line:
        named, _, tau = line.rpartition("tau ")
        mode = named.rstrip(", ")
        bank = (view.asked.bank or "").partition("@")[0]
        known = {name: name for name in told.figures.series()} | {f"{bank}, {n}": n for n in told.figures.series()}
        at = plain_number(tau)
        if mode not in known or at is None:
            raise UsageError(f"The method {line} can't be shown as a slide: choose a grading mode and its tau.")
        view = replace(view, series=(known[mode],), asked=view.asked.at(known[mode], at))
    return replace(told, view=view)


ROWS = (
    PageSlide(METHODS, methods, 60, former=("Cutoffs", "Which method, which tau?")),
    PageSlide(
        "Correlation",
        correlation,
        70,
        takes=lambda snapshot: bool(graded_banks(snapshot)),
        part_of=METHODS,
        tabs=("methods_part", ("All coefficients", "Run by run")),
    ),
)
