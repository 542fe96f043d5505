"""Figures on a stage: runs that are flagged stand out."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np
import plotly.graph_objects as go

SPOT, SIZE = "#D81B60", 20
"""Colour and size of the rings: no series has the colour, and it is legible on both grounds."""


def staged(figure: go.Figure, flagged: Mapping[str, Collection[str]]) -> go.Figure:
    """A leaderboard figure with a ring around each point of a flagged run, and ends of its axis that seldom change.

    Parameters
    ----------
    figure : it is changed; the last of a point's custom data names the run
    flagged : by the name of a series in the figure, the runs that it flags
    """
    ends, before = _ends(figure), figure.layout.yaxis.range
    of_ranks = before is not None and before[0] > before[1]
    figure.update_layout(yaxis={"range": ends[::-1] if of_ranks else ends})
    ring = {"symbol": "circle-open", "color": SPOT, "size": SIZE, "line": {"width": 4}}
    for trace in figure.data:
        figure.add_scatter(
            x=trace.x,
            # A ring for every run, seen where it is flagged: rings glide with their points, from no other place.
            y=trace.y,
            offsetgroup=trace.offsetgroup,
            mode="markers",
            legendgroup="flagged",
            showlegend=False,
            marker=ring | {"opacity": [float(told[-1] in flagged.get(trace.name, ())) for told in trace.customdata]},
            hoverinfo="skip",
            cliponaxis=False,
        )
    # The legend's ring is one outside the axis: of the others it would show the mean opacity, and nothing flies in.
    figure.add_scatter(
        x=figure.data[0].x[:1],
        y=[2 * ends[0] - ends[1]],
        mode="markers",
        name="significantly displaced (p < 0.05, corrected)",
        legendgroup="flagged",
        showlegend=any(flagged.values()),
        marker=ring,
    )
    return figure


def _ends(figure: go.Figure) -> list[float]:
    """Round ends around all points and errors: where they stay, Plotly lets points glide, and not the axis."""
    low, high = math.inf, -math.inf
    for trace in figure.data:
        y, error = np.asarray(trace.y, float), np.nan_to_num(np.asarray(trace.error_y.array, float))
        low, high = min(low, np.nanmin(y - error, initial=low)), max(high, np.nanmax(y + error, initial=high))
    if not low < high:
        return [0.0, 1.0]
    step = 10.0 ** math.floor(math.log10(high - low)) / 4
    return [step * math.floor(low / step), step * math.ceil(high / step)]
