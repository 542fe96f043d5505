"""Many methods at once: a strip of colours for each run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.chart_layout import CELLS, described, named, one_a_line, sized
from exam_core.charts.colours import BOTH_WAYS, INK
from exam_core.charts.displacement_charts import (
    DISPLACEMENT,
    HOVER,
    axis_title,
    displacement_alternative,
    in_cell,
    of_point,
    runs_in_order,
)
from exam_core.charts.leaderboard_lines import BESIDE, in_lines, on_axis

MANY = 4
"""From so many series on, strips are read more easily than lines and symbols."""
OF_RUN = 22
"""Height of a strip in pixels."""
MOST_LEVEL, MOST_NUMBERED = 6, 24
"""So many methods have names that lie, and cells with room for numbers."""
LEVEL_LINE, BESIDE_NUMBER = 16, 0.38
"""Letters in a line of such a name, and how far right of a cell's middle its diamond is, as a share of its width."""
LINE = 26
"""Letters in a line of the name of a series or method."""


def displacement_strips(rows: pd.DataFrame, methods: Sequence[str], reference: str, *, of: str = "rank") -> go.Figure:
    """Displacement of each run by each of many methods: a cell with its number, and a diamond where it is flagged.

    Parameters
    ----------
    rows, methods, reference, of : as in `displacement_figure`
    """
    order = runs_in_order(rows, of=of)
    figure = go.Figure([_cells(rows, methods, order, of), _diamonds(rows, methods, order)])
    upright = len(methods) > MOST_LEVEL
    figure.update_layout(
        sized((280 if upright else 120) + OF_RUN * len(order), top=10, above=None),
        xaxis=named(
            [in_lines(method, LINE if upright else LEVEL_LINE) for method in methods],
            **({"tickangle": -90} if upright else {"autotickangles": [0, -90]}),
            title=in_lines(axis_title(methods, reference, of), BESIDE),
            side="top",
            range=[-0.5, len(methods) - 0.5],
            showgrid=False,
        ),
        yaxis=one_a_line(on_axis(order), showgrid=False),
    )
    return described(figure, displacement_alternative(rows, methods, reference, of=of))


def _cells(rows: pd.DataFrame, methods: Sequence[str], order: Sequence[str], of: str) -> go.Heatmap:
    """A cell for each run and method, which says all that is known of it and can be clicked anywhere."""
    across, down = _places(methods), _places(order)
    wide = rows.pivot(index="run_id", columns="method", values=DISPLACEMENT[of])
    values = wide.reindex(index=list(order), columns=list(methods)).to_numpy(float)
    largest = float(np.nanmax(np.abs(values))) if np.isfinite(values).any() else 1.0
    told: list[list[list[Any]]] = [[[""] * 6 for _ in methods] for _ in order]
    for row in rows.itertuples():
        told[down[row.run_id]][across[row.method]] = of_point(row, of=of)
    return go.Heatmap(
        x=list(range(len(methods))),
        y=list(range(len(order))),
        z=values,
        text=[["" if np.isnan(cell) else in_cell(cell, of) for cell in line] for line in values],
        texttemplate="%{text}" if len(methods) <= MOST_NUMBERED else "",
        customdata=told,
        hovertemplate=HOVER,
        hoverongaps=False,
        **CELLS | {"colorscale": BOTH_WAYS, "zmin": -largest, "zmax": largest, "xgap": 1, "ygap": 1},
    )


def _diamonds(rows: pd.DataFrame, methods: Sequence[str], order: Sequence[str]) -> go.Scatter:
    """A diamond beside the number of each cell that is flagged."""
    across, down = _places(methods), _places(order)
    flagged = rows[rows["flagged"].fillna(False).astype(bool)]
    return go.Scatter(
        x=[across[method] + BESIDE_NUMBER for method in flagged["method"]],
        y=[down[run_id] for run_id in flagged["run_id"]],
        mode="markers",
        marker={"symbol": "diamond", "size": 7, "color": INK["color"]},
        hoverinfo="skip",
    )


def _places(names: Sequence[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}
