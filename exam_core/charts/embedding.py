"""Figures for a page that stands alone: no server, no network."""

from __future__ import annotations

import html

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from exam_core.charts.colours import SERIES

_NOT_IN_SCRIPTS = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def drawing_code() -> str:
    """The script that draws figures, whole, for the head of a page."""
    return f"<script>{get_plotlyjs()}</script>"


def embedded(figure: go.Figure, name: str, alt: str) -> str:
    """A figure as HTML; `drawing_code` must stand before it.

    Parameters
    ----------
    name : id of the element, unique on the page
    alt : the chart in words
    """
    drawn = go.Figure(figure).update_layout(template="plotly_white", colorway=SERIES)
    spec = drawn.to_json() or ""
    for character, safe in _NOT_IN_SCRIPTS.items():
        spec = spec.replace(character, safe)
    place = html.escape(name)
    return (
        f'<div id="{place}" role="img" aria-label="{html.escape(alt)}"></div>'
        f'<script>(function () {{ var figure = {spec}; Plotly.newPlot("{place}", figure.data, figure.layout, '
        "{responsive: true, displaylogo: false}); })();</script>"
    )
