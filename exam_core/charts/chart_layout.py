"""Layout of charts: colours, axes, titles, and words for those who do not see them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from exam_core.wording import plain_names

SERIES = ("#1F83C4", "#D55E00", "#009E73", "#C0679B", "#B38600", "#808080", "#8E62C0", "#9C6B5A", "#2A9090")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
PROMOTED, DEMOTED = SERIES[0], SERIES[1]
QUIET = "rgba(128, 128, 128, 0.55)"
"""Grey of the background series."""
CHOSEN = "#e66100"
"""Lines and frames at the chosen cut: every eye tells it from blue, and it shows on light and dark pages."""
PAPER, INK = [[0, "#f2f6fa"], [1, "#6baed6"]], {"color": "#1a1a1a"}
"""Colours of cells, all of them light, so that dark numbers can be read on them by day and by night."""
BOTH_WAYS = ((0.0, "#F2A37A"), (0.5, "#F4F4F4"), (1.0, "#6BAED6"))
"""Colours of cells from negative to positive values."""


def colour(place: int) -> str:
    """Colour of the series at a place; they begin again after the last."""
    return SERIES[place % len(SERIES)]


def dash(place: int) -> str:
    """Dash of the series at a place, so that colour is not the only cue."""
    return DASHES[place % len(DASHES)]


def translucent(place: int, opacity: float) -> str:
    """The colour of a series for an area that others must be seen through."""
    red, green, blue = (int(colour(place)[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity})"


CELLS = {"textfont": INK, "colorscale": PAPER, "zmin": 0, "zmax": 1, "xgap": 2, "ygap": 2, "showscale": False}
"""Look of a heatmap of shares."""
MOST_POINTS = 10_000
"""Most points of a chart that has one for each query or question: a browser can't draw ten times as many."""


def with_description(figure: go.Figure, words: str) -> go.Figure:
    """The figure with its description in words, for those who don't see it: `words_of`."""
    return figure.update_layout(meta={"description": plain_names(words)})


def words_of(figure: go.Figure) -> str:
    """A figure in words."""
    return str(figure.layout.meta["description"])


def sample_rows(rows: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """The rows that are drawn (all, or some evenly spread over their order), and a note on that for the axis.

    >>> rows, note = sample_rows(pd.DataFrame({"place": range(72_100)}))
    >>> print(len(rows), list(rows["place"].iloc[[0, -1]]), note.strip())
    10000 [0, 72099] (10,000 of 72,100, evenly spread)
    """
    if len(rows) <= MOST_POINTS:
        return rows, ""
    places = np.linspace(0, len(rows) - 1, MOST_POINTS).astype(int)
    return rows.iloc[places], f" ({MOST_POINTS:,} of {len(rows):,}, evenly spread)"


def margin(top: int = 40) -> dict[str, int]:
    """Pixels around a chart."""
    return {"l": 10, "r": 10, "t": top, "b": 10}


def legend(y: float = 1.02, **more: Any) -> dict[str, Any]:
    """A legend in a line above a chart."""
    return {"orientation": "h", "y": y, "yanchor": "bottom", "x": 0} | more


def size_layout(height: float, *, top: int = 40, above: float | None = 1.02) -> dict[str, Any]:
    """The size of a chart, and a legend above it: `above` is its place as a share of the plot's height, or None."""
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


def name_axis(names: Sequence[str], **more: Any) -> dict[str, Any]:
    """An axis with a name at each whole number from 0."""
    ticks = {"tickmode": "array", "tickvals": list(range(len(names))), "ticktext": names}
    return ticks | {"automargin": True, "zeroline": False} | more


def one_a_line(names: Sequence[str], **more: Any) -> dict[str, Any]:
    """An axis of names from top to bottom."""
    return name_axis(names, range=[len(names) - 0.4, -0.6]) | more


def offset_in_line(place: int, of: int, spread: float) -> float:
    """The distance below the middle of a line at which one of several series on that line has its mark."""
    return spread * ((place + 0.5) / of - 0.5)


def bars(middle: pd.Series, low: pd.Series, high: pd.Series, **more: Any) -> dict[str, Any]:
    """Error bars from a value to both ends of its interval."""
    return {"type": "data", "array": high - middle, "arrayminus": middle - low} | more


def errors(value: pd.Series, error: pd.Series, bounds: tuple[float, float], **more: Any) -> dict[str, Any]:
    """Error bars from a value up and down, cut at the bounds of its range."""
    up, down = np.minimum(error, bounds[1] - value), np.minimum(error, value - bounds[0])
    return {"type": "data", "array": up, "arrayminus": down} | more


def spreads(error: pd.Series) -> list[str]:
    """The uncut errors for hover texts."""
    return ["" if np.isnan(value) else f" ± {value:.3f}" for value in error]


def bounded(bounds: tuple[float, float]) -> dict[str, float]:
    """The settings that keep an axis within bounds, wherever its points are."""
    ends = zip(("minallowed", "maxallowed"), bounds, strict=True)
    return {name: end for name, end in ends if np.isfinite(end)}


def beginning(text: object, most: int = 80) -> str:
    """The beginning of a text that fits a line of a hover text; empty where there is no text."""
    if not isinstance(text, str):
        return ""
    words = " ".join(text.split())
    return words if len(words) <= most else f"{words[: most - 3]}..."


View = Literal["re-normalised", "raw", "ranks"]
VALUES: dict[View, tuple[str, str]] = {
    "re-normalised": ("normalised", "normalised_stderr"),
    "raw": ("mean", "stderr"),
    "ranks": ("rank", "stderr"),
}
"""Columns of a board's rows that a view shows: the value and its standard error; ranks have intervals instead."""
UNBOUNDED = (-math.inf, math.inf)
FAR, HOLES, FEW, ROOM = 0.5, 0.25, 0.2, 0.05
"""Gap to the next run as a share of the whole range, and share of ungraded places, beyond which a run is outside; the
largest share of the runs that a gap sets apart; room at the ends as a share of the axis."""


@dataclass(frozen=True)
class Outside:
    """A run that the axis leaves out, above it or below, with its score as the chart shows it.

    It is far where the gap to the next run is more than half of the whole range; holes are the share of its places
    without a grade, NaN if unknown.
    """

    series: str
    run_id: str
    value: float
    above: bool
    far: bool
    holes: float = math.nan


@dataclass(frozen=True)
class ScoreAxis:
    """The axis of scores: its ends (`span`, None where it holds everything) and the runs beyond them, marked there.

    Neither the axis nor an error bar leaves the bounds of scores.
    """

    view: View = "re-normalised"
    span: tuple[float, float] | None = None
    outside: tuple[Outside, ...] = ()
    bounds: tuple[float, float] = UNBOUNDED

    def beyond(self, series: str) -> dict[str, bool]:
        """The runs of a series that are outside, and whether they are above the axis."""
        return {external.run_id: external.above for external in self.outside if external.series == series}

    def labels(self) -> list[tuple[str, bool, str]]:
        """Each run outside, whether it is above the axis, and its number: of several the least and the largest."""
        groups: dict[tuple[str, bool], list[float]] = {}
        for external in self.outside:
            groups.setdefault((external.run_id, external.above), []).append(external.value)
        ends = {
            key: dict.fromkeys(f"{end:.2f}" for end in (min(values), max(values))) for key, values in groups.items()
        }
        return [(run, above, " to ".join(numbers)) for (run, above), numbers in ends.items()]


def scale_of(
    boards: Mapping[str, pd.DataFrame],
    order: Sequence[str],
    view: View = "re-normalised",
    holes: Mapping[str, pd.Series] | None = None,
    bounds: Iterable[tuple[float, float]] = (),
) -> ScoreAxis:
    """The axis that holds the runs that the reference ranks, from the least mean - SE to the largest mean + SE.

    A run may be outside where the gap between it and the next run is more than half of the range of all, or where the
    reference does not rank it and more than a quarter of its places have no grade. A gap sets at most a fifth of the
    runs apart. Other runs that the reference does not rank are on the axis, too. All series share the axis.

    Parameters
    ----------
    boards : by series name, rows with run_id, reference_rank and the columns of `VALUES`; unknown values are NaN
    order : the runs that are shown
    holes : by series name, share of the places without a grade by run_id, as far as it is known
    bounds : of the means of each series; re-normalised scores and ranks have none
    """
    if view == "ranks":
        return ScoreAxis(view)
    value, error = VALUES[view]
    of_series = (list(bounds) if view == "raw" else []) or [UNBOUNDED]
    least, most = min(low for low, _ in of_series), max(high for _, high in of_series)
    low, high, apart = math.inf, -math.inf, list[Outside]()
    for name, board in boards.items():
        rows = board[board["run_id"].isin(order) & board[value].notna()].set_index("run_id")
        lacking = (holes or {}).get(name, pd.Series(dtype=float)).reindex(rows.index)
        gaps = _beyond_a_gap(rows[value])
        ranked = rows["reference_rank"].notna()
        maybe = set(gaps) | (set(rows.index[~ranked & (lacking > HOLES)]) if ranked.any() else set())
        frame = rows[~rows.index.isin(maybe)]
        spread = frame[error].fillna(0)
        low, high = min(low, (frame[value] - spread).min()), max(high, (frame[value] + spread).max())
        apart += [
            Outside(name, run, float(rows.loc[run, value]), False, run in gaps, float(lacking[run])) for run in maybe
        ]
    outside = [
        replace(external, above=bool(external.value > high)) for external in apart if not low <= external.value <= high
    ]
    if not outside or not low < high:
        return ScoreAxis(view, bounds=(least, most))
    room = ROOM * (high - low)
    place = {run: number for number, run in enumerate(order)}
    outside.sort(key=lambda item: (list(boards).index(item.series), place[item.run_id]))
    span = max(float(low - room), least), min(float(high + room), most)
    return ScoreAxis(view, span, tuple(outside), (least, most))


def _beyond_a_gap(values: pd.Series) -> list[str]:
    """Runs on the smaller side of a gap of more than half the range, then those of the remaining runs, and so on."""
    frame, apart, most = values.sort_values(), list[str](), FEW * len(values)
    while len(frame) > 1:
        gaps = frame.diff().to_numpy()[1:]
        cut = int(gaps.argmax()) + 1
        side = frame.iloc[:cut] if cut <= len(frame) - cut else frame.iloc[cut:]
        if not gaps[cut - 1] > FAR * (frame.iloc[-1] - frame.iloc[0]) or len(apart) + len(side) > most:
            break
        apart += list(side.index)
        frame = frame.drop(side.index)
    return apart
