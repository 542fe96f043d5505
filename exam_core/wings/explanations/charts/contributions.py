"""What a displacement is made of, query by query."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.chart_layout import axis, beginning, described, named, sized
from exam_core.charts.colours import DEMOTED, PROMOTED, QUIET
from exam_core.charts.displacement_charts import with_room
from exam_core.charts.leaderboard_lines import BESIDE, in_lines, plain
from exam_core.wording import counted, shortened

QUERY_ROW = 22
"""Height of a query in pixels."""
ASKED = 34
"""Letters of a query beside its bar."""


def contributions_figure(every: pd.DataFrame, run_id: str, method: str = "", most: int | None = None) -> go.Figure:
    """What each query adds to the difference between a run and its neighbours, in the given order.

    Parameters
    ----------
    every : query_id, query_text, value, neighbours, difference, contribution; the first is shown at the top
    method : whose means they are
    most : of so many queries; the words are about all
    """
    queries = every.head(len(every) if most is None else most)
    adds = queries["contribution"]
    figure = go.Figure()
    figure.add_bar(
        x=adds,
        y=list(range(len(queries))),
        orientation="h",
        marker={"color": [PROMOTED if one > 0 else DEMOTED for one in adds]},
        text=[f"{one:+.3f}" for one in adds],
        textposition="outside",
        cliponaxis=False,
        customdata=[
            [plain(row.query_id), plain(beginning(row.query_text)), row.value, row.neighbours]
            for row in queries.itertuples()
        ],
        hovertemplate=(
            "%{customdata[0]} %{customdata[1]}<br>"
            f"{plain(run_id)} %{{customdata[2]:.3f}}, neighbours %{{customdata[3]:.3f}}<br>adds %{{x:+.4f}}"
        ),
    )
    figure.add_vline(x=0, line={"width": 1, "color": QUIET})
    figure.update_layout(
        sized(110 + QUERY_ROW * len(queries), top=20, above=None),
        xaxis=axis(
            in_lines(f"adds to the difference of the means{f' of {method}' if method else ''}", BESIDE),
            **with_room(1.2 * adds.to_numpy(float)),
        ),
        yaxis=named(
            [plain(shortened(beginning(row.query_text) or row.query_id, ASKED)) for row in queries.itertuples()],
            autorange="reversed",
            zeroline=None,
        ),
    )
    return described(figure, contributions_alternative(every, run_id))


def contributions_alternative(queries: pd.DataFrame, run_id: str) -> str:
    """The chart in words."""
    if queries.empty:
        return "There are no queries."
    ahead, behind = ((sign * queries["difference"] > 0).sum() for sign in (1, -1))
    return (
        f"{run_id} is ahead of its neighbours on {ahead} of {counted({'queries': len(queries)})} and "
        f"behind on {behind}. Query "
        f"{queries['query_id'].iloc[0]} moves it most."
    )
