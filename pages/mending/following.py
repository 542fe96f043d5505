"""The chart follows a slider at the key: the browser holds it for each place, and the server's answer confirms it.

Most of a move's time is the way to the server and React, which draws everything around the chart with it. Each move
still goes to the server, which runs the page again; but the eye does not wait for it. The figures that are held are
made by the function that the server answers with, and kept together with its answers. An answer that differs is drawn.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from exam_core.analysis.choice import TAUS
from exam_core.errors import ExamboardError
from exam_core.measures import Measure
from pages.mending import PLAIN
from pages.shared.components import component
from pages.shared.selection import Selection

PATIENCE = 0.3
"""Seconds after which no further chart is made: a place without one goes the long way."""
_browser = component("following", __file__)


def follows(selection: Selection) -> bool:
    """Whether the bar's tau moves what the chosen series are worth."""
    return selection.has_taus and Measure.parse(selection.request.measure).tau_applies


def looks(selection: Selection, *of: Hashable) -> str:
    """What a chart is of beside tau, as a text that the browser compares.

    Parameters
    ----------
    of : what tells it from another chart of the same choice
    """
    return str(hash((replace(selection, request=selection.request.but(tau=None)), *of)))


def each(selection: Selection) -> dict[int, Selection]:
    """The choice at each tau, the nearest first; none where tau moves nothing."""
    nearest = sorted(TAUS, key=lambda tau: abs(tau - selection.tau)) if follows(selection) else ()
    return {tau: replace(selection, request=selection.request.but(tau=tau)) for tau in nearest}


def hold_each(selection: Selection, draw: Callable[[Selection], dict[str, Any] | None], *, chart: str, of: str) -> None:
    """As `hold`, the chart at each tau, where tau moves it; `draw` makes it of the choice at another tau."""
    if selections := each(selection):
        hold({tau: partial(draw, item) for tau, item in selections.items()}, chart=chart, of=of)


def hold(places: Mapping[int, Callable[[], dict[str, Any] | None]], *, chart: str, of: str) -> None:
    """Give the browser a chart for the places of a slider. It stands last on a page: nobody waits for it.

    Parameters
    ----------
    places : what makes the chart at each, those first that are reached first; as `charting.draw` takes it
    chart : its key
    of : as `charting.At` has it
    """
    if PLAIN:
        return
    until, tables = time.monotonic() + PATIENCE, {}
    for place, make in places.items():
        with suppress(ExamboardError):  # the page says it when the slider is there
            if time.monotonic() < until and (made := make()):
                tables[str(place)] = made
    with st.sidebar:
        _browser(key="following", data={"chart": chart, "of": of, "held": tables})
