"""Figure 2 of EXAM++: runs in the reference's order, a series for each method, with error bars."""

from __future__ import annotations

import html
from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "star", "x", "hexagon", "pentagon")
SPREAD = 0.5
"""Share of the distance between two runs over which the series are set side by side."""


def leaderboard_figure(
    boards: Mapping[str, pd.DataFrame], order: list[str], *, raw: bool, reference: str | None = None
) -> go.Figure:
    """Scores of runs by method, with one standard error up and down.

    Parameters
    ----------
    boards : by series name, rows with run_id, mean, stderr, normalised, normalised_stderr
    order : the runs from left to right
    raw : show the scores as they are; otherwise re-normalised to 0..1, errors divided by the same range
    reference : whose order it is; runs that it doesn't rank are set off on the right

    Source: EXAM++, figure 2.
    """
    score, error = ("mean", "stderr") if raw else ("normalised", "normalised_stderr")
    figure = go.Figure()
    for place, (name, board) in enumerate(boards.items()):
        rows = board.set_index("run_id").reindex(order)
        shift = SPREAD * ((place + 0.5) / len(boards) - 0.5)
        figure.add_scatter(
            x=[run + shift for run in range(len(order))],
            y=rows[score],
            name=plain(name),
            mode="markers+lines",
            line={"width": 1},
            opacity=0.95,
            marker={"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 8},
            error_y={"type": "data", "array": rows[error], "thickness": 1.2, "width": 2},
            customdata=[[plain(run), rank] for run, rank in zip(order, rows["rank"], strict=True)],
            hovertemplate="%{customdata[0]}<br>%{y:.3f} ± %{error_y.array:.3f}<br>rank %{customdata[1]}",
        )
    figure.update_layout(
        xaxis={
            "tickmode": "array",
            "tickvals": list(range(len(order))),
            "ticktext": [plain(run) for run in order],
            "tickangle": -60,
            "range": [-0.7, len(order) - 0.3],
            "automargin": True,
        },
        yaxis={"title": "score" if raw else "re-normalised score", "automargin": True, "zeroline": False},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        margin={"l": 10, "r": 10, "t": 40, "b": 10},
        height=520,
        hovermode="closest",
    )
    _set_off_unranked(figure, boards, order, reference)
    return figure


def _set_off_unranked(
    figure: go.Figure, boards: Mapping[str, pd.DataFrame], order: list[str], reference: str | None
) -> None:
    """A line before the runs that the reference does not rank."""
    ranked: set[str] = set()
    for board in boards.values():
        ranked |= set(board.loc[board["reference_rank"].notna(), "run_id"])
    if reference is None or not 0 < len(ranked) < len(order):
        return
    figure.add_vline(x=len(ranked) - 0.5, line={"width": 1, "dash": "dot", "color": "gray"})
    figure.add_annotation(
        x=len(order) - 0.4,
        y=1,
        yref="paper",
        yanchor="bottom",
        xanchor="right",
        text=f"not ranked by {plain(reference)}",
        showarrow=False,
        font={"size": 11, "color": "gray"},
    )


def leaderboard_alternative(boards: Mapping[str, pd.DataFrame], order: list[str], reference: str | None) -> str:
    """The chart in words, for those who don't see it."""
    best = "; ".join(f"{name}: best is {rows['run_id'].iloc[0]}" for name, rows in boards.items() if len(rows))
    sorted_by = f"in the order of {reference}" if reference else "by the first method's score"
    return f"Scores with standard errors of {len(order)} runs {sorted_by}, {len(boards)} series. {best}."


def plain(text: str) -> str:
    """A name as Plotly shows it letter for letter: Plotly reads some HTML in its texts."""
    return html.escape(text, quote=False)
