"""Graders that vote: how accurate each is, and how they go together. They are numbered, because names are long."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.chart_layout import CELLS, axis, bars, beginning, described, named, sized
from exam_core.charts.colours import SERIES
from exam_core.charts.leaderboard_lines import plain

ROW, BESIDES = 36, 110
SCALE = [[0, "#f0a35e"], [0.5, "#f7f7f7"], [1, "#6baed6"]]
"""Light at both ends, so that dark numbers can be read on it by day and by night; white is 0."""
MATRICES = {"kappa": "Cohen's kappa of the two", "error_correlation": "correlation of errors"}
"""What is drawn of each pair, by column."""


def numbered(graders: Sequence[str]) -> list[str]:
    """Graders with their numbers, from 1."""
    return [f"{place} {name}" for place, name in enumerate(graders, 1)]


def accuracy_figure(rows: pd.DataFrame) -> go.Figure:
    """Accuracy of each grader, with its interval; the last row is the majority, where there are several.

    Parameters
    ----------
    rows : grader, accuracy, accuracy_low, accuracy_high
    """
    single = max(len(rows) - 1, 1)
    names = [*numbered(rows["grader"][:single]), *["majority"][: len(rows) - single]]
    figure = go.Figure()
    for part, name, symbol, ink in (
        (rows[:single], "one grader", "circle", SERIES[0]),
        (rows[single:], "majority of all", "diamond", SERIES[1]),
    ):
        figure.add_scatter(
            x=part["accuracy"],
            y=list(part.index),
            name=name,
            mode="markers",
            marker={"symbol": symbol, "size": 11, "color": ink},
            error_x=bars(part["accuracy"], part["accuracy_low"], part["accuracy_high"], color=ink),
            customdata=[[plain(beginning(grader, 160))] for grader in part["grader"]],
            hovertemplate="%{customdata[0]}<br>%{x:.1%}<extra></extra>",
        )
    figure.update_layout(
        sized(BESIDES + ROW * len(rows), above=1.0),
        xaxis=axis("accuracy against the judgments", tickformat=".0%"),
        yaxis=_axis(names) | {"range": [len(rows) - 0.4, -0.6]},
    )
    return described(figure, accuracy_alternative(rows))


def accuracy_alternative(rows: pd.DataFrame) -> str:
    """The chart in words."""
    told = [f"{grader} {value:.1%}" for grader, value in zip(rows["grader"], rows["accuracy"], strict=True)]
    return f"Accuracy against the judgments: {'; '.join(told)}."


def matrix_figure(pairs: pd.DataFrame, graders: Sequence[str], column: str) -> go.Figure:
    """A figure of every pair of graders, as a matrix; 1 on the diagonal is left out.

    Parameters
    ----------
    pairs : grader_a, grader_b and the column, between -1 and 1
    column : of `MATRICES`
    """
    place = {name: number for number, name in enumerate(graders)}
    cells: list[list[float | None]] = [[None] * len(graders) for _ in graders]
    for one, other, value in zip(pairs["grader_a"], pairs["grader_b"], pairs[column], strict=True):
        known = None if pd.isna(value) else float(value)
        cells[place[one]][place[other]] = cells[place[other]][place[one]] = known
    names = [plain(beginning(name, 160)) for name in graders]
    figure = go.Figure(
        go.Heatmap(
            z=cells,
            text=[["" if value is None else f"{value:.2f}" for value in row] for row in cells],
            texttemplate="%{text}",
            customdata=[[[one, other] for other in names] for one in names],
            hovertemplate="%{customdata[0]}<br>%{customdata[1]}<br>%{z:.3f}<extra></extra>",
            hoverongaps=False,
            **CELLS | {"colorscale": SCALE, "zmin": -1},
        )
    )
    size = list(range(len(graders)))
    figure.update_layout(
        sized(BESIDES + ROW * len(graders), top=10, above=None),
        xaxis=_axis([str(number + 1) for number in size]) | {"title": MATRICES[column], "fixedrange": True},
        yaxis=_axis(numbered(graders)) | {"range": [len(graders) - 0.5, -0.5], "fixedrange": True},
    )
    return described(figure, matrix_alternative(pairs, column))


def matrix_alternative(pairs: pd.DataFrame, column: str) -> str:
    """The matrix in words."""
    known = pairs.dropna(subset=[column])
    if known.empty:
        return f"The {MATRICES[column]} is undefined for every pair of graders."
    ends = [known.loc[place] for place in (known[column].idxmin(), known[column].idxmax())]
    told = [f"{row[column]:.2f} for {row['grader_a']} and {row['grader_b']}" for row in ends]
    return f"The {MATRICES[column]}, over {len(known)} pairs of graders: from {told[0]} to {told[1]}."


def _axis(names: Sequence[str]) -> dict[str, object]:
    return named([_lines(name) for name in names], showgrid=False)


def _lines(name: str, width: int = 24) -> str:
    """A name in two lines at most, so that a phone has room for the chart."""
    short = beginning(name, 2 * width)
    return "<br>".join(plain(part) for part in (short[:width], short[width:]) if part)
