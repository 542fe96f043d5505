"""The chart of a leaderboard, runs with error bars, and that of displaced runs."""

from __future__ import annotations

import html
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from exam_core.charts import chart_layout
from exam_core.wording import counted, plain_names, rank_interval, rank_text, rank_texts, reference_in_words, shortened
from exam_core.wording import in_lines as name_in_lines

SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "star", "x", "hexagon", "pentagon")
UP, DOWN = "triangle-up", "triangle-down"
"""Symbols that point to a run beyond the axis."""
EVERYTHING = chart_layout.ScoreAxis()
HEIGHT, PLOT, LABEL = 380, 200, 16
"""Pixels of the chart, about those of its axis, and those of a run's name beyond it."""
GAP = 0.5
"""Share of the distance between two runs that stays free between their groups of series."""
FEW, MANY = 4, 24
"""Numbers of runs up to which names may lie, and beyond which they stand upright."""
OTHERS = "others in grey"
"""Name in the legend of the series that do not stand out."""
LINE = 40
"""Characters of a grader's name on a line of the legend."""
LONGEST = 24
"""Characters of a run's name on an axis; the hover text has the whole name."""
TITLE = 48
"""Characters of an axis' title on a line: as many as a telephone has room for."""
BESIDE = 34
"""Characters of an axis' title on a line where names of runs stand beside the axis."""


def leaderboard_figure(
    boards: Mapping[str, pd.DataFrame],
    order: list[str],
    *,
    scale: chart_layout.ScoreAxis = EVERYTHING,
    reference: str | None = None,
    measured: str = "",
    highlighted: str | None = None,
    ringed: str | None = None,
) -> go.Figure:
    """Scores of runs by method, with one standard error up and down; or ranks with their 95% intervals.

    Parameters
    ----------
    boards : by series name, rows with run_id, rank, reference_rank and mean, stderr, normalised, normalised_stderr; for
        ranks with rank_low and rank_high
    order : the runs from left to right; boards may have more
    scale : the values and the ends of the axis; runs outside are triangles at its ends
    reference : of the order; runs that it doesn't rank are set off on the right
    measured : the measure and its tau, for the axis; empty where boards differ in it
    highlighted : the series that stands out from the others, which are grey; without one all have their colours
    ringed : a run whose points have a ring

    Source: EXAM++, figure 2.
    """
    names = on_axis(order)
    ranked = len(order)
    if reference is not None:
        known = {run for board in boards.values() for run in board.loc[board["reference_rank"].notna(), "run_id"]}
        ranked = len(known.intersection(order))
    set_off = 0 < ranked < len(order)
    layout = {
        "xaxis": _runs_axis(names),
        "scattermode": "group",
        "scattergap": GAP,
        "yaxis": _score_axis(boards, scale, measured),
        "legend": chart_layout.legend(1.1 if set_off else 1.02),
        "showlegend": bool(boards),
        "margin": chart_layout.margin(56 if set_off else 40),
        "height": HEIGHT,
        # Plotly keeps a user's zoom while this stays the same.
        "uirevision": f"{scale.view} {len(order)} {bool(scale.span)}",
        "meta": {"description": leaderboard_alternative(boards, order, reference, scale)},
        "shapes": _set_off(ranked) if set_off else [],
        "annotations": [*([_unranked(str(reference), len(order))] if set_off else []), *_outside(scale, order, names)],
    }
    cut = ranked if len(boards) > 1 and set_off else None
    traces = [
        _trace(place, name, _with_gap(board, order, names, cut), scale, lines=len(boards) > 1)
        for place, (name, board) in enumerate(boards.items())
    ]
    for trace, name in zip(traces, boards, strict=True):
        if highlighted not in (None, name):
            _quieten(trace)
    for trace in traces if ringed in order else ():
        _ring(trace, str(ringed))
    if highlighted in boards and len(boards) > 1:
        traces.append(_in_grey(len(boards) - 1))
    # Made in one piece: the slider waits for it, and each update of a figure costs milliseconds.
    return go.Figure({"data": traces, "layout": layout})


def _score_axis(boards: Mapping[str, pd.DataFrame], scale: chart_layout.ScoreAxis, measured: str) -> dict[str, Any]:
    title = {"text": in_lines(score_title(boards, view=scale.view, measured=measured))}
    if scale.view == "ranks":
        worst = [float(rows[["rank", "rank_high"]].max().max()) for rows in boards.values() if len(rows)]
        return chart_layout.of_ranks(title, max([1.0, *worst]))
    return chart_layout.axis(
        title, **chart_layout.bounded(scale.bounds), **({"range": list(_ends(scale))} if scale.span else {})
    )


def _runs_axis(names: Sequence[str]) -> dict[str, Any]:
    """An axis of names; Plotly leaves out those that there is no room for, on a telephone for instance."""
    return {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": names,
        "tickangle": -90 if len(names) > MANY else -60 if len(names) > FEW else None,
        "tickfont": {"size": 12},
        "range": [-0.7, len(names) - 0.3],
        "automargin": True,
    }


def _with_gap(board: pd.DataFrame, order: list[str], names: list[str], cut: int | None) -> pd.DataFrame:
    """Rows in the order of the runs with their `shown` names; before the place of a cut an empty row, to end a line."""
    rows = board.set_index("run_id").reindex(order).assign(shown=names, run_id=order)
    if cut is None:
        return rows
    return pd.concat([rows.iloc[:cut], pd.DataFrame({"shown": [None], "run_id": [""]}, index=[""]), rows.iloc[cut:]])


def _trace(place: int, name: str, rows: pd.DataFrame, scale: chart_layout.ScoreAxis, *, lines: bool) -> dict[str, Any]:
    """A series; one alone has no line, since between runs there is nothing."""
    symbol, beyond = SYMBOLS[place % len(SYMBOLS)], scale.beyond(name)
    symbols = [(UP if beyond[run] else DOWN) if run in beyond else symbol for run in rows["run_id"]]
    sizes = [12 if run in beyond else 8 for run in rows["run_id"]]
    return {
        "type": "scatter",
        "x": list(rows["shown"]),
        "offsetgroup": str(place),
        "name": wrapped(name),
        "mode": "markers+lines" if lines else "markers",
        "cliponaxis": False,
        "line": {"width": 1, "dash": chart_layout.dash(place)},
        # Of markers of several sizes Plotly makes translucent bubbles by itself.
        "marker": {"symbol": symbols, "size": sizes, "opacity": 1} if beyond else {"symbol": symbol, "size": 8},
        "customdata": list(
            zip(map(escape_name, rows["run_id"]), rank_texts(rows["rank"]), rows["run_id"], strict=True)
        ),
        **(_ranks(rows) if scale.view == "ranks" else _scores(rows, scale, beyond)),
    }


def _ring(trace: dict[str, Any], run: str) -> None:
    """Give a series' point of one run a ring, and more size."""
    marker, mine = trace["marker"], [text[-1] == run for text in trace["customdata"]]
    sizes = marker["size"] if isinstance(marker["size"], list) else [marker["size"]] * len(mine)
    trace["marker"] = marker | {
        "size": [16 if is_ringed else size for is_ringed, size in zip(mine, sizes, strict=True)],
        "opacity": 1,
        "line": {"color": chart_layout.CHOSEN, "width": [3 if is_ringed else 0 for is_ringed in mine]},
    }


def _quieten(trace: dict[str, Any]) -> None:
    """Make a series grey, and put it behind the one that stands out."""
    marker = trace["marker"] | {"size": 6, "color": chart_layout.QUIET}
    trace |= {
        "line": {"width": 1, "color": chart_layout.QUIET},
        "marker": marker,
        "error_y": {"visible": False},
        "zorder": -1,
    }
    trace |= {"showlegend": False, "legendgroup": OTHERS}


def _in_grey(count: int) -> dict[str, Any]:
    """One line of the legend for all grey series, which hides and shows them; hover texts have their names."""
    return {
        "type": "scatter",
        "x": [None],
        "y": [None],
        "name": f"{count} {OTHERS} (hover for names)",
        "legendgroup": OTHERS,
        "mode": "markers+lines",
        "line": {"width": 1, "color": chart_layout.QUIET},
        "marker": {"size": 6, "color": chart_layout.QUIET},
    }


def _ends(scale: chart_layout.ScoreAxis) -> tuple[float, float]:
    """The ends of an axis, with room for the names of the runs beyond it."""
    low, high = scale.span or (0.0, 1.0)
    above = [is_above for _, is_above, _ in scale.labels()]
    line = (high - low) * LABEL / PLOT
    least, most = scale.bounds
    return max(low - line * above.count(False), least), min(high + line * above.count(True), most)


def _scores(rows: pd.DataFrame, scale: chart_layout.ScoreAxis, beyond: Mapping[str, bool]) -> dict[str, Any]:
    """The points of a series, those beyond the axis at its ends; error bars only where there are errors."""
    score, error = chart_layout.VALUES[scale.view]
    known = bool(rows[error].notna().any())
    values, half = rows[score], rows[error].mask(rows["run_id"].isin(list(beyond)))
    spread = "%{hovertext}" if known else ""
    text = "%{y:.3f}"
    more: dict[str, Any] = {}
    if scale.span:
        more["text"], text = [f"{value:.3f}" for value in values], "%{text}"
        low, high = _ends(scale)
        inside = (high - low) * LABEL / PLOT / 2
        at_end = rows["run_id"].map({run: high - inside if above else low + inside for run, above in beyond.items()})
        values = at_end.fillna(values)
    return more | {
        "y": values,
        "error_y": chart_layout.errors(values, half, scale.bounds, thickness=1.2, width=2, visible=known),
        "hovertext": chart_layout.spreads(half) if known else None,
        "hovertemplate": f"%{{customdata[0]}}<br>{text}{spread}<br>rank %{{customdata[1]}}",
    }


def _ranks(rows: pd.DataFrame) -> dict[str, Any]:
    """The points of a series at its ranks, with their intervals."""
    return {
        "y": rows["rank"],
        "error_y": chart_layout.bars(
            rows["rank"], rows["rank_low"], rows["rank_high"], thickness=1.2, width=2, visible=True
        ),
        "text": [rank_interval(*ends) for ends in zip(rows["rank_low"], rows["rank_high"], strict=True)],
        "hovertemplate": "%{customdata[0]}<br>rank %{customdata[1]}, 95% rank interval %{text}",
    }


def score_title(boards: Mapping[str, pd.DataFrame], *, view: chart_layout.View, measured: str = "") -> str:
    """The title of the axis: measure and tau, scores or ranks, and the meaning of error bars, if there are any."""
    if view == "ranks":
        return f"{f'{measured}: ' if measured else ''}rank with 95% interval, the best on top"
    has_errors = any(board["stderr"].notna().any() for board in boards.values())
    counts = sorted({int(board["normalised"].notna().sum()) for board in boards.values()})
    over = f" over {' or '.join(map(str, counts))} runs" if counts and view == "re-normalised" else ""
    score = ("score" if view == "raw" else "re-normalised score") + over + (" ± standard error" if has_errors else "")
    return f"{measured}: {score}" if measured else score


def _set_off(place: int) -> list[dict[str, Any]]:
    ends = {"x0": place - 0.5, "x1": place - 0.5, "y0": 0, "y1": 1}
    return [{"type": "line", **ends, "yref": "y domain", "line": {"width": 1, "dash": "dot", "color": "gray"}}]


def _unranked(reference: str, runs: int) -> dict[str, Any]:
    return {
        "x": runs - 0.4,
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "xanchor": "right",
        "text": f"not ranked by {escape_name(reference_in_words(reference))}",
        "showarrow": False,
        "font": {"size": 12},
    }


def _outside(scale: chart_layout.ScoreAxis, order: list[str], names: list[str]) -> list[dict[str, Any]]:
    """Names and numbers of the runs beyond the axis, beside their triangles; at each end above one another."""
    lines, notes = {True: 0, False: 0}, []
    for run, above, numbers in scale.labels():
        place = order.index(run)
        on_left = place >= len(order) / 2
        notes.append(
            {
                "x": names[place],
                "y": 1 if above else 0,
                "yref": "y domain",
                "xanchor": "right" if on_left else "left",
                "xshift": -10 if on_left else 10,
                "yanchor": "top" if above else "bottom",
                "yshift": (-1 if above else 1) * LABEL * lines[above],
                "text": f"{names[place]} {numbers}",
                "showarrow": False,
                "font": {"size": 12},
            }
        )
        lines[above] += 1
    return notes


def leaderboard_alternative(
    boards: Mapping[str, pd.DataFrame],
    order: list[str],
    reference: str | None,
    scale: chart_layout.ScoreAxis = EVERYTHING,
) -> str:
    """The chart in words, for those who don't see it."""
    ranked = {name: rows[rows["mean"].notna()] for name, rows in boards.items() if len(rows)}
    best = "; ".join(
        f"{name}: best is {rows['run_id'].iloc[0]}" if len(rows) else f"{name}: no run has a score"
        for name, rows in ranked.items()
    )
    sorted_by = f"in the order of {reference_in_words(reference)}" if reference else "sorted by the first"
    has_errors = any(rows["stderr"].notna().any() for rows in boards.values())
    scores = "Scores with standard errors" if has_errors else "Scores"
    what = "Ranks with 95% intervals" if scale.view == "ranks" else scores
    by = f" by {len(boards)} {'grading modes' if has_errors else 'results'}" if len(boards) > 1 else ""
    text = f"{what} of {counted({'runs': len(order)})}{by}, {sorted_by}. {best}."
    if scale.view == "ranks":
        widths = {name: (rows["rank_high"] - rows["rank_low"]).median() for name, rows in boards.items()}
        wide = "; ".join(f"{name}, at least {width:g} ranks" for name, width in widths.items())
        return f"{text} Half of the intervals are this wide: {wide}."
    beyond = ", ".join(f"{external.run_id} {external.value:.3f} ({external.series})" for external in scale.outside)
    return f"{text} Beyond the axis: {beyond}." if beyond else text


def wrapped(name: str) -> str:
    """A series' name in lines that fit beside a narrow chart."""
    return "<br>".join(map(escape_name, name_in_lines(plain_names(name), LINE)))


def on_axis(names: Iterable[str]) -> list[str]:
    """Names of runs as an axis of Plotly has them."""
    return list(map(escape_name, short_names(names)))


def short_names(names: Iterable[str]) -> list[str]:
    """Names of runs, long ones without their middle, unless two would look alike then."""
    whole = list(names)
    short = [shortened(name, LONGEST) for name in whole]
    times = Counter(short)
    return [text if times[text] == 1 else name for text, name in zip(short, whole, strict=True)]


def in_lines(title: str, most: int = TITLE) -> str:
    """A title in few lines of about the same length, and of at most so many letters, so that a telephone cuts none."""
    title = plain_names(title)
    few = textwrap.wrap(title, most)
    lengths = range(max(1, len(title) // max(1, len(few))), most)
    even = (lines for length in lengths if len(lines := textwrap.wrap(title, length)) == len(few))
    return "<br>".join(map(escape_name, next(even, few)))


def escape_name(text: str) -> str:
    """A name as Plotly shows it letter for letter: Plotly reads some HTML in its texts."""
    return html.escape(text, quote=False)


SPREAD = 0.6
"""Share of the distance between two runs over which the methods stand one below the other."""
ROW = 22
"""Height of a run in pixels; each further method adds to it."""
PER_METHOD = 5
ROOM = 0.04
"""Share of the axis that stays free at each end."""
HOVER = "%{customdata[0]}<br>%{customdata[1]}<br>%{customdata[2]}<br>%{customdata[3]}<extra></extra>"
FILLED = "filled: significantly displaced"
DISPLACEMENT = {"rank": "rank_displacement", "score": "score_displacement"}
_NO_OUTLINE = "rgba(0, 0, 0, 0)"
"""Outline of filled symbols: Plotly's own is dark on the dark theme, too. Open symbols have their series' colour."""
AXIS = {
    "rank": "ranks above (+) or below (-) {reference}",
    "score": "re-normalised score above (+) or below (-) what {reference} expects",
}


def displacement_figure(rows: pd.DataFrame, methods: Sequence[str], reference: str, *, of: str = "rank") -> go.Figure:
    """Displacement of each run by each method, with intervals; the run that is promoted most comes first.

    A filled symbol is flagged or has no test, an open one is not flagged. Rows are those of `Outliers`; methods are in
    the order of the symbols. Displacements are `of` rank or score, and intervals of ranks.
    """
    column, figure = DISPLACEMENT[of], go.Figure()
    order = runs_in_order(rows, of=of)
    place = {run_id: number for number, run_id in enumerate(order)}
    lines: list[tuple[float | None, float | None]] = []
    for number, method in enumerate(methods):
        mine = rows[rows["method"] == method]
        height = [
            place[run_id] + chart_layout.offset_in_line(number, len(methods), SPREAD) for run_id in mine["run_id"]
        ]
        for y, low, high in zip(height, mine["low"], mine["high"], strict=True):
            lines += [(low, y), (high, y), (None, None)]
        symbol = SYMBOLS[number % len(SYMBOLS)]
        is_tested = mine["p_holm"].notna()
        symbols = [f"{symbol}-open" if is_open else symbol for is_open in is_tested & ~mine["flagged"].isin([True])]
        # The first point is empty: the legend shows its symbol, which says nothing of a run.
        usual = f"{symbol}-open" if is_tested.any() else symbol
        figure.add_scatter(
            x=[None, *mine[column]],
            y=[None, *height],
            name=wrapped(method),
            legendgroup=method,
            mode="markers",
            marker={"symbol": [usual, *symbols], "size": 9, "line": {"width": 2, "color": _NO_OUTLINE}},
            customdata=[None, *(hover_texts(row, of=of) for row in mine.itertuples())],
            hovertemplate=HOVER,
        )
    if rows["p_holm"].notna().any():
        filled = {"symbol": "circle", "size": 9, "color": chart_layout.QUIET}
        figure.add_scatter(x=[None], y=[None], name=FILLED, mode="markers", marker=filled, hoverinfo="skip")
    if of == "rank" and rows["low"].notna().any():
        # Lines below the symbols; no error bars, because an interval need not hold the observed value.
        across, down = zip(*lines, strict=True)
        bar: dict[str, Any] = {
            "mode": "lines",
            "line": {"width": 4, "color": chart_layout.QUIET},
            "hoverinfo": "skip",
            "zorder": -1,
        }
        figure.add_scatter(x=across, y=down, name="95% interval", **bar)
    figure.add_vline(x=0, line={"width": 1, "color": chart_layout.QUIET})
    figure.update_layout(
        chart_layout.size_layout(140 + len(order) * (ROW + PER_METHOD * (len(methods) - 1)), above=1.0),
        xaxis=chart_layout.axis(
            in_lines(axis_title(methods, reference, of), BESIDE),
            **with_room(rows[[column, *(("low", "high") if of == "rank" else ())]].to_numpy(float)),
        ),
        yaxis=chart_layout.one_a_line(on_axis(order)),
    )
    return chart_layout.with_description(figure, displacement_alternative(rows, methods, reference, of=of))


def hover_texts(row: Any, *, of: str) -> list[str]:
    """The hover texts of a point (run, method, displacement, ranks), then its run and its method as they are."""
    moved = in_cell(getattr(row, DISPLACEMENT[of]), of)
    if not (pd.isna(row.low) or pd.isna(row.high)):
        moved += f" (95%: {row.low:+.1f} to {row.high:+.1f})"
    ranks = f"rank {rank_text(row.rank)}, in the reference {rank_text(row.reference_rank)}"
    return [escape_name(row.run_id), escape_name(row.method), moved, ranks, row.run_id, row.method]


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
    """The meaning of the displacements, and the method where it is the only one."""
    by = f", by {methods[0]}" if len(methods) == 1 else ""
    return AXIS[of].format(reference=reference_in_words(reference)) + by


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
