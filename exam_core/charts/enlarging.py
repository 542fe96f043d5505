"""Figures for a room full of people."""

from __future__ import annotations

import plotly.graph_objects as go

Figure = go.Figure
HEIGHT, LETTERS, IN_A_PANEL = 680, 27, 18
"""Least pixels of a chart, of its letters on a screen of 1080 lines, and of titles where three panels share it."""
POINT, MOST, LARGER = 6, 13, 1.5
"""Pixels of a mark of unknown size, most pixels of an enlarged one, and the factor of enlarging."""


def enlarged(figure: go.Figure) -> go.Figure:
    """A copy of a figure that can be read from the back of a room."""
    large = go.Figure(figure)
    height = max(HEIGHT, figure.layout.height or 0)
    font = {"size": LETTERS}
    large.update_layout(font=font, height=height, legend={"font": font, "title": {"font": font}})
    panels = len({axis.domain for axis in large.select_yaxes()})
    large.update_xaxes(tickfont=font, title={"font": font})
    large.update_yaxes(tickfont=font, title={"font": font if panels < 3 else {"size": IN_A_PANEL}})
    large.for_each_trace(_mark, {"type": "scatter"})
    large.update_annotations(font=font)
    return large


def _mark(trace: go.Scatter) -> None:
    """Larger marks, but for those that are large already, or have a size each."""
    size = trace.marker.size or POINT
    if isinstance(size, int | float) and size < MOST:
        trace.marker.size = min(MOST, LARGER * size)
