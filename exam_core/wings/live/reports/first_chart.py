"""The first chart of a live page as a picture that stands in the file: there at once, and where no script runs."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from exam_core.hiding import hidden_runs

DASHES = {"solid": "", "dash": "9 5", "dot": "2 4", "dashdot": "9 4 2 4", "longdash": "14 6", "longdashdot": "14 5 2 5"}
"""Pixels of line and gap of Plotly's dashes."""
ACROSS, UP = 1000, 400
"""Units of the plot, which is stretched to the room that there is."""
SPREAD = 0.5
"""Share of the distance between two runs that the grading modes take, side by side, as in the live chart."""
MARKS = 7
"""Numbers on the axis, at most."""
LONGEST, MANY, LETTER, THICK = 24, 24, 6.6, 1.2
"""Characters of a run's name; runs from which on names stand upright; pixels of a letter, about, and of a bar."""
SYMBOLS = {
    "circle": "M4 0A4 4 0 1 1 0-4A4 4 0 0 1 4 0Z",
    "diamond": "M5.2 0L0 5.2L-5.2 0L0-5.2Z",
    "square": "M4 4H-4V-4H4Z",
    "triangle-up": "M-4.62 2H4.62L0-4Z",
    "cross": "M4.8 1.6H1.6V4.8H-1.6V1.6H-4.8V-1.6H-1.6V-4.8H1.6V-1.6H4.8Z",
    "star": "M1.26-1.73H5.33L2.03.66L3.29 4.53L0 2.14L-3.29 4.53L-2.03.66L-5.33-1.73H-1.26L0-5.6Z",
    "x": "M0 2.26l2.26 2.26l2.26-2.26l-2.26-2.26l2.26-2.26l-2.26-2.26l-2.26 2.26l-2.26-2.26l-2.26 2.26l2.26 2.26"
    "l-2.26 2.26l2.26 2.26Z",
    "hexagon": "M3.46-2V2L0 4L-3.46 2V-2L0-4Z",
    "pentagon": "M3.8-1.24L2.35 3.24H-2.35L-3.8-1.24L0-4Z",
}
"""Plotly's symbols, 8 pixels large, as it draws them."""
RING = ' class="ring"'


class ChartKind(NamedTuple):
    """What a chart shows: the columns of a board, what its axis is called, and what is said of it.

    Attributes
    ----------
    error : the column of the errors; empty where the ends of an interval have columns of their own
    """

    value: str
    error: str
    axis: str
    said: str


_SCORE = "score ± standard error"
KINDS = {
    "normalised": ChartKind("normalised", "normalised_stderr", f"re-normalised {_SCORE}", "Re-normalised scores"),
    "raw": ChartKind("mean", "stderr", _SCORE, "Scores"),
    "ranks": ChartKind("rank", "", "rank with 95% interval, the best on top", "Ranks"),
}
"""By what the page's state calls it."""
Ends = tuple[float, float]


class Point(NamedTuple):
    """A run in the picture: its place on the axis, its value with the ends of its bar, and whether it has a ring."""

    at: int
    value: float
    low: float
    high: float
    is_ringed: bool


def picture(data: Mapping[str, Any]) -> str:
    """The chart of the first choice as HTML; nothing where it has nothing to draw.

    Colours are those of the page's style, so that it follows light and dark.

    Parameters
    ----------
    data : what the live page reads: `live_data` with the `first` choice
    """
    found, kind = first_boards(data), KINDS[data["first"].get("view", "normalised")]
    order, bounds = runs_in_order(data, found), _bounds(data)
    reference = data["first"]["reference"]
    lines = [(data["modes"][mode], list(_points(board, order, kind, reference, bounds))) for mode, board in found]
    ends = _ends([point for _, points in lines for point in points], kind, bounds)
    if ends is None:
        return ""
    count, room = len(order), "".join
    marks, digits = _marks(*ends)
    height = {mark: _height(mark, ends) for mark in marks}
    ticks = room(
        f'<text x="-6" y="{high:.2%}" dy="4" text-anchor="end">{mark + 0.0:.{digits}f}</text>'
        for mark, high in height.items()
    )
    grid = room(f"M0 {UP * high:.0f}H{ACROSS}" for high in height.values())
    shifts = [(place + 0.5) / len(lines) - 0.5 for place in range(len(lines))]
    drawn = [_series(mode, points, ends, count, shift) for (mode, points), shift in zip(lines, shifts, strict=True)]
    joined = [line if len(lines) > 1 else "" for line, _, _ in drawn]
    names = [_shortened(data["runs"][place]) for place in order]
    turn = -90 if count > MANY else -60
    below = room(
        f'<svg x="{(at + 0.5) / count:.2%}" y="8" overflow="visible"><text transform="rotate({turn})" dy="4" '
        f'text-anchor="end">{html.escape(name)}</text></svg>'
        for at, name in enumerate(names)
    )
    deep = 22 + LETTER * max(map(len, names)) * math.sin(math.radians(-turn))
    legend = room(_entry(mode) for mode, _ in lines) if len(lines) > 1 else ""
    symbols = room(
        f'<path class="symbol" id="symbol-{name}" d="{SYMBOLS[name]}"/>'
        for name in {mode["symbol"]: 0 for mode, _ in lines}
    )
    said = f"{kind.said} of {count} runs by {'; '.join(board['title'] for _, board in found)}"
    return (
        f'<div id="picture" role="img" aria-label="{html.escape(said)}"><svg width="0" height="0">'
        f'<defs>{symbols}</defs></svg><div class="legend">{legend}</div>'
        f'<div class="plot"><span class="axis">{html.escape(found[0][1]["heading"])}<br>{kind.axis}</span>'
        f'<svg viewBox="0 0 {ACROSS} {UP}" preserveAspectRatio="none" width="100%" height="100%">'
        f'<path class="grid" d="{grid}"/>{room(joined)}{room(bars for _, bars, _ in drawn)}</svg>'
        f'<svg width="100%" height="100%">{ticks}{room(marked for _, _, marked in drawn)}</svg></div>'
        f'<svg class="names" width="100%" height="{deep:.0f}">{below}</svg></div>'
    )


def first_boards(data: Mapping[str, Any]) -> list[tuple[int, Mapping[str, Any]]]:
    """The boards of the first choice, each with the place of its grading mode."""
    first, at = data["first"], data["at"]
    rest = ",".join(str(first[name]) for name in ("measure", "tau", "labelRank", "leftOut"))
    keys = ((mode, f"{mode},{rest}") for mode in first["modes"])
    return [(mode, data["boards"][at[key]]) for mode, key in keys if key in at]


def runs_in_order(data: Mapping[str, Any], found: Sequence[tuple[int, Mapping[str, Any]]]) -> list[int]:
    """Places of the runs from left to right: in the reference's order, the others by the first board's ranks."""
    if not found:
        return []
    board, reference = found[0][1], data["first"]["reference"]
    by_reference = board["beside"] and data["first"].get("order") != "own"
    beside = board["beside"][reference] if by_reference else None
    ranks = data["ranks"][beside["ranks"]] if beside else [None] * len(data["runs"])

    def key(place: int) -> tuple[float, float, str]:
        first, own = (math.inf if rank is None else rank for rank in (ranks[place], board["rank"][place]))
        return first, own, data["runs"][place].lower()

    have = [place for place, n in enumerate(board["n_queries"]) if n is not None]
    hidden = hidden_runs(data["first"].get("runs", ""), [data["runs"][place] for place in have])
    shown = [place for place in have if data["runs"][place] not in hidden]
    return sorted(shown, key=key)


def _bounds(data: Mapping[str, Any]) -> Ends:
    """The smallest and the largest score that the chart can show."""
    first = data["first"]
    low, high = data["measures"][first["measure"]]["bounds"] if first.get("view") == "raw" else (None, None)
    return -math.inf if low is None else low, math.inf if high is None else high


def _points(
    board: Mapping[str, Any], order: Sequence[int], kind: ChartKind, reference: int, bounds: Ends
) -> Iterator[Point]:
    flagged = board["outliers"][reference]["flagged"] if board["outliers"] else {}
    for at, place in enumerate(order):
        value = board[kind.value][place]
        if value is None:
            continue
        if kind.error:
            error = board[kind.error][place] or 0
            low, high = max(value - error, bounds[0]), min(value + error, bounds[1])
        else:
            low, high = (board[name][place] or value for name in ("rank_low", "rank_high"))
        yield Point(at, value, low, high, is_ringed=bool(flagged and flagged[place] == 1))


def _ends(points: Sequence[Point], kind: ChartKind, bounds: Ends) -> Ends | None:
    """The values at the foot and at the head of the axis; None where there are none. Rank 1 is at its head."""
    if not points:
        return None
    low, high = min(one.low for one in points), max(one.high for one in points)
    room = max(0.06 * (high - low), 1e-3)
    return (max(low - room, bounds[0]), min(high + room, bounds[1])) if kind.error else (high + room, low - room)


def _height(value: float, ends: Ends) -> float:
    """How far below the head of the axis a value is, as a share of the axis."""
    foot, head = ends
    return (head - value) / (head - foot)


def _marks(*ends: float) -> tuple[list[float], int]:
    """Round numbers on an axis, and how many decimals they have."""
    low, high = sorted(ends)
    power = 10.0 ** math.floor(math.log10((high - low) / MARKS))
    step = next(times * power for times in (1, 2, 5, 10) if times * power >= (high - low) / MARKS)
    marks = [at * step for at in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return marks, max(0, -math.floor(math.log10(step)))


def _series(
    mode: Mapping[str, Any], points: Sequence[Point], ends: Ends, count: int, shift: float
) -> tuple[str, str, str]:
    """The line that joins a grading mode's points, their bars, and their symbols, some with a ring."""
    spots = [((one.at + 0.5 + SPREAD * shift) / count, _height(one.value, ends), one) for one in points]
    joined = "L".join(f"{ACROSS * x:.1f} {UP * y:.1f}" for x, y, _ in spots)
    reach = [
        (ACROSS * x, UP * _height(one.low, ends), UP * _height(one.high, ends))
        for x, _, one in spots
        if one.low < one.high
    ]
    bars = "".join(f"M{x:.1f} {low:.1f}V{high:.1f}" for x, low, high in reach)
    # A cap is a short and broad piece of the bar, since lines keep their breadth where the plot is stretched.
    caps = "".join(f"M{x:.1f} {end - THICK / 2:.1f}v{THICK}" for x, *both in reach for end in both)
    symbols = "".join(
        f'<use href="#symbol-{mode["symbol"]}" x="{x:.2%}" y="{y:.2%}"{RING if one.is_ringed else ""}/>'
        for x, y, one in spots
    )
    line = f'<path d="M{joined}" stroke="{mode["color"]}" stroke-dasharray="{DASHES[mode["dash"]]}"/>' if spots else ""
    drawn = f'<path d="{bars}" stroke="{mode["color"]}"/><path class="caps" d="{caps}" stroke="{mode["color"]}"/>'
    return line, drawn, f'<g fill="{mode["color"]}">{symbols}</g>'


def _entry(mode: Mapping[str, Any]) -> str:
    return (
        f'<span><svg width="34" height="12"><path d="M0 6H34" stroke="{mode["color"]}" '
        f'stroke-dasharray="{DASHES[mode["dash"]]}"/><use href="#symbol-{mode["symbol"]}" x="17" y="6" '
        f'fill="{mode["color"]}"/></svg> {html.escape(mode["name"])}</span>'
    )


def _shortened(name: str) -> str:
    return f"{name[: LONGEST - 1]}…" if len(name) > LONGEST else name
