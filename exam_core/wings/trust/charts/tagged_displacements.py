"""Displacement of tagged runs by every method, with intervals."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.chart_layout import axis, bars, beside, described, one_a_line, sized
from exam_core.charts.colours import colour
from exam_core.charts.leaderboard_lines import SYMBOLS, in_lines, plain

ROW, SPREAD, BESIDES = 26, 0.6, 130
"""Height of a method and tag in pixels, the share of a method's lines that its tags take, and what stands around."""


def circularity_figure(rows: pd.DataFrame, reference: str) -> go.Figure:
    """Displacement of scores, a line for each method and a symbol for each tag, with 95% intervals.

    Parameters
    ----------
    rows : tag, method, score_displacement, score_low, score_high; what is undefined is left out
    reference : its name, for the axis
    """
    rows = rows.dropna(subset=["score_displacement"])
    methods, tags = list(dict.fromkeys(rows["method"])), list(dict.fromkeys(rows["tag"]))
    figure = go.Figure()
    for number, tag in enumerate(tags):
        mine = rows[rows["tag"] == tag]
        moved, high, low = (mine[f"score_{name}"] for name in ("displacement", "high", "low"))
        shift = beside(number, len(tags), SPREAD)
        figure.add_scatter(
            x=moved,
            y=[methods.index(method) + shift for method in mine["method"]],
            error_x=bars(moved, low, high, width=4),
            name=plain(tag),
            mode="markers",
            marker={"symbol": SYMBOLS[number % len(SYMBOLS)], "size": 9, "color": colour(number)},
            customdata=[[plain(method), a, b] for method, a, b in zip(mine["method"], low, high, strict=True)],
            hovertemplate="%{customdata[0]}<br>%{x:+.3f} (%{customdata[1]:+.3f} to %{customdata[2]:+.3f})"
            f"<extra>{plain(tag)}</extra>",
        )
    figure.add_vline(0, line={"width": 1, "color": "gray"})
    figure.update_layout(
        sized(BESIDES + max(40, ROW * len(tags)) * len(methods), above=1.0),
        xaxis=axis(in_lines(f"score above what {plain(reference)} expects")),
        yaxis=one_a_line([in_lines(plain(name)) for name in methods]),
        showlegend=True,
    )
    return described(figure, circularity_alternative(rows, reference))


def circularity_alternative(rows: pd.DataFrame, reference: str) -> str:
    """The chart in words."""
    known = rows.dropna(subset=["score_displacement"])
    told = [f"{row.tag} by {row.method} {row.score_displacement:+.3f}" for row in known.itertuples()]
    return f"Displacement of scores of tagged runs against {reference}: {'; '.join(told) or 'undefined'}."
