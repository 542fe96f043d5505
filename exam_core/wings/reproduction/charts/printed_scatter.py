"""How far our scores are from the printed ones, the largest difference first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.chart_layout import described
from exam_core.charts.colours import QUIET, SERIES
from exam_core.charts.leaderboard_lines import plain

NAMED = 5
"""Figures that have their name beside them at most."""
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
    """How many of the figures a chart can show, and why not the others."""
    drawn, every = len(scores_of(rows)), len(rows)
    if drawn == every:
        return f"All {every} figures are drawn."
    undefined = int(rows["ours"].isna().sum())
    counts = every - drawn - undefined
    why = [
        f"{counts} {'is a count' if counts == 1 else 'are counts'}, whose differences have another unit",
        f"{undefined} {'is' if undefined == 1 else 'are'} undefined here",
    ]
    told = ", and ".join(reason for n, reason in zip((counts, undefined), why, strict=True) if n)
    return f"{drawn} of {every} figures are drawn: {told}. All stand in the table."


def reproduction_figure(rows: pd.DataFrame, verdicts: Sequence[str], near: float) -> go.Figure:
    """Ours minus printed, figure by figure, the largest difference first, a symbol for each verdict.

    The legend counts all figures of a verdict, as sentences and tables do, and says how many of them are drawn.

    Parameters
    ----------
    rows : all figures; those of `scores_of` are drawn, one at least
    verdicts : all there can be, so that each keeps its symbol and colour
    near : how far a figure is at most from print to count as near, which a band shows
    """
    shown = scores_of(rows)
    difference = shown["ours"] - shown["value"]
    shown = shown.assign(difference=difference, far=difference.abs())
    shown = shown.sort_values("far", ascending=False, kind="stable").assign(place=range(1, len(shown) + 1))
    figure = go.Figure()
    figure.add_hrect(-near, near, line_width=0, fillcolor=QUIET, opacity=0.25)
    figure.add_hline(y=0, line={"dash": "dot", "width": 1, "color": QUIET})
    for verdict, symbol, shade in zip(verdicts, SYMBOLS, COLOURS, strict=True):
        group = shown[shown["verdict"] == verdict]
        figure.add_scatter(
            x=group["place"],
            y=group["difference"],
            mode="markers",
            name=_legend(verdict, len(group), int((rows["verdict"] == verdict).sum())),
            marker={"symbol": symbol, "size": 8, "color": shade},
            showlegend=len(group) > 0,
            customdata=[[plain(row.figure), row.printed, row.ours] for row in group.itertuples()],
            hovertemplate="%{customdata[0]}<br>printed %{customdata[1]}, ours %{customdata[2]:.4f}<extra></extra>",
        )
    for row in _apart(shown, near):
        figure.add_annotation(
            x=row.place, y=row.difference, text=plain(row.figure), showarrow=False, xanchor="left", xshift=8
        )
    figure.update_xaxes(title="printed figures, the largest difference first", rangemode="tozero", automargin=True)
    figure.update_yaxes(title="ours minus printed", automargin=True)
    figure.update_layout(height=420, margin={"t": 30}, legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"})
    return described(figure, reproduction_alternative(shown))


def _apart(shown: pd.DataFrame, near: float) -> list[Any]:
    """Of the largest differences those that have room for a name beside them."""
    differences = shown["difference"].to_numpy(float)
    room = 0.04 * (max(differences.max(), near) - min(differences.min(), -near))
    beside = len(shown) // 3  # as far as a name reaches
    return [
        row
        for place, row in enumerate(shown.head(NAMED).itertuples(), 1)
        if row.far > near and (abs(differences[place : place + beside] - row.difference) >= room).all()
    ]


def _legend(verdict: str, drawn: int, every: int) -> str:
    return f"{verdict} ({every})" if drawn == every else f"{verdict} ({every}, {drawn} drawn)"


def reproduction_alternative(shown: pd.DataFrame) -> str:
    """The figure in words."""
    counts = ", ".join(f"{count} {verdict}" for verdict, count in shown["verdict"].value_counts(sort=False).items())
    farthest = shown.loc[(shown["ours"] - shown["value"]).abs().idxmax()]
    return (
        f"Ours minus printed scores and coefficients, the largest difference first: {counts}. Farthest apart: "
        f"{farthest['figure']}, printed {farthest['printed']}, ours {farthest['ours']:.3f}."
    )
