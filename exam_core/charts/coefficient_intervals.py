"""Correlation coefficients of one or several leaderboards, with their intervals."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.chart_layout import axis, beside, described, one_a_line, sized
from exam_core.charts.colours import SERIES
from exam_core.charts.leaderboard_lines import SYMBOLS, plain

NAMES = {
    "spearman": "Spearman",
    "kendall": "Kendall",
    "tau_ap": "tau-AP a",
    "tau_ap_b": "tau-AP b",
    "rbo": "RBO",
}
"""The coefficients that are drawn: those of ranks, which share a scale."""
ROW, SPREAD = 60, 0.6
"""Height of a leaderboard in pixels, and the share of it that its coefficients take."""


def coefficients_figure(rows: pd.DataFrame) -> go.Figure:
    """Rank correlations, a line for each leaderboard and a symbol for each coefficient, with 95% intervals.

    Parameters
    ----------
    rows : leaderboard, reference, and of each coefficient its value and `..._interval`, a pair or None
    """
    figure = go.Figure()
    for number, (column, name) in enumerate(NAMES.items()):
        shift = beside(number, len(NAMES), SPREAD)
        figure.add_scatter(
            x=rows[column],
            y=[place + shift for place in range(len(rows))],
            name=name,
            mode="markers",
            marker={"symbol": SYMBOLS[number], "size": 9, "color": SERIES[number]},
            customdata=[[plain(one)] for one in rows["leaderboard"]],
            hovertemplate=f"%{{customdata[0]}}<br>{name} %{{x:.3f}}<extra></extra>",
        )
        add_intervals(figure, [pair or (None, None) for pair in rows[f"{column}_interval"]], shift, SERIES[number])
    against = ", ".join(dict.fromkeys(rows["reference"]))
    figure.update_layout(
        sized(140 + ROW * len(rows), above=1.0),
        xaxis=axis(f"rank correlation with {plain(against)}"),
        yaxis=one_a_line([plain(name) for name in rows["leaderboard"]]),
    )
    return described(figure, coefficients_alternative(rows))


def coefficients_alternative(rows: pd.DataFrame) -> str:
    """The chart in words."""
    told = [
        f"{row['leaderboard']}: {', '.join(f'{name} {_number(row[column])}' for column, name in NAMES.items())}"
        for row in rows.to_dict("records")
    ]
    return f"Rank correlations with the reference. {'; '.join(told)}."


def add_intervals(figure: go.Figure, pairs: list[tuple[float | None, float | None]], shift: float, ink: str) -> None:
    """Add the interval of each row, which lie below each other: lines and no error bars, which start at what was
    observed, since an interval need not hold that.

    Parameters
    ----------
    shift : of all rows, downwards
    """
    figure.add_scatter(
        x=[x for low, high in pairs for x in (low, high, None)],
        y=[y for place in range(len(pairs)) for y in (place + shift, place + shift, None)],
        mode="lines",
        line={"width": 2, "color": ink},
        showlegend=False,
        hoverinfo="skip",
        zorder=-1,
    )


def _number(value: float) -> str:
    return "undefined" if pd.isna(value) else f"{value:.3f}"
