"""Nugget scores of runs as bars, and what a leaderboard owes to which nuggets are vital."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from exam_core.charts.chart_layout import at_edge, described, margin, sized
from exam_core.charts.colours import QUIET, colour
from exam_core.charts.leaderboard_lines import on_axis, plain
from exam_core.wording import counted

ROW = 34
SHARES = {"vital": "Vital", "weighted": "Weighted", "all": "All"}


def scores_figure(rows: pd.DataFrame) -> go.Figure:
    """The strict score of each run on the lenient one, for vital, weighted and all nuggets side by side.

    Parameters
    ----------
    rows : run_id and the six scores, best first
    """
    figure = make_subplots(
        cols=len(SHARES), shared_yaxes=True, horizontal_spacing=0.06, subplot_titles=list(SHARES.values())
    )
    names = [plain(name) for name in rows["run_id"]]
    places = list(range(len(rows)))
    for column, name in enumerate(SHARES, 1):
        for strict, width in ((False, 0.8), (True, 0.45)):
            figure.add_bar(
                x=rows[f"{'strict_' if strict else ''}{name}_score"],
                y=places,
                orientation="h",
                width=width,
                name="support alone (strict)" if strict else "partial support as half",
                showlegend=column == 1,
                legendgroup="strict" if strict else "lenient",
                marker={
                    "color": colour(0) if strict else QUIET,
                    "pattern": {"shape": "" if strict else "/"},
                },
                customdata=names,
                hovertemplate="%{customdata}<br>%{x:.3f}",
                row=1,
                col=column,
            )
    figure.update_xaxes(range=[0, 1], automargin=True, zeroline=False)
    figure.update_xaxes(title="share of nuggets supported", col=2)  # three titles would cover each other on a telephone
    figure.update_yaxes(range=[len(rows) - 0.4, -0.6], automargin=True, zeroline=False, showgrid=False)
    figure.update_yaxes(tickmode="array", tickvals=places, ticktext=on_axis(rows["run_id"]), col=1)
    figure.update_layout(
        barmode="overlay",
        legend=at_edge(top=False),
        margin=margin() | {"b": 80},
        height=180 + ROW * len(rows),
    )
    return described(figure, scores_alternative(rows))


def scores_alternative(rows: pd.DataFrame) -> str:
    """The chart in words."""
    known = rows.dropna(subset=["strict_vital_score"])
    if known.empty:
        return "No run has a vital score."
    best = known.iloc[0]
    return (
        f"Nugget scores of {counted({'runs': len(rows)})}. By support of vital nuggets alone "
        f"{best['run_id']} leads with "
        f"{best['strict_vital_score']:.3f}, {best['vital_score']:.3f} with partial support as half."
    )


def taus_figure(kendall: Sequence[float], fixed: dict[str, float]) -> go.Figure:
    """How often Kendall's tau-b of a shuffle's leaderboard with the one as it is has a value.

    Parameters
    ----------
    kendall : tau-b of each shuffle
    fixed : tau-b of other ways to label the nuggets, by their names; those that are undefined have no line
    """
    figure = go.Figure()
    figure.add_histogram(
        x=kendall, xbins={"start": -1.025, "end": 1.025, "size": 0.05}, name="shuffles", marker={"color": colour(0)}
    )
    for place, (name, tau) in enumerate(fixed.items()):
        if not pd.isna(tau):
            figure.add_vline(
                x=tau,
                line={"dash": ("dash", "dot")[place % 2], "width": 2},
                annotation={"text": f"{name} {tau:.2f}", "yshift": -14 * place},
            )
    figure.update_layout(
        sized(320, top=30, above=None),
        xaxis={"title": "Kendall's tau-b with the unchanged leaderboard", "range": [-1.05, 1.05], "automargin": True},
        yaxis={"title": "shuffles", "automargin": True},
        bargap=0.05,
    )
    return described(figure, taus_alternative(kendall))


def taus_alternative(kendall: Sequence[float]) -> str:
    """The chart in words."""
    known = pd.Series(kendall, dtype=float).dropna()
    if known.empty:
        return "No shuffled leaderboard can be compared with the unchanged one."
    return (
        f"Kendall's tau-b of {len(known):,} shuffles with the unchanged leaderboard: mean {known.mean():.3f}, "
        f"from {known.min():.3f} to {known.max():.3f}."
    )
