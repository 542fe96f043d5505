"""Figures for a room full of people."""

from __future__ import annotations

import plotly.graph_objects as go

Figure = go.Figure
HEIGHT = 680


def enlarged(figure: go.Figure) -> go.Figure:
    """A copy of a figure that can be read from the back of a room."""
    large = go.Figure(figure)
    height = max(HEIGHT, figure.layout.height or 0)
    large.update_layout(font={"size": 20}, height=height, legend={"font": {"size": 20}})
    for turn in (large.update_xaxes, large.update_yaxes):
        turn(tickfont={"size": 17}, title={"font": {"size": 22}})
    large.update_traces(marker={"size": 13}, selector={"mode": "markers+lines"})
    large.update_annotations(font={"size": 17})
    return large
