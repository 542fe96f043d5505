"""Two leaderboards side by side as ranks, and differences query by query."""

from __future__ import annotations

import math

import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.chart_layout import axis, described, legend, named, sized
from exam_core.charts.colours import DASHES, DEMOTED, PROMOTED, QUIET, colour
from exam_core.charts.leaderboard_lines import on_axis, plain

PER_RUN, LEAST, MOST = 19, 340, 850
"""Pixels for each run, and for all together at least and at most."""
AROUND, APART = 90, 15
"""Pixels above and below the lines, and between two names."""
MOVES = ("higher in B", "same rank", "lower in B")
COLOURS, WIDTHS = (PROMOTED, QUIET, DEMOTED), (2.5, 1, 2.5)
"""Of the lines by their moves: what moves stands out."""
PATTERNS = ("", "/")
"""Bars that point up are plain and those that point down hatched, so that colour is not needed to tell them."""
LONGEST = 80
"""Characters of a query that are shown on hovering."""


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
    text = f"Ranks of {len(rows)} runs by {name_a} and by {name_b}: {len(moved)} runs change rank."
    if len(moved):
        most = moved.loc[moved["displacement"].abs().idxmax()]
        text += f" Farthest apart is {most['run_id']}: rank {most['rank_a']:g} on A, {most['rank_b']:g} on B."
    return text


def differences_figure(
    rows: pd.DataFrame, *, ahead: str, behind: str, interval: tuple[float, float, float] | None = None
) -> go.Figure:
    """A bar for each query, how far one side is above the other, in the order of the rows.

    Parameters
    ----------
    rows : query_id, query_text, difference; NaN is a gap
    ahead, behind : who is above in bars that point up, and in those that point down
    interval : mean difference with the ends of its interval, drawn across
    """
    figure = go.Figure()
    places = pd.Series(range(1, len(rows) + 1), rows.index)
    hover = [
        [plain(_short(query, text)), query] for query, text in zip(rows["query_id"], rows["query_text"], strict=True)
    ]
    details = pd.Series(hover, rows.index, dtype=object)
    for name, pattern, up in ((ahead, PATTERNS[0], True), (behind, PATTERNS[1], False)):
        mine = rows["difference"] > 0 if up else rows["difference"] <= 0
        figure.add_bar(
            x=places[mine],
            y=rows.loc[mine, "difference"],
            name=f"{plain(name)} is better",
            marker={"pattern": {"shape": pattern, "solidity": 0.35}},
            unselected={"marker": {"opacity": 0.6}},
            customdata=details[mine].tolist(),
            hovertemplate="%{customdata[0]}<br>%{y:+.3f}<extra></extra>",
        )
    if interval and not any(math.isnan(value) for value in interval):
        mean, low, high = interval
        figure.add_hrect(low, high, line_width=0, fillcolor="gray", opacity=0.25, layer="below")
        figure.add_hline(mean, line={"width": 1.5, "dash": "dash", "color": "gray"})
        named = {"xref": "x domain", "xanchor": "right", "yanchor": "bottom", "showarrow": False}
        figure.add_annotation(x=1, y=high, text="mean difference, 95% interval", **named)
    figure.update_layout(
        sized(340, top=30),
        xaxis=axis("queries, in the order of the table"),
        yaxis={"title": "difference", "automargin": True},
        showlegend=True,
        bargap=0.15,
        barmode="overlay",
    )
    return described(figure, differences_alternative(rows, ahead=ahead, behind=behind))


def differences_alternative(rows: pd.DataFrame, *, ahead: str, behind: str) -> str:
    """The chart of differences in words."""
    up, down = (rows["difference"] > 0).sum(), (rows["difference"] < 0).sum()
    queries = "1 query" if len(rows) == 1 else f"{len(rows)} queries"
    text = f"Differences on {queries}: {ahead} is better on {up}, {behind} on {down}."
    known = rows["difference"].dropna()
    if not up + down:
        return text
    largest = rows.loc[known.abs().idxmax()]
    return f"{text} The largest is {largest['difference']:+.3f}, on {largest['query_id']}."


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


def _short(query: str, text: object) -> str:
    """A query's name and the beginning of its text."""
    if not isinstance(text, str):
        return query
    return f"{query}: {text[:LONGEST]}{'…' if len(text) > LONGEST else ''}"
