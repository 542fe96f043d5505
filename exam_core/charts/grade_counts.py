"""How often a grader gave each grade."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.chart_layout import described, sized
from exam_core.wording import counted

UNREADABLE = "unreadable"


def ratings_figure(rows: pd.DataFrame) -> go.Figure:
    """One bar for each grade, and a hatched one for answers that no grade could be read from.

    Parameters
    ----------
    rows : grade (null: unreadable), count, share; in the order of the bars
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
        sized(340, top=30, above=None),
        xaxis={"title": "grade", "type": "category", "automargin": True},
        yaxis={"title": "grades", "automargin": True, "rangemode": "tozero", "tickformat": ",d"},
    )
    return described(figure, ratings_alternative(rows))


def ratings_alternative(rows: pd.DataFrame) -> str:
    """The chart in words."""
    if not rows["count"].sum():
        return "No grades."
    said = [f"{name}: {count:,}" for name, count in zip(_names(rows), rows["count"], strict=True)]
    return f"{counted({'grades': rows['count'].sum()})}. {', '.join(said)}."


def _names(rows: pd.DataFrame) -> list[str]:
    return [UNREADABLE if pd.isna(grade) else str(grade) for grade in rows["grade"]]
