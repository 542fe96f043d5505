"""Printed scores against ours: on the line where they agree."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.chart_layout import described
from exam_core.charts.colours import QUIET, SERIES
from exam_core.charts.leaderboard_lines import plain

SYMBOLS = ("circle", "diamond", "x", "triangle-up")
COLOURS = (SERIES[2], SERIES[0], SERIES[1], SERIES[5])
"""Green is what reproduces as the paper states it, and nothing else."""


def scores_of(rows: pd.DataFrame) -> pd.DataFrame:
    """The figures that a chart can show: scores and coefficients, not counts, that are defined.

    Parameters
    ----------
    rows : figure, printed (as text), ours and verdict

    Returns
    -------
    rows with `value`, the printed value as a number
    """
    value = rows["printed"].astype(float)
    is_count = ~rows["printed"].str.contains(".", regex=False)
    return rows.assign(value=value)[~is_count & rows["ours"].notna()]


def share_drawn(rows: pd.DataFrame) -> str:
    """How many of the figures a chart can show, and where the others are."""
    drawn, every = len(scores_of(rows)), len(rows)
    others = every - drawn
    table = f" The other {others} are counts, or undefined here, and stand in the table alone." if others else ""
    return f"{drawn} of {every} figures are scores or coefficients, and drawn.{table}"


def reproduction_figure(rows: pd.DataFrame, verdicts: Sequence[str]) -> go.Figure:
    """Printed values on the x axis, ours on the y axis, a symbol for each verdict, and the line of equality.

    The legend counts all figures of a verdict, as sentences and tables do, and says how many of them are drawn.

    Parameters
    ----------
    rows : all figures; those of `scores_of` are drawn, one at least
    verdicts : all there can be, so that each keeps its symbol and colour
    """
    figure, shown = go.Figure(), scores_of(rows)
    for verdict, symbol, shade in zip(verdicts, SYMBOLS, COLOURS, strict=True):
        group = shown[shown["verdict"] == verdict]
        figure.add_scatter(
            x=group["value"],
            y=group["ours"],
            mode="markers",
            name=_legend(verdict, len(group), int((rows["verdict"] == verdict).sum())),
            marker={"symbol": symbol, "size": 8, "color": shade},
            showlegend=len(group) > 0,
            customdata=[plain(text) for text in group["figure"]],
            hovertemplate="%{customdata}<br>printed %{x}, ours %{y:.4f}<extra></extra>",
        )
    both = shown[["value", "ours"]]
    ends = [float(both.min().min()), float(both.max().max())]
    figure.add_scatter(
        x=ends,
        y=ends,
        mode="lines",
        line={"dash": "dot", "width": 1, "color": QUIET},
        hoverinfo="skip",
        showlegend=False,
    )
    figure.update_xaxes(title="as printed: score, share or coefficient", automargin=True)
    figure.update_yaxes(title="ours, computed here", automargin=True)
    figure.update_layout(height=420, margin={"t": 30}, legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"})
    return described(figure, reproduction_alternative(shown))


def _legend(verdict: str, drawn: int, every: int) -> str:
    return f"{verdict} ({every})" if drawn == every else f"{verdict} ({every}, {drawn} drawn)"


def reproduction_alternative(shown: pd.DataFrame) -> str:
    """The figure in words."""
    counts = ", ".join(f"{count} {verdict}" for verdict, count in shown["verdict"].value_counts(sort=False).items())
    far = (shown["ours"] - shown["value"]).abs()
    farthest = shown.loc[far.idxmax()]
    return (
        f"Printed scores and coefficients against ours: {counts}. Farthest apart: {farthest['figure']}, "
        f"printed {farthest['printed']}, ours {farthest['ours']:.3f}."
    )
