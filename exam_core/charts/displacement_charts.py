"""How far runs are displaced by each method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.chart_layout import axis, beside, described, one_a_line, sized
from exam_core.charts.colours import QUIET
from exam_core.charts.leaderboard_lines import BESIDE, SYMBOLS, in_lines, on_axis, plain, wrapped
from exam_core.wording import counted, rank_text, reference_in_words

SPREAD = 0.6
"""Share of the distance between two runs over which the methods are set one below the other."""
ROW = 22
"""Height of a run in pixels; each further method adds to it."""
PER_METHOD = 5
ROOM = 0.04
"""Share of the axis that stays free at each end."""
HOVER = "%{customdata[0]}<br>%{customdata[1]}<br>%{customdata[2]}<br>%{customdata[3]}<extra></extra>"
FILLED = "filled: significantly displaced"
DISPLACEMENT = {"rank": "rank_displacement", "score": "score_displacement"}
_NO_OUTLINE = "rgba(0, 0, 0, 0)"
"""Of filled symbols: Plotly's own is dark on the dark theme, too. Open ones are drawn in the colour of their series."""
AXIS = {
    "rank": "ranks above (+) or below (-) {reference}",
    "score": "re-normalised score above (+) or below (-) what {reference} expects",
}


def displacement_figure(rows: pd.DataFrame, methods: Sequence[str], reference: str, *, of: str = "rank") -> go.Figure:
    """Displacement of each run by each method, with intervals; the run that is promoted most comes first.

    A filled symbol is flagged or has no test, an open one is not flagged.

    Parameters
    ----------
    rows : run_id, method, rank, reference_rank, rank_displacement, score_displacement, low, high, p_holm, flagged
    methods : in the order of the symbols
    of : rank or score; intervals are of ranks
    """
    column, figure = DISPLACEMENT[of], go.Figure()
    order = runs_in_order(rows, of=of)
    place = {run_id: number for number, run_id in enumerate(order)}
    lines: list[tuple[float | None, float | None]] = []
    for number, method in enumerate(methods):
        mine = rows[rows["method"] == method]
        height = [place[run_id] + beside(number, len(methods), SPREAD) for run_id in mine["run_id"]]
        for at, low, high in zip(height, mine["low"], mine["high"], strict=True):
            lines += [(low, at), (high, at), (None, None)]
        symbol = SYMBOLS[number % len(SYMBOLS)]
        is_tested = mine["p_holm"].notna()
        symbols = [f"{symbol}-open" if one else symbol for one in is_tested & ~mine["flagged"].isin([True])]
        # The first point is none: the legend shows its symbol, which says nothing of a run.
        usual = f"{symbol}-open" if is_tested.any() else symbol
        figure.add_scatter(
            x=[None, *mine[column]],
            y=[None, *height],
            name=wrapped(method),
            legendgroup=method,
            mode="markers",
            marker={"symbol": [usual, *symbols], "size": 9, "line": {"width": 2, "color": _NO_OUTLINE}},
            customdata=[None, *(of_point(row, of=of) for row in mine.itertuples())],
            hovertemplate=HOVER,
        )
    if rows["p_holm"].notna().any():
        _explain_filled(figure)
    if of == "rank" and rows["low"].notna().any():
        _draw_intervals(figure, lines)
    figure.add_vline(x=0, line={"width": 1, "color": QUIET})
    figure.update_layout(
        sized(140 + len(order) * (ROW + PER_METHOD * (len(methods) - 1)), above=1.0),
        xaxis=axis(
            in_lines(axis_title(methods, reference, of), BESIDE),
            **with_room(rows[[column, *(("low", "high") if of == "rank" else ())]].to_numpy(float)),
        ),
        yaxis=one_a_line(on_axis(order)),
    )
    return described(figure, displacement_alternative(rows, methods, reference, of=of))


def of_point(row: Any, *, of: str) -> list[str]:
    """A point's run and method in Plotly's letters, its move and its ranks; last the run and the method."""
    moved = in_cell(getattr(row, DISPLACEMENT[of]), of)
    ranks = f"rank {rank_text(row.rank)}, in the reference {rank_text(row.reference_rank)}"
    said = [plain(row.run_id), plain(row.method), f"{moved}{in_words(row.low, row.high)}", ranks]
    return [*said, row.run_id, row.method]


def in_cell(moved: float, of: str) -> str:
    """A displacement with its sign."""
    return (f"{round(moved, 1):+g}" if of == "rank" else f"{moved:+.2f}") if moved else "0"


def with_room(ends: npt.NDArray[np.float64]) -> dict[str, list[float]]:
    """A range that keeps the outermost symbols and intervals off the frame."""
    if np.isnan(ends).all():
        return {}
    low, high = min(0.0, float(np.nanmin(ends))), max(0.0, float(np.nanmax(ends)))
    room = ROOM * (high - low or 1.0)
    return {"range": [low - room, high + room]}


def axis_title(methods: Sequence[str], reference: str, of: str) -> str:
    """What the displacements are, and by which method where it is the only one."""
    by = f", by {methods[0]}" if len(methods) == 1 else ""
    return AXIS[of].format(reference=reference_in_words(reference)) + by


def _explain_filled(figure: go.Figure) -> None:
    """Say in the legend what filled symbols are."""
    figure.add_scatter(
        x=[None],
        y=[None],
        name=FILLED,
        mode="markers",
        marker={"symbol": "circle", "size": 9, "color": QUIET},
        hoverinfo="skip",
    )


def _draw_intervals(figure: go.Figure, lines: list[tuple[float | None, float | None]]) -> None:
    """Lines below the symbols, because an interval need not hold what was observed: no error bars."""
    figure.add_scatter(
        x=[x for x, _ in lines],
        y=[y for _, y in lines],
        name="95% interval",
        mode="lines",
        line={"width": 4, "color": QUIET},
        hoverinfo="skip",
        zorder=-1,
    )


def runs_in_order(rows: pd.DataFrame, *, of: str = "rank") -> list[str]:
    """The runs by their mean displacement over the methods, promoted ones first; those without one come last."""
    mean = rows.groupby("run_id")[DISPLACEMENT[of]].mean().rename("mean").reset_index()
    return list(mean.sort_values(["mean", "run_id"], ascending=[False, True])["run_id"])


def displacement_alternative(rows: pd.DataFrame, methods: Sequence[str], reference: str, *, of: str = "rank") -> str:
    """The chart in words."""
    order, what = runs_in_order(rows, of=of), "rank" if of == "rank" else "score"
    if not order:
        return "No run is both evaluated and ranked by the reference."
    return (
        f"Displacement by {what} of {counted({'runs': len(order)})} against {reference}, by {len(methods)} methods. "
        f"Promoted most: {order[0]}; demoted most: {order[-1]}."
    )


def in_words(low: float, high: float) -> str:
    """An interval behind a displacement; nothing where there is none."""
    return "" if pd.isna(low) or pd.isna(high) else f" (95%: {low:+.1f} to {high:+.1f})"
