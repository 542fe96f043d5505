"""The leaderboard's chart with ranks in place of scores, and how sure each rank is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.leaderboard import in_lines


def rank_intervals_figure(
    figure: go.Figure,
    standings: Mapping[str, pd.DataFrame],
    order: Sequence[str],
    *,
    measured: str = "",
    highlighted: str | None = None,
) -> go.Figure:
    """A leaderboard figure with each run's rank and its 95% interval; the best is on top.

    Parameters
    ----------
    figure : of `leaderboard_figure`; it is left as it is
    standings : by series name, in the figure's order, rows with run_id, rank, rank_low, rank_high
    order, measured, highlighted : as there; of series that don't stand out the intervals are not drawn
    """
    drawn = go.Figure(figure)
    for trace, (name, standing) in zip(drawn.data, standings.items(), strict=True):
        rows = standing.set_index("run_id").reindex(order)
        trace.update(
            y=rows["rank"],
            error_y={
                "type": "data",
                "symmetric": False,
                "array": rows["rank_high"] - rows["rank"],
                "arrayminus": rows["rank"] - rows["rank_low"],
                "thickness": 1.2,
                "width": 2,
                "visible": highlighted in (None, name),
            },
            text=[f"{row.rank_low:g} to {row.rank_high:g}" for row in rows.itertuples()],
            hovertemplate="%{customdata[0]}<br>rank %{y:g}, 95% %{text}",
        )
    title = f"{f'{measured}: ' if measured else ''}rank with 95% interval, the best on top"
    drawn.update_yaxes(title={"text": in_lines(title)}, autorange="reversed")
    return drawn.update_layout(uirevision=f"ranks {len(order)}")


def rank_intervals_alternative(standings: Mapping[str, pd.DataFrame]) -> str:
    """What the intervals say, in words."""
    widths = {name: (rows["rank_high"] - rows["rank_low"]).median() for name, rows in standings.items()}
    said = "; ".join(f"{name}: half of them are at least {width:g} places wide" for name, width in widths.items())
    return f"Ranks with 95% intervals. {said}."
