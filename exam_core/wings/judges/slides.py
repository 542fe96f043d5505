"""Slides across collections, of repetitions of a grader's work, and of how alike grading modes are."""

from __future__ import annotations

from exam_core.defaults import DRAWS, SEED
from exam_core.errors import UsageError
from exam_core.slides.slide import PageSlide, Slide, SlideContext
from exam_core.store.summary import graders
from exam_core.wings.judges import across, alike, repeats
from exam_core.wording import ACROSS, RELIABILITY


def across_slide(context: SlideContext) -> Slide:
    """Each grading mode's agreement with the reference of every collection, and pooled values."""
    picked = context.view.address.get("across_with")
    others = [each for each in across.comparable(context.others()) if not picked or each.collection in picked]
    if not others:
        raise UsageError("No other collection has grades or printed figures together with a reference.")
    figures, by_name = context.figures, {name: coefficient for coefficient, name in across.NAMES.items()}
    coefficient = by_name.get(context.view.own("across_by"), "kendall")
    every = context.view.own("across_tau") == across.EVERY_TAU
    request = across.AcrossRequest.of(
        context.request, context.view.series, in_print=bool(figures.in_print), every_tau=every
    )
    result = context.ask(across.across, figures.snapshot, tuple(others), request, draws=DRAWS, seed=SEED)
    takeaway, *more = across.across_sentences(result, coefficient)
    return Slide(
        takeaway, across.across_figure(result, coefficient), result.rows, across.ROWS, notes=(*more, *result.notes)
    )


def repeats_slide(context: SlideContext) -> Slide:
    """How many grades move across tau from one repetition to another."""
    snapshot = context.figures.snapshot
    names = tuple(context.view.address.get("repetitions") or context.ask(repeats.repetitions, snapshot))
    request = context.request.but(grader=None, own_taus=())
    result = context.ask(repeats.repeats, snapshot, request, names, draws=DRAWS, seed=SEED)
    takeaway, *more = repeats.repeats_sentences(result, snapshot)
    return Slide(takeaway, repeats.repeats_figure(result, snapshot), result.rows, repeats.ROWS, notes=tuple(more))


def alike_slide(context: SlideContext) -> Slide:
    """How alike each pair of grading modes grades."""
    snapshot = context.figures.snapshot
    names = tuple(context.view.address.get("alike") or graders(snapshot))
    result = context.ask(alike.alike, snapshot, names)
    takeaway, *more = alike.alike_sentences(result, snapshot)
    notes = (*more, *result.notes)
    return Slide(takeaway, alike.alike_figure(result, snapshot), result.rows, alike.ROWS, notes=notes)


SLIDES = (
    PageSlide(ACROSS, across_slide, 135, takes=lambda snapshot: bool(across.comparable([snapshot])), of_store=True),
    PageSlide(
        "Repetitions",
        repeats_slide,
        95,
        takes=lambda snapshot: bool(repeats.repetitions(snapshot)),
        part_of=RELIABILITY,
        tabs=("stability_view", ("Repetitions",)),
    ),
    PageSlide(
        "Between modes",
        alike_slide,
        115,
        takes=lambda snapshot: len(graders(snapshot)) > 1,
        part_of="Agreement",
        tabs=("agreement_tab", ("Between modes",)),
    ),
)
