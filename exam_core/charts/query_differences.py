"""Charts of two runs query by query, and of how often each grade occurs."""

from __future__ import annotations

import math

import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.chart_layout import axis, sample_rows, size_layout, with_description
from exam_core.charts.leaderboard_lines import escape_name
from exam_core.wording import counted

PATTERNS = ("", "/")
"""Bars that point up are plain and those that point down hatched, so that colour is not needed to tell them."""
LONGEST = 80
"""Characters of a query that are shown on hovering."""


def differences_figure(
    rows: pd.DataFrame, *, ahead: str, behind: str, interval: tuple[float, float, float] | None = None
) -> go.Figure:
    """A bar for each query with the difference between two sides, in the order of the rows.

    Rows have query_id, query_text and difference; NaN is a gap. `ahead` is better where bars point up, `behind` where
    they point down. The interval, a mean difference with its ends, is drawn across.
    """
    figure, words = go.Figure(), differences_alternative(rows, ahead=ahead, behind=behind)
    rows, which = sample_rows(rows.assign(place=range(1, len(rows) + 1)))
    hover = [
        [escape_name(_short(query, text)), query]
        for query, text in zip(rows["query_id"], rows["query_text"], strict=True)
    ]
    details = pd.Series(hover, rows.index, dtype=object)
    for name, pattern, up in ((ahead, PATTERNS[0], True), (behind, PATTERNS[1], False)):
        mine = rows["difference"] > 0 if up else rows["difference"] <= 0
        figure.add_bar(
            x=rows.loc[mine, "place"],
            y=rows.loc[mine, "difference"],
            name=f"{escape_name(name)} is better",
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
        size_layout(340, top=30),
        xaxis=axis(f"queries, in the order of the table{which}"),
        yaxis={"title": "difference", "automargin": True},
        showlegend=True,
        bargap=0.15,
        barmode="overlay",
    )
    return with_description(figure, words)


def differences_alternative(rows: pd.DataFrame, *, ahead: str, behind: str) -> str:
    """The chart of differences in words."""
    up, down = (rows["difference"] > 0).sum(), (rows["difference"] < 0).sum()
    queries = counted({"queries": len(rows)})
    text = f"Differences on {queries}: {ahead} is better on {up}, {behind} on {down}."
    known = rows["difference"].dropna()
    if not up + down:
        return text
    largest = rows.loc[known.abs().idxmax()]
    return f"{text} The largest is {largest['difference']:+.3f}, on {largest['query_id']}."


def _short(query: str, text: object) -> str:
    if not isinstance(text, str):
        return query
    return f"{query}: {text[:LONGEST]}{'…' if len(text) > LONGEST else ''}"


UNREADABLE = "unreadable"


def ratings_figure(rows: pd.DataFrame) -> go.Figure:
    """One bar for each grade, and a hatched one for unreadable answers.

    The rows have grade (null: unreadable), count and share, in the order of the bars.
    """
    figure = go.Figure()
    unread = rows["grade"].isna()
    for name, mine, pattern in (("grade", rows[~unread], ""), (UNREADABLE, rows[unread], "/")):
        figure.add_bar(
            x=_names(mine),
            y=mine["count"],
            name=name,
            text=[f"{count:,}" for count in mine["count"]],
            customdata=mine["share"],
            textposition="outside",
            cliponaxis=False,
            marker={"pattern": {"shape": pattern}},
            hovertemplate="%{x}: %{y:,} (%{customdata:.1%})<extra></extra>",
        )
    figure.update_layout(
        size_layout(340, top=30, above=None),
        xaxis={"title": "grade", "type": "category", "automargin": True},
        yaxis={"title": "grades", "automargin": True, "rangemode": "tozero", "tickformat": ",d"},
    )
    return with_description(figure, ratings_alternative(rows))


def ratings_alternative(rows: pd.DataFrame) -> str:
    """The chart in words."""
    if not rows["count"].sum():
        return "No grades."
    sentences = [f"{name}: {count:,}" for name, count in zip(_names(rows), rows["count"], strict=True)]
    return f"{counted({'grades': rows['count'].sum()})}. {', '.join(sentences)}."


def _names(rows: pd.DataFrame) -> list[str]:
    return [UNREADABLE if pd.isna(grade) else str(grade) for grade in rows["grade"]]
