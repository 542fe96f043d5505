"""Figure 2 of EXAM++: runs in the reference's order, a line for each grading mode, with error bars."""

from __future__ import annotations

import html
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.colours import CHOSEN, QUIET
from exam_core.wording import in_lines as name_in_lines
from exam_core.wording import shortened

SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "star", "x", "hexagon", "pentagon")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
GAP = 0.5
"""Share of the distance between two runs that the series, side by side, leave free."""
MANY = 24
"""From so many runs on, their names stand upright."""
LINE = 40
"""Characters of a grader's name on a line of the legend."""
LONGEST = 24
"""Characters of a run's name on an axis; hovering tells the whole."""
TITLE = 48
"""Characters of an axis' title on a line: as many as a telephone has room for."""
BESIDE = 34
"""The same where names of runs stand beside the axis."""


def leaderboard_figure(
    boards: Mapping[str, pd.DataFrame],
    order: list[str],
    *,
    raw: bool,
    reference: str | None = None,
    measured: str = "",
    highlighted: str | None = None,
    ringed: str | None = None,
) -> go.Figure:
    """Scores of runs by method, with one standard error up and down.

    Parameters
    ----------
    boards : by series name, rows with run_id, mean, stderr, normalised, normalised_stderr
    order : the runs from left to right; boards may have more
    raw : show the scores as they are; otherwise re-normalised to 0..1, errors divided by the same range
    reference : whose order it is; runs that it doesn't rank are set off on the right
    measured : the measure and its tau, for the axis; empty where boards differ in it
    highlighted : the series that stands out from the others, which are grey; without one all have their colours
    ringed : a run whose points have a ring

    Source: EXAM++, figure 2.
    """
    names = on_axis(order)
    layout = {
        "xaxis": _runs_axis(names),
        "scattermode": "group",
        "scattergap": GAP,
        "yaxis": {
            "title": {"text": in_lines(score_title(boards, raw=raw, measured=measured))},
            "automargin": True,
            "zeroline": False,
        },
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "showlegend": bool(boards),
        "margin": {"l": 10, "r": 10, "t": 40, "b": 10},
        "height": 520,
        # Plotly keeps what a user zoomed to while this stays the same.
        "uirevision": f"{'raw' if raw else 're-normalised'} {len(order)}",
        "hovermode": "closest",
        **_set_off_unranked(boards, order, reference),
    }
    traces = [
        _trace(place, name, board.set_index("run_id").reindex(order), names, raw=raw)
        | ({} if highlighted in (None, name) else _quiet(place))
        for place, (name, board) in enumerate(boards.items())
    ]
    for trace in traces if ringed in order else ():
        _ring(trace, order.index(str(ringed)))
    # Made in one piece: the slider waits for it, and every later update of a figure costs milliseconds.
    return go.Figure({"data": traces, "layout": layout})


def _runs_axis(names: Sequence[str]) -> dict[str, Any]:
    """An axis of names; Plotly leaves out those that there is no room for, on a telephone for instance."""
    return {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": names,
        "tickangle": -90 if len(names) > MANY else -60,
        "tickfont": {"size": 12},
        "range": [-0.7, len(names) - 0.3],
        "automargin": True,
    }


def _trace(place: int, name: str, rows: pd.DataFrame, names: list[str], *, raw: bool) -> dict[str, Any]:
    """A series, its rows in the order of the runs."""
    return {
        "type": "scatter",
        "x": names,
        "offsetgroup": str(place),
        "name": wrapped(name),
        "mode": "markers+lines",
        "cliponaxis": False,
        "line": {"width": 1, "dash": DASHES[place % len(DASHES)]},
        "marker": {"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 8},
        "customdata": list(zip(map(plain, rows.index), rows["rank"], rows.index, strict=True)),
        **_scores(rows, raw=raw),
    }


def _ring(trace: dict[str, Any], place: int) -> None:
    """Give a series' point of one run a ring, and more size."""
    marker, others = trace["marker"], range(len(trace["x"]))
    trace["marker"] = marker | {
        "size": [16 if one == place else marker["size"] for one in others],
        "line": {"color": CHOSEN, "width": [3 if one == place else 0 for one in others]},
    }


def _quiet(place: int) -> dict[str, Any]:
    """What makes a series grey, and puts it behind the one that stands out."""
    return {
        "line": {"width": 1, "color": QUIET},
        "marker": {"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 6, "color": QUIET},
        "error_y": {"visible": False},
        "zorder": -1,
    }


def _scores(rows: pd.DataFrame, *, raw: bool) -> dict[str, Any]:
    """The points of a series; error bars only where there are errors."""
    score, error = ("mean", "stderr") if raw else ("normalised", "normalised_stderr")
    known = bool(rows[error].notna().any())
    spread = " ± %{error_y.array:.3f}" if known else ""
    return {
        "y": rows[score],
        "error_y": {"type": "data", "array": rows[error], "thickness": 1.2, "width": 2, "visible": known},
        "hovertemplate": f"%{{customdata[0]}}<br>%{{y:.3f}}{spread}<br>rank %{{customdata[1]}}",
    }


def score_title(boards: Mapping[str, pd.DataFrame], *, raw: bool, measured: str = "") -> str:
    """What stands on the axis, with the measure and its tau, and what the bars are, if there are any."""
    has_errors = any(board["stderr"].notna().any() for board in boards.values())
    counts = sorted({int(board["normalised"].notna().sum()) for board in boards.values()})
    over = f" over {' or '.join(map(str, counts))} runs" if counts and not raw else ""
    score = ("score" if raw else "re-normalised score") + over + (" ± standard error" if has_errors else "")
    return f"{measured}: {score}" if measured else score


def _set_off_unranked(
    boards: Mapping[str, pd.DataFrame], order: list[str], reference: str | None
) -> dict[str, list[dict[str, Any]]]:
    """A line before the runs that the reference does not rank, as a part of the layout."""
    ranked: set[str] = set()
    for board in boards.values():
        ranked |= set(board.loc[board["reference_rank"].notna(), "run_id"])
    ranked &= set(order)
    if reference is None or not 0 < len(ranked) < len(order):
        return {}
    place = len(ranked) - 0.5
    line = {
        "type": "line",
        "x0": place,
        "x1": place,
        "y0": 0,
        "y1": 1,
        "yref": "y domain",
        "line": {"width": 1, "dash": "dot", "color": "gray"},
    }
    words = {
        "x": len(order) - 0.4,
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "xanchor": "right",
        "text": f"not ranked by {plain(reference)}",
        "showarrow": False,
        "font": {"size": 12},
    }
    return {"shapes": [line], "annotations": [words]}


def leaderboard_alternative(boards: Mapping[str, pd.DataFrame], order: list[str], reference: str | None) -> str:
    """The chart in words, for those who don't see it."""
    ranked = {name: rows[rows["mean"].notna()] for name, rows in boards.items() if len(rows)}
    best = "; ".join(
        f"{name}: best is {rows['run_id'].iloc[0]}" if len(rows) else f"{name}: no run has a score"
        for name, rows in ranked.items()
    )
    sorted_by = f"in the order of {reference}" if reference else "by the first one's score"
    return (
        f"Scores with standard errors of {len(order)} runs {sorted_by}, {len(boards)} grading modes or columns. {best}."
    )


def wrapped(name: str) -> str:
    """A series' name in lines that fit beside a narrow chart."""
    return "<br>".join(map(plain, name_in_lines(name, LINE)))


def on_axis(names: Iterable[str]) -> list[str]:
    """Names of runs as an axis has them: long ones without their middle, unless two would look alike then."""
    whole = list(names)
    short = [shortened(name, LONGEST) for name in whole]
    times = Counter(short)
    return [plain(one if times[one] == 1 else name) for one, name in zip(short, whole, strict=True)]


def in_lines(title: str, most: int = TITLE) -> str:
    """A title in lines of at most so many letters, so that a telephone does not cut it."""
    return "<br>".join(plain(line) for line in textwrap.wrap(title, most))


def plain(text: str) -> str:
    """A name as Plotly shows it letter for letter: Plotly reads some HTML in its texts."""
    return html.escape(text, quote=False)
