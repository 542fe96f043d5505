"""Charts that stay in the browser while their figure changes, so that the slider repaints them quickly.

Streamlit takes the figure of `st.plotly_chart` for its identity, so that each new figure is a new chart, which the
browser builds, hidden, and draws twice more before it is seen. Here the key is the identity, and Plotly changes what
is drawn. The look, the buttons and the words for screen readers are those of `st.plotly_chart`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import streamlit as st

from exam_core.charts.enlarging import Figure
from pages.mending import script_bundle
from pages.shared.components import beside, component

HEIGHT = 450
"""Pixels of a chart whose figure says nothing, as in st.plotly_chart."""
_POINT = "point that was clicked"
_HTML = '<div class="examboard-chart" role="figure"><div></div></div>'
_chart = component("chart", __file__, html=_HTML, css=beside(__file__, ".css"))


class DrawnFigure:
    """A figure as the browser takes it; one that is kept for many who look at it is written out once for them all."""

    def __init__(self, figure: Figure) -> None:
        self.figure = figure

    @cached_property
    def texts(self) -> tuple[str, str]:
        """The figure as Plotly in the browser reads it, and its template, which all figures share."""
        figure = json.loads(self.figure.to_json())
        template = figure["layout"].pop("template", {})
        return json.dumps(figure, separators=(",", ":")), json.dumps(template, separators=(",", ":"))

    @property
    def height(self) -> int:
        """In pixels."""
        return int(self.figure.layout.height or HEIGHT)


@dataclass(frozen=True)
class At:
    """Where a slider stands that the browser draws a chart for by itself (`pages/mending/following.py`).

    Parameters
    ----------
    slider : the key of its widget
    place : its value
    of : what tells this chart at all places of the slider from others of the same key
    """

    slider: str
    place: float
    of: str


def draw(
    figure: DrawnFigure,
    changing: dict[str, Any],
    *,
    key: str,
    select: bool = False,
    fills: bool = False,
    at: At | None = None,
) -> None:
    """A chart.

    Parameters
    ----------
    changing : figure, words and settings of Plotly: what another figure brings along
    select : points can be clicked; see `clicked`
    fills : it is as high as its place, and glides from one figure to the next
    """
    sent = changing | {
        "template": figure.texts[1],
        "height": figure.height,
        "libraries": script_bundle.libraries(),
        "select": select,
        "fills": fills,
        "at": at and vars(at),
    }
    # The height is reserved before the browser has Plotly: what is below does not jump.
    _chart(key=key, data=sent, height=figure.height, on_clicked_change=partial(_note, key) if select else None)


def clicked(key: str) -> Any | None:
    """The custom data of the point whose click caused this run, once; None otherwise."""
    return st.session_state.pop(f"{key} {_POINT}", None)


def _note(key: str) -> None:
    # Streamlit itself tells it only where the chart is drawn.
    st.session_state[f"{key} {_POINT}"] = st.session_state[key].clicked
