"""The leaderboard as humans would have found it beside the grader's."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.chart_layout import axis, bars, described, one_a_line, sized
from exam_core.charts.colours import QUIET, colour
from exam_core.charts.leaderboard_lines import on_axis, plain
from exam_core.wording import counted

ROW = 22
"""Pixels of a line for a run."""


def corrected_figure(rows: pd.DataFrame, measure: str) -> go.Figure:
    """Each run's corrected mean with its interval, the best guess, and the grader's mean.

    Parameters
    ----------
    rows : run_id, mean, corrected, corrected_low, corrected_high, shrunk; best first
    """
    places = list(range(len(rows)))
    names = [plain(name) for name in rows["run_id"]]
    figure = go.Figure()
    figure.add_scatter(
        x=rows["corrected"],
        y=places,
        error_x=bars(
            *(rows[name] for name in ("corrected", "corrected_low", "corrected_high")),
            thickness=4,
            width=0,
            color=QUIET,
        ),
        mode="markers",
        name="corrected, 95% interval",
        marker={"symbol": "line-ns-open", "size": 14, "line": {"width": 2}, "color": colour(0)},
        customdata=list(zip(names, rows["corrected_low"], rows["corrected_high"], strict=True)),
        hovertemplate="%{customdata[0]}<br>corrected %{x:.3f}<br>95%: %{customdata[1]:.3f} to %{customdata[2]:.3f}"
        "<extra></extra>",
    )
    for name, column, symbol, place in (
        ("best guess", "shrunk", "diamond", 2),
        ("by the grader", "mean", "circle-open", 1),
    ):
        figure.add_scatter(
            x=rows[column],
            y=places,
            mode="markers",
            name=name,
            marker={"symbol": symbol, "size": 8, "color": colour(place), "line": {"width": 2}},
            customdata=names,
            hovertemplate=f"%{{customdata}}<br>{name} %{{x:.3f}}<extra></extra>",
        )
    figure.update_layout(
        sized(140 + ROW * len(rows), above=1.0),
        xaxis=axis(measure),
        yaxis=one_a_line(on_axis(rows["run_id"]), showgrid=False),
    )
    return described(figure, corrected_alternative(rows, measure))


def corrected_alternative(rows: pd.DataFrame, measure: str) -> str:
    """The chart in words."""
    best = rows.iloc[0]
    width = float((rows["corrected_high"] - rows["corrected_low"]).mean() / 2)
    return (
        f"{measure} of {counted({'runs': len(rows)})} as humans would grade (± {width:.3f} on average), beside "
        f"the grader's. {best['run_id']} leads with {best['shrunk']:.3f}; the grader gives it {best['mean']:.3f}."
    )
