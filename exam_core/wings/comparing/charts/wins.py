"""On how many queries each run beats each other run, as a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.chart_layout import CELLS, described, margin
from exam_core.charts.colours import CHOSEN
from exam_core.charts.leaderboard_lines import plain
from exam_core.wording import counted

PER_RUN, BESIDES, HIGHEST = 18, 150, 760
"""Pixels for each run, for what stands around the matrix, and of the highest chart."""
MARK = "●"
"""In a cell whose two runs differ significantly."""
MARKED = 60
"""Runs up to which a cell has room for a mark; of more, only cells of pairs that differ significantly are filled."""


def wins_figure(pairs: pd.DataFrame, baseline: str | None = None) -> go.Figure:
    """Share of the queries on which the row's run beats the column's; marked where a test tells the two apart.

    Of more than `MARKED` runs only the pairs that a test tells apart have a colour.

    Parameters
    ----------
    pairs : run_a, run_b, wins, ties, losses, n_queries, p_holm, separable; each pair once, in the order of the board
    baseline : a run whose row and column have a frame
    """
    runs = list(dict.fromkeys([*pairs["run_a"], *pairs["run_b"]]))
    numbers = [str(place + 1) for place in range(len(runs))]
    rows = [f"{plain(run)}  {number}" for run, number in zip(runs, numbers, strict=True)]
    many = len(runs) > MARKED
    coloured = pairs[pairs["separable"].astype(bool)] if many else pairs
    share, marks, hover = _cells(coloured, {run: place for place, run in enumerate(runs)})
    named = {
        "text": f"share of queries won; {'significant pairs alone' if many else f'{MARK} significant'}",
        "side": "top",
    }
    scale = {"title": named, "tickformat": ".0%", "thickness": 10}
    cells = go.Heatmap(
        x=numbers,
        y=rows,
        z=share,
        text=None if many else marks,
        texttemplate=None if many else "%{text}",
        hovertext=hover,
        hoverinfo="text",
        colorbar=scale | {"orientation": "h", "y": -0.03, "yanchor": "top"},
        hoverongaps=False,
        **CELLS | {"xgap": 0 if many else 1, "ygap": 0 if many else 1, "showscale": None},
    )
    axis = {"automargin": True, "showgrid": False, "zeroline": False, "tickfont": {"size": 11}, "fixedrange": True}
    figure = go.Figure(cells).update_layout(
        # As many numbers as there is room for, upright: on a telephone that is every other one.
        xaxis=axis | {"title": "loses", "side": "top", "type": "category", "tickangle": 0},
        yaxis=axis | {"title": "wins", "autorange": "reversed", "type": "category"},
        margin=margin(),
        height=min(BESIDES + PER_RUN * len(runs), HIGHEST),
        shapes=_frames(runs.index(baseline), len(runs)) if baseline in runs else [],
    )
    return described(figure, wins_alternative(pairs))


def _cells(pairs: pd.DataFrame, place: dict[str, int]) -> tuple[Any, Any, Any]:
    """Share, mark and words of each cell, as matrices, which Plotly reads quicker than lists; nothing where a run
    meets itself.
    """
    share, (marks, hover) = _matrix(len(place), None), (_matrix(len(place), "") for _ in range(2))
    for cell in _both_ways(pairs).itertuples():
        row, column = place[cell.row], place[cell.column]
        share[row, column] = cell.wins / cell.n_queries if cell.n_queries else None
        marks[row, column] = MARK if cell.separable else ""
        hover[row, column] = (
            f"{plain(cell.row)} beats {plain(cell.column)} on {cell.wins:g} of {counted({'queries': cell.n_queries})}, "
            f"{cell.ties:g} ties<br>Holm p = {cell.p_holm:.3f}"
        )
    return share, marks, hover


def _matrix(n: int, of: str | None) -> Any:
    return np.full((n, n), of, dtype=object)


def _frames(place: int, n: int) -> list[dict[str, Any]]:
    """Around a run's row and its column."""
    frame = {"type": "rect", "line": {"width": 2, "color": CHOSEN}}
    narrow, whole = (place - 0.5, place + 0.5), (-0.5, n - 0.5)
    return [frame | {"x0": x[0], "x1": x[1], "y0": y[0], "y1": y[1]} for x, y in ((narrow, whole), (whole, narrow))]


def wins_alternative(pairs: pd.DataFrame) -> str:
    """The matrix in words."""
    told = int(pairs["separable"].sum())
    runs = {*pairs["run_a"], *pairs["run_b"]}
    text = (
        f"Pairwise wins of {counted({'runs': len(runs)})}: {told} of {counted({'pairs': len(pairs)})} "
        f"differ significantly."
    )
    upset = pairs[pairs["losses"] > pairs["wins"]]
    if upset.empty:
        return f"{text} In every pair the run with the higher mean wins at least as many queries."
    return f"{text} In {len(upset)} pairs the run with the lower mean wins more queries."


def _both_ways(pairs: pd.DataFrame) -> pd.DataFrame:
    """A row for each cell of the matrix."""
    turned = {"run_a": "column", "run_b": "row", "wins": "losses", "losses": "wins"}
    return pd.concat([pairs.rename(columns={"run_a": "row", "run_b": "column"}), pairs.rename(columns=turned)])
