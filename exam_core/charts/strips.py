"""Leaderboards of several methods as strips, and the first runs of one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from exam_core.charts import chart_layout, leaderboard_lines
from exam_core.wording import counted, rank_texts

MANY = 4
"""From so many series on, strips are read more easily than lines and symbols."""
OF_RUN = 22
"""Height of a strip in pixels."""
MOST_LEVEL, MOST_NUMBERED = 6, 24
"""Most methods whose names lie, and whose cells have room for numbers."""
LEVEL_LINE, BESIDE_NUMBER = 16, 0.38
"""Letters in a line of such a name, and distance of a diamond from its cell's middle as a share of the cell's width."""
LINE = 26
"""Letters in a line of the name of a series or method."""


def displacement_strips(rows: pd.DataFrame, methods: Sequence[str], reference: str, *, of: str = "rank") -> go.Figure:
    """As `displacement_figure`, for many methods: a cell with a number for each run, and a diamond if it is flagged."""
    order = leaderboard_lines.runs_in_order(rows, of=of)
    figure = go.Figure([_cells(rows, methods, order, of), _diamonds(rows, methods, order)])
    upright = len(methods) > MOST_LEVEL
    figure.update_layout(
        chart_layout.size_layout((280 if upright else 120) + OF_RUN * len(order), top=10, above=None),
        xaxis=chart_layout.name_axis(
            [leaderboard_lines.in_lines(method, LINE if upright else LEVEL_LINE) for method in methods],
            **({"tickangle": -90} if upright else {"autotickangles": [0, -90]}),
            title=leaderboard_lines.in_lines(
                leaderboard_lines.axis_title(methods, reference, of), leaderboard_lines.BESIDE
            ),
            side="top",
            range=[-0.5, len(methods) - 0.5],
            showgrid=False,
        ),
        yaxis=chart_layout.one_a_line(leaderboard_lines.on_axis(order), showgrid=False),
    )
    return chart_layout.with_description(
        figure, leaderboard_lines.displacement_alternative(rows, methods, reference, of=of)
    )


def _cells(rows: pd.DataFrame, methods: Sequence[str], order: Sequence[str], of: str) -> go.Heatmap:
    """A cell for each run and method, with hover texts, that can be clicked anywhere."""
    across, down = ({name: place for place, name in enumerate(names)} for names in (methods, order))
    wide = rows.pivot(index="run_id", columns="method", values=leaderboard_lines.DISPLACEMENT[of])
    values = wide.reindex(index=list(order), columns=list(methods)).to_numpy(float)
    largest = float(np.nanmax(np.abs(values))) if np.isfinite(values).any() else 1.0
    groups: list[list[list[Any]]] = [[[""] * 6 for _ in methods] for _ in order]
    for row in rows.itertuples():
        groups[down[row.run_id]][across[row.method]] = leaderboard_lines.hover_texts(row, of=of)
    return go.Heatmap(
        x=list(range(len(methods))),
        y=list(range(len(order))),
        z=values,
        text=[["" if np.isnan(cell) else leaderboard_lines.in_cell(cell, of) for cell in line] for line in values],
        texttemplate="%{text}" if len(methods) <= MOST_NUMBERED else "",
        customdata=groups,
        hovertemplate=leaderboard_lines.HOVER,
        hoverongaps=False,
        **chart_layout.CELLS
        | {"colorscale": chart_layout.BOTH_WAYS, "zmin": -largest, "zmax": largest, "xgap": 1, "ygap": 1},
    )


def _diamonds(rows: pd.DataFrame, methods: Sequence[str], order: Sequence[str]) -> go.Scatter:
    """A diamond beside the number of each cell that is flagged."""
    across, down = ({name: place for place, name in enumerate(names)} for names in (methods, order))
    flagged = rows[rows["flagged"].fillna(False).astype(bool)]
    return go.Scatter(
        x=[across[method] + BESIDE_NUMBER for method in flagged["method"]],
        y=[down[run_id] for run_id in flagged["run_id"]],
        mode="markers",
        marker={"symbol": "diamond", "size": 7, "color": chart_layout.INK["color"]},
        hoverinfo="skip",
    )


ROW, SPACE = 28, 0.04
"""Pixels of a run; share of an axis that stays free at both ends."""


def top_figure(
    rows: pd.DataFrame, measure: str, bounds: tuple[float, float], reach: tuple[float, float] | None = None
) -> go.Figure:
    """Means of runs with one standard error to either side, the best run on top.

    Parameters
    ----------
    rows : run_id, mean, stderr (null where it is not known), rank; best first
    bounds : of means
    reach : the ends of the axis, by default those of these runs. Boards that follow each other share an axis, on which
        runs move
    """
    known = bool(rows["stderr"].notna().any())
    spread = "%{hovertext}" if known else ""
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": rows["mean"],
        "y": [leaderboard_lines.escape_name(run) for run in rows["run_id"]],
        "error_x": chart_layout.errors(rows["mean"], rows["stderr"], bounds, thickness=1.5, width=3, visible=known),
        "hovertext": chart_layout.spreads(rows["stderr"]) if known else None,
        "marker": {"size": 10},
        "cliponaxis": False,
        "customdata": list(
            zip(rows["run_id"].map(leaderboard_lines.escape_name), rank_texts(rows["rank"]), strict=True)
        ),
        "hovertemplate": f"%{{customdata[0]}}<br>%{{x:.3f}}{spread}<br>rank %{{customdata[1]}}<extra></extra>",
    }
    title = leaderboard_lines.escape_name(measure) + (" ± standard error" if known else "")
    layout = {
        "xaxis": {"title": {"text": title}, "automargin": True}
        | chart_layout.bounded(bounds)
        | ({"range": reach} if reach else {}),
        "yaxis": {"type": "category", "autorange": "reversed", "automargin": True, "showgrid": True},
        "height": ROW * len(rows) + 70,
        "margin": chart_layout.margin(10) | {"r": 20},
        "showlegend": False,
    }
    means = [f"{row.run_id} {row.mean:.3f}" for row in rows.itertuples()]
    words = f"The first {counted({'runs': len(rows)})} by {measure}: {', '.join(means)}."
    return chart_layout.with_description(go.Figure({"data": [trace], "layout": layout}), words)


def reach_of(boards: Iterable[pd.DataFrame]) -> tuple[float, float] | None:
    """From the least to the largest mean of several boards with their errors, and some space; None without means."""
    every = pd.concat([pd.DataFrame(columns=["mean", "stderr"]), *boards])
    spread = every["stderr"].fillna(0)
    low, high = (every["mean"] - spread).min(), (every["mean"] + spread).max()
    space = (high - low) * SPACE
    return (low - space, high + space) if space > 0 else None
