"""The first runs of a leaderboard, one below the other."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.chart_layout import bounded, described, errors, margin, spreads
from exam_core.charts.leaderboard_lines import plain
from exam_core.wording import counted, rank_texts

ROW, SPACE = 28, 0.04
"""Pixels of a run; what is left free at both ends of an axis, of its length."""


def top_figure(
    rows: pd.DataFrame, measure: str, bounds: tuple[float, float], reach: tuple[float, float] | None = None
) -> go.Figure:
    """Means of runs with one standard error to either side, the best run on top.

    Parameters
    ----------
    rows : run_id, mean, stderr (null where it is not known), rank; best first
    measure : as the axis names it
    bounds : of what a mean can be
    reach : what the axis shows; by default what these runs take. Boards that follow each other have one axis, on which
        a run is seen to move
    """
    known = bool(rows["stderr"].notna().any())
    spread = "%{hovertext}" if known else ""
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": rows["mean"],
        "y": [plain(run) for run in rows["run_id"]],
        "error_x": errors(rows["mean"], rows["stderr"], bounds, thickness=1.5, width=3, visible=known),
        "hovertext": spreads(rows["stderr"]) if known else None,
        "marker": {"size": 10},
        "cliponaxis": False,
        "customdata": list(zip(rows["run_id"].map(plain), rank_texts(rows["rank"]), strict=True)),
        "hovertemplate": f"%{{customdata[0]}}<br>%{{x:.3f}}{spread}<br>rank %{{customdata[1]}}<extra></extra>",
    }
    title = plain(measure) + (" ± standard error" if known else "")
    layout = {
        "xaxis": {"title": {"text": title}, "automargin": True} | bounded(bounds) | ({"range": reach} if reach else {}),
        "yaxis": {"type": "category", "autorange": "reversed", "automargin": True, "showgrid": True},
        "height": ROW * len(rows) + 70,
        "margin": margin(10) | {"r": 20},
        "showlegend": False,
    }
    return described(go.Figure({"data": [trace], "layout": layout}), top_alternative(rows, measure))


def reach_of(boards: Iterable[pd.DataFrame]) -> tuple[float, float] | None:
    """From the least to the largest mean of several boards with their errors, and some space; None without means."""
    every = pd.concat([pd.DataFrame(columns=["mean", "stderr"]), *boards])
    spread = every["stderr"].fillna(0)
    low, high = (every["mean"] - spread).min(), (every["mean"] + spread).max()
    space = (high - low) * SPACE
    return (low - space, high + space) if space > 0 else None


def top_alternative(rows: pd.DataFrame, measure: str) -> str:
    """The chart in words."""
    said = [f"{row.run_id} {row.mean:.3f}" for row in rows.itertuples()]
    return f"The first {counted({'runs': len(rows)})} by {measure}: {', '.join(said)}."
