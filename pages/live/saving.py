"""The live page, saved from the choice on screen."""

from __future__ import annotations

from datetime import date
from functools import partial

from exam_core.measures import Measure
from exam_core.wings.live.analysis.cube import axes_of, cube, first_of
from exam_core.wings.live.reports.live_page import live_page
from pages.shared import sharing
from pages.shared.chosen import Chosen


def draw(chosen: Chosen, address: str) -> None:
    """The button that saves the live page; where nothing is computed, nothing could be chosen in it."""
    if chosen.figures.basis == "grades" and Measure.parse(chosen.asked.measure).info.of_grades:
        sharing.save("Save a live page (HTML)", partial(page, chosen, address), "live.html", "text/html")


def page(chosen: Chosen, address: str) -> str:
    """The grading modes of the page with the usual measures and the page's own, at every tau and label rank."""
    asked, snapshot = chosen.asked, chosen.snapshot
    axes = axes_of(snapshot, asked, chosen.series, (), [asked.reference] if asked.reference else ())
    axes = axes.with_measure(asked.measure)
    facts = {
        "Data": f"{snapshot.collection}, fingerprint {snapshot.fingerprint}",
        "Dashboard": address,
        "Made": date.today().isoformat(),
    }
    return live_page(cube(snapshot, asked, axes), first_of(snapshot, asked, axes), facts)
