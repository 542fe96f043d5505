"""Generated answers: NRP query by query, NRP against the size of the model, and who stands at which place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.chart_layout import bars, bounded, described, named
from exam_core.charts.colours import QUIET, colour, translucent
from exam_core.charts.leaderboard_lines import plain

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "star", "hexagon", "triangle-down")
NRP = (0.0, 1.0)
"""What it can be."""
_WIDTH = 0.8
"""Of a system's column, from 0 to 1."""


def strip_figure(
    queries: pd.DataFrame, rows: pd.DataFrame, systems: Sequence[str], prompts: Sequence[str]
) -> go.Figure:
    """Each query's value as a point, a strip for each system and prompt, with the means and their intervals.

    Parameters
    ----------
    queries : system, prompt, query_id, value
    rows : system, prompt, mean, low, high, n_queries; one for each strip
    systems, prompts : in the order of the columns, and of the strips in each
    """
    figure = go.Figure()
    column = {name: place for place, name in enumerate(systems)}
    step = _WIDTH / len(prompts)
    for place, prompt in enumerate(prompts):
        middle = (place - (len(prompts) - 1) / 2) * step
        points, means = (frame[frame["prompt"] == prompt] for frame in (queries, rows))
        at = points["system"].map(column).to_numpy(float) + middle + _beside(points) * step * 0.35
        figure.add_scatter(x=at, **_points(points, prompt, place))
        figure.add_scatter(x=means["system"].map(column).to_numpy(float) + middle, **_means(means, prompt, place))
    figure.update_xaxes(named(list(map(plain, systems)), range=[-0.6, len(systems) - 0.4], showgrid=False))
    figure.update_yaxes(title="NRP", automargin=True, **bounded(NRP))
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "title": {"text": "Prompt"}}
    figure.update_layout(height=460, margin={"t": 40}, legend=legend)
    return described(figure, strip_alternative(rows, queries["query_id"].nunique()))


def _points(rows: pd.DataFrame, prompt: str, place: int) -> dict[str, Any]:
    return {
        "y": rows["value"],
        "mode": "markers",
        "name": plain(prompt),
        "legendgroup": prompt,
        "showlegend": False,
        "marker": {"size": 4, "color": translucent(place, 0.45)},
        "customdata": np.stack([rows[name].map(plain).to_numpy(object) for name in ("system", "query_id")], axis=-1),
        "hovertemplate": f"%{{customdata[0]}}, {plain(prompt)}<br>query %{{customdata[1]}}: %{{y:.4f}}<extra></extra>",
    }


def _means(rows: pd.DataFrame, prompt: str, place: int) -> dict[str, Any]:
    outline = {"width": 1, "color": QUIET}
    symbol = SYMBOLS[place % len(SYMBOLS)]
    return {
        "y": rows["mean"],
        "error_y": _error(rows),
        "mode": "markers",
        "name": plain(prompt),
        "legendgroup": prompt,
        "marker": {"size": 11, "symbol": symbol, "color": colour(place), "line": outline},
        "customdata": np.stack([rows["system"].map(plain).to_numpy(object), rows["n_queries"]], axis=-1),
        "hovertemplate": f"%{{customdata[0]}}, {plain(prompt)}<br>mean %{{y:.4f}} of %{{customdata[1]}} queries"
        "<extra></extra>",
    }


def strip_alternative(rows: pd.DataFrame, queries: int) -> str:
    """The strips in words."""
    best, worst = rows.loc[rows["mean"].idxmax()], rows.loc[rows["mean"].idxmin()]
    return (
        f"NRP of {rows['system'].nunique()} systems with {rows['prompt'].nunique()} prompts, a point for each of "
        f"{queries} queries, with means and 95% intervals. Highest mean: {best['system']} with {best['prompt']}, "
        f"{best['mean']:.4f}. Lowest: {worst['system']} with {worst['prompt']}, {worst['mean']:.4f}."
    )


def size_figure(rows: pd.DataFrame, prompt: str) -> go.Figure:
    """NRP against the number of parameters, which has a logarithmic axis; systems of unknown size are left out.

    Parameters
    ----------
    rows : system, mean, low, high, parameters; NaN for unknown
    prompt : that they are of
    """
    shown = rows[rows["parameters"].notna()].sort_values("parameters")
    figure = go.Figure()
    for place in range(len(shown)):
        one = shown.iloc[[place]]
        figure.add_scatter(
            x=one["parameters"],
            y=one["mean"],
            error_y=_error(one),
            mode="markers",
            name=plain(one["system"].iloc[0]),
            marker={"size": 11, "symbol": SYMBOLS[place % len(SYMBOLS)], "color": colour(place)},
            hovertemplate="%{x:.3s} parameters, NRP %{y:.4f}",
        )
    figure.update_xaxes(title="Parameters (logarithmic)", type="log", automargin=True)
    figure.update_yaxes(title="NRP", automargin=True, **bounded(NRP))
    figure.update_layout(height=420, margin={"t": 30}, showlegend=True)
    return described(figure, size_alternative(rows, prompt))


def size_alternative(rows: pd.DataFrame, prompt: str) -> str:
    """The chart of sizes in words."""
    shown = rows[rows["parameters"].notna()].sort_values("parameters")
    each = ", ".join(f"{row.system} ({row.parameters:.3g}) {row.mean:.4f}" for row in shown.itertuples())
    unknown = rows.loc[rows["parameters"].isna(), "system"].tolist()
    left_out = f" Unknown size: {', '.join(unknown)}." if unknown else ""
    return f"NRP with the prompt {prompt} against the number of parameters: {each}.{left_out}"


def flow_figure(places: pd.DataFrame, flows: pd.DataFrame, kinds: Sequence[str], side: str) -> go.Figure:
    """Who stands at which place and is followed by whom, for one order of each task; figure 3 of the paper.

    Parameters
    ----------
    places : place, kind, items; flows : place, kind, next_kind, items; of one side
    kinds : all that there are, so that each keeps its colour on both sides
    side : that orders
    """
    nodes = {(row.place, row.kind): node for node, row in enumerate(places.itertuples())}
    colours = {kind: place for place, kind in enumerate(kinds)}
    last = max(int(places["place"].max()), 2)
    figure = go.Figure()
    figure.add_sankey(
        arrangement="snap",
        node={
            "label": [f"{plain(row.kind)} ({row.items})" for row in places.itertuples()],
            "color": [colour(colours[kind]) for kind in places["kind"]],
            # Plotly takes 0 and 1 for unset.
            "x": [0.001 + 0.998 * (row.place - 1) / (last - 1) for row in places.itertuples()],
            "y": _heights(places),
            "pad": 12,
            "thickness": 14,
            "hovertemplate": "%{label}<extra></extra>",
        },
        link={
            "source": [nodes[row.place, row.kind] for row in flows.itertuples()],
            "target": [nodes[row.place + 1, row.next_kind] for row in flows.itertuples()],
            "value": flows["items"],
            "color": [translucent(colours[kind], 0.35) for kind in flows["kind"]],
            "hovertemplate": "%{source.label} before %{target.label}: %{value}<extra></extra>",
        },
    )
    figure.update_layout(height=340, margin={"t": 30, "b": 20, "l": 10, "r": 10})
    above = {"y": 1.02, "yanchor": "bottom", "showarrow": False, "xref": "paper", "yref": "paper"}
    for place in range(1, last + 1):
        figure.add_annotation(x=(place - 1) / (last - 1), text=str(place), **above)
    return described(figure, flow_alternative(places, side))


def flow_alternative(places: pd.DataFrame, side: str) -> str:
    """Who stands at which place, in words."""
    each = [
        f"place {place}: " + ", ".join(f"{row.kind} ({row.items})" for row in group.itertuples())
        for place, group in places.groupby("place")
    ]
    return f"How the {side} orders: {'; '.join(each)}."


def _beside(rows: pd.DataFrame) -> np.ndarray:
    """Where points stand in their strip, from -1 to 1: evenly, each query at its own place in all strips."""
    order = rows["query_id"].rank(method="dense").to_numpy(float)
    # The golden ratio spreads neighbours apart, without chance.
    return np.asarray(2 * ((order * 0.6180339887) % 1) - 1)


def _error(rows: pd.DataFrame) -> dict[str, Any]:
    """Error bars from the mean to both ends; none where there is no interval."""
    ends = (rows[name].fillna(rows["mean"]) for name in ("low", "high"))
    return bars(rows["mean"], *ends, thickness=1.5, width=3)


def _heights(places: pd.DataFrame) -> list[float]:
    """The middle of each node between 0 (top) and 1, the most frequent of a place on top."""
    found = []
    for _, group in places.groupby("place", sort=True):
        shares = group["items"] / group["items"].sum()
        found += ((shares.cumsum() - shares / 2).clip(0.001, 0.999)).tolist()
    return found
