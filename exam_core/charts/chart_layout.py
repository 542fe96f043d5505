"""What charts have in common: axes, legend, margins, bars of intervals, and the words that go with a figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.colours import INK, PAPER
from exam_core.wording import plain_names

CELLS = {
    "textfont": INK,
    "colorscale": PAPER,
    "zmin": 0,
    "zmax": 1,
    "xgap": 2,
    "ygap": 2,
    "showscale": False,
}
"""How a heatmap of shares looks."""
MOST_POINTS = 10_000
"""Points of a chart that has one for each query or question: a browser that draws ten times as many stands still."""


def described(figure: go.Figure, words: str) -> go.Figure:
    """The figure with its description in words, for those who don't see it: `words_of`."""
    return figure.update_layout(meta={"description": plain_names(words)})


def words_of(figure: go.Figure) -> str:
    """A figure in words."""
    return str(figure.layout.meta["description"])


def spread(rows: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """The rows that have a point: all, or so many evenly spread over their order; and what the axis says of that.

    >>> rows, said = spread(pd.DataFrame({"place": range(72_100)}))
    >>> print(len(rows), list(rows["place"].iloc[[0, -1]]), said)
    10000 [0, 72099] (10,000 of 72,100, evenly spread)
    """
    if len(rows) <= MOST_POINTS:
        return rows, ""
    places = np.linspace(0, len(rows) - 1, MOST_POINTS).astype(int)
    return rows.iloc[places], f" ({MOST_POINTS:,} of {len(rows):,}, evenly spread)"


def margin(top: int = 40) -> dict[str, int]:
    """Pixels around a chart: little, but for what stands above it."""
    return {"l": 10, "r": 10, "t": top, "b": 10}


def legend(y: float = 1.02, **more: Any) -> dict[str, Any]:
    """A legend in a line above a chart."""
    return {"orientation": "h", "y": y, "yanchor": "bottom", "x": 0} | more


def sized(height: float, *, top: int = 40, above: float | None = 1.02) -> dict[str, Any]:
    """The size of a chart, and a legend in a line above it.

    Parameters
    ----------
    top : pixels above the plot
    above : where the legend stands, as a share of the plot's height; None leaves it out
    """
    return {"height": height, "margin": margin(top)} | (
        {"showlegend": False} if above is None else {"legend": legend(above)}
    )


def at_edge(*, top: bool = True) -> dict[str, Any]:
    """A legend at an edge of the whole figure, which may have several plots."""
    end = {"y": 1, "yanchor": "top"} if top else {"y": 0, "yanchor": "bottom"}
    return {"orientation": "h", "yref": "container", "x": 0} | end


def axis(title: str | dict[str, str], **more: Any) -> dict[str, Any]:
    """An axis that makes room for its numbers, without a line at 0."""
    return {"title": title, "automargin": True, "zeroline": False} | more


def of_ranks(title: str | dict[str, str], worst: float) -> dict[str, Any]:
    """An axis of ranks with the best on top, whose first number is 1."""
    return axis(title, range=[worst + 0.7, 0.3], tick0=1, dtick=max(1, round(worst / 8)))


def named(names: Sequence[str], **more: Any) -> dict[str, Any]:
    """An axis with a name at each whole number from 0."""
    ticks = {"tickmode": "array", "tickvals": list(range(len(names))), "ticktext": names}
    return ticks | {"automargin": True, "zeroline": False} | more


def one_a_line(names: Sequence[str], **more: Any) -> dict[str, Any]:
    """An axis of names from top to bottom."""
    return named(names, range=[len(names) - 0.4, -0.6]) | more


def beside(place: int, of: int, spread: float) -> float:
    """How far below the middle of a line the mark of one of several series stands, which share that line."""
    return spread * ((place + 0.5) / of - 0.5)


def bars(middle: pd.Series, low: pd.Series, high: pd.Series, **more: Any) -> dict[str, Any]:
    """Error bars from a value to both ends of its interval."""
    return {"type": "data", "array": high - middle, "arrayminus": middle - low} | more


def errors(value: pd.Series, error: pd.Series, bounds: tuple[float, float], **more: Any) -> dict[str, Any]:
    """Error bars from a value up and down, which end at the bounds of what it can be."""
    up, down = np.minimum(error, bounds[1] - value), np.minimum(error, value - bounds[0])
    return {"type": "data", "array": up, "arrayminus": down} | more


def spreads(error: pd.Series) -> list[str]:
    """Whole errors as hovering tells them, behind their values; bars may be cut."""
    return [f" ± {one:.3f}" if one == one else "" for one in error]


def bounded(bounds: tuple[float, float]) -> dict[str, float]:
    """What keeps an axis within bounds, wherever its points are."""
    ends = zip(("minallowed", "maxallowed"), bounds, strict=True)
    return {name: end for name, end in ends if np.isfinite(end)}


def beginning(text: object, most: int = 80) -> str:
    """What of a text fits a line that is shown on hovering; nothing where there is no text."""
    if not isinstance(text, str):
        return ""
    words = " ".join(text.split())
    return words if len(words) <= most else f"{words[: most - 3]}..."
