"""The live page, made of the choice on screen."""

from __future__ import annotations

from datetime import date
from functools import partial

import streamlit as st

from exam_core.analysis.figures import figures_of
from exam_core.charts.scale import View
from exam_core.errors import ExamboardError
from exam_core.measures import Measure
from exam_core.progress import Progress
from exam_core.store import Snapshot
from exam_core.wings.live.analysis.cube import Axes, axes_of, cube, first_of, reach_of
from exam_core.wings.live.reports.forecast import Forecast, forecast
from exam_core.wings.live.reports.live_page import live_page
from exam_core.wording import without_commands
from pages.shared import data, sharing
from pages.shared.chosen import Chosen
from pages.shared.escaping import escaped

VIEWS: dict[View, str] = {"re-normalised": "normalised", "raw": "raw", "ranks": "ranks"}
"""What the live page calls what its chart shows."""
MADE = "live page that was made"
"""In the session, the choice that it was made of, and its text."""


def draw(chosen: Chosen, address: str) -> None:
    """The button that makes the live page; where nothing is computed, nothing could be chosen in it."""
    if chosen.figures.basis != "grades" or not Measure.parse(chosen.asked.measure).info.of_grades:
        return
    of, text = st.session_state.get(MADE, (None, ""))
    if of != chosen:
        try:
            axes, expected = data.once(partial(_expected, chosen), chosen, "live page")
        except ExamboardError as error:
            st.caption(escaped(f"No live page: {without_commands(str(error))}"))
            return
        pressed = st.button("Make the live page (HTML)", key="make_live", type="tertiary", help=expected.by_choice)
        st.caption(expected.in_words)
        if not pressed:
            return
        with data.told("Computing") as progress:
            text = page(chosen, axes, address, progress)
        st.session_state[MADE] = (chosen, text)
    sharing.save("Save the live page (HTML)", text, "live.html", "text/html")


def _expected(chosen: Chosen) -> tuple[Axes, Forecast]:
    """The grading modes of the page with the usual measures and the page's own, and what that takes."""
    asked, whole = chosen.asked, _whole(chosen)
    references = [asked.reference] if asked.reference else ()
    axes = axes_of(whole, asked, chosen.series, (), references, chosen.snapshot.left_out).with_measure(asked.measure)
    return axes, forecast(axes, reach_of(whole, asked, axes))


def _whole(chosen: Chosen) -> Snapshot:
    """The collection with the runs that are left out."""
    return figures_of(data.snapshot(chosen.snapshot.collection), *chosen.series).snapshot


def page(chosen: Chosen, axes: Axes, address: str, progress: Progress) -> str:
    """The live page, which opens with the choice on screen."""
    asked, snapshot = chosen.asked, _whole(chosen)
    first = first_of(snapshot, asked, axes) | {
        "view": VIEWS[chosen.view],
        "order": "own" if chosen.own_order else "reference",
        "runs": st.session_state.get("runs", "") if chosen.hidden else "",
    }
    facts = {
        "Data": f"{snapshot.collection}, fingerprint {snapshot.fingerprint}",
        "Dashboard": address,
        "Made": date.today().isoformat(),
    }
    return live_page(cube(snapshot, asked, axes, progress=progress), first, facts)
