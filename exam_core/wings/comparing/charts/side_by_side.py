"""Two leaderboards side by side as ranks, and two runs on printed columns."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.chart_layout import axis, described, legend, named, sized
from exam_core.charts.colours import DASHES, DEMOTED, PROMOTED, QUIET, colour
from exam_core.charts.leaderboard_lines import on_axis, plain
from exam_core.wording import counted, rank_text

PER_RUN, LEAST, MOST = 19, 340, 850
"""Pixels for each run, and for all together at least and at most."""
AROUND, APART = 90, 15
"""Pixels above and below the lines, and between two names."""
MOVES = ("higher in B", "same rank", "lower in B")
COLOURS, WIDTHS = (PROMOTED, QUIET, DEMOTED), (2.5, 1, 2.5)
"""Of the lines by their moves: what moves stands out."""


def ranks_figure(rows: pd.DataFrame, name_a: str = "A", name_b: str = "B") -> go.Figure:
    """Each run's rank on A, left, joined with its rank on B, right; lines that cross are runs in another order.

    Parameters
    ----------
    rows : run_id, rank_a, rank_b, displacement, mean_a, mean_b
    name_a, name_b : what the leaderboards are called, for the words
    """
    figure = go.Figure()
    last = max([len(rows), *rows["rank_a"].dropna(), *rows["rank_b"].dropna()])  # rows may be some of the runs
    height = min(max(LEAST, PER_RUN * round(last) + AROUND), MOST)
    apart = APART * last / (height - AROUND)
    for kind in (1, 0, 2):  # what moves lies above
        move = MOVES[kind]
        moved = rows[_move(rows["displacement"]) == 1 - kind]
        figure.add_scatter(
            x=[place for _ in range(len(moved)) for place in (0, 1, None)],
            y=_joined(moved["rank_a"], moved["rank_b"]),
            name=move,
            mode="lines+markers",
            line={"dash": (DASHES[0], DASHES[0], DASHES[1])[kind], "width": WIDTHS[kind], "color": COLOURS[kind]},
            marker={"size": (8, 4, 8)[kind], "symbol": ("triangle-up", "circle", "triangle-down")[kind]},
            connectgaps=False,
            customdata=_details(moved),
            hovertemplate="%{customdata[0]}<br>A: rank %{customdata[1]}, %{customdata[3]:.3f}"
            "<br>B: rank %{customdata[2]}, %{customdata[4]:.3f}<extra></extra>",
        )
    ends = {"autorange": False, "range": [last + 0.7, 0.3], "showgrid": False, "zeroline": False}
    figure.update_layout(
        sized(height, top=30),
        xaxis=named(["<b>A</b>", "<b>B</b>"], side="top", range=[-0.04, 1.04], showgrid=False, fixedrange=True),
        yaxis=ends | _names(rows, "rank_a", apart),
        yaxis2=ends | _names(rows, "rank_b", apart) | {"overlaying": "y", "side": "right"},
        legend=legend(-0.02, yanchor="top"),
    )
    # an axis without a trace is not drawn
    figure.add_scatter(x=[None], y=[None], yaxis="y2", showlegend=False, hoverinfo="skip")
    return described(figure, ranks_alternative(rows, name_a, name_b))


def ranks_alternative(rows: pd.DataFrame, name_a: str, name_b: str) -> str:
    """The chart of ranks in words."""
    if rows.empty:
        return "No run is on both leaderboards."
    moved = rows[rows["displacement"].abs() > 0]
    text = (
        f"Ranks of {counted({'runs': len(rows)})} by {name_a} and by {name_b}: "
        f"{counted({'runs': len(moved)})} change rank."
    )
    if len(moved):
        most = moved.loc[moved["displacement"].abs().idxmax()]
        a, b = rank_text(most["rank_a"]), rank_text(most["rank_b"])
        text += f" Farthest apart is {most['run_id']}: rank {a} on A, {b} on B."
    return text


def columns_figure(rows: pd.DataFrame, a: str, b: str) -> go.Figure:
    """Two runs on each printed column: two marks that a line joins, with their printed errors.

    Parameters
    ----------
    rows : column, mean_a, mean_b, stderr_a, stderr_b; NaN where no error is printed
    """
    figure = go.Figure()
    places = list(range(len(rows)))
    ends = _joined(rows["mean_a"], rows["mean_b"])
    lines = [end for place in places for end in (place, place, None)]
    line = {"color": "gray", "width": 2}
    figure.add_scatter(x=ends, y=lines, mode="lines", line=line, hoverinfo="skip", showlegend=False)
    for place, (side, name, symbol) in enumerate((("a", a, "circle"), ("b", b, "diamond"))):
        figure.add_scatter(
            x=rows[f"mean_{side}"],
            y=places,
            error_x={"type": "data", "array": rows[f"stderr_{side}"].fillna(0), "thickness": 1.2},
            mode="markers",
            name=f"{side.upper()}: {plain(name)}",
            marker={"size": 11, "symbol": symbol, "color": colour(place)},
            customdata=[plain(column) for column in rows["column"]],
            hovertemplate="%{customdata}: %{x}",
        )
    figure.update_layout(
        sized(max(LEAST, PER_RUN * len(rows) + 120), top=30),
        xaxis=axis("as printed", showgrid=True),
        yaxis=named(on_axis(rows["column"]), range=[len(rows) - 0.5, -0.5], showgrid=False),
    )
    return described(figure, columns_alternative(rows, a, b))


def columns_alternative(rows: pd.DataFrame, a: str, b: str) -> str:
    """The chart in words."""
    far = rows.loc[rows["difference"].abs().idxmax()]
    return (
        f"{a} and {b} on {len(rows)} printed columns. Farthest apart in {far['column']}: {far['mean_a']:g} and "
        f"{far['mean_b']:g}."
    )


def _move(displacement: pd.Series) -> pd.Series:
    """1 where a run is higher on B, -1 where it is lower, 0 where it is neither."""
    return (displacement > 0).astype(int) - (displacement < 0).astype(int)


def _joined(left: pd.Series, right: pd.Series) -> list[float | None]:
    """Both ends of each line, and a gap."""
    return [end for pair in zip(left, right, strict=True) for end in (*pair, None)]


def _details(rows: pd.DataFrame) -> list[list[object]]:
    """What hovering shows, for both ends and the gap of each line; the run's own name comes last."""
    columns = ("run_id", "rank_a", "rank_b", "mean_a", "mean_b")
    named = zip(*(rows[name] for name in columns), strict=True)
    return [[plain(run), *values, run] for run, *values in named for _ in range(3)]


def _names(rows: pd.DataFrame, rank: str, apart: float) -> dict[str, object]:
    """An axis with the runs at their ranks; what is tied shares a line.

    Parameters
    ----------
    apart : ranks between two names; where there are more runs, those that move farthest are named
    """
    named: list[float] = []
    for at in (
        rows.groupby(rank)["displacement"].agg(lambda moves: moves.abs().max()).sort_values(kind="stable")[::-1].index
    ):
        if all(abs(at - other) >= apart for other in named):
            named.append(at)
    tied = rows[rows[rank].isin(named)].groupby(rank)["run_id"].agg(list)
    firsts = on_axis(runs[0] for runs in tied)
    labels = [
        f"{name}{f' + {len(runs) - 1}' if len(runs) > 1 else ''}" for name, runs in zip(firsts, tied, strict=True)
    ]
    return {
        "tickmode": "array",
        "tickvals": tied.index.tolist(),
        "ticktext": labels,
        "automargin": True,
        "tickfont": {"size": 12},
        "fixedrange": True,
    }
