"""The first chart of a live page as a picture that stands in the file: there at once, and where no script runs."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

DASHES = {"solid": "", "dash": "9 5", "dot": "2 4", "dashdot": "9 4 2 4", "longdash": "14 6", "longdashdot": "14 5 2 5"}
"""Pixels of line and gap of Plotly's dashes."""
ACROSS, UP = 1000, 400
"""Units of the plot, which is stretched to the room that there is."""
SPREAD = 0.5
"""Share of the distance between two runs that the grading modes take, side by side, as in the live chart."""
MARKS = 7
"""Numbers on the axis, at most."""
LONGEST, MANY, LETTER = 24, 24, 6.6
"""Characters of a run's name; runs from which on names stand upright; pixels of a letter, about."""


def picture(data: Mapping[str, Any]) -> str:
    """Re-normalised scores with standard errors of the first choice, as HTML; nothing where it has no scores or others.

    Colours are those of the page's style, so that it follows light and dark.

    Parameters
    ----------
    data : what the live page reads: `live_data` with the `first` choice
    """
    found = first_boards(data)
    order = runs_in_order(data, found)
    ends = _ends([board for _, board in found])
    other = data["first"].get("view", "normalised") != "normalised" or data["first"].get("runs")
    if not order or ends is None or other:
        return ""
    (low, high), count = ends, len(order)
    marks, digits = _marks(low, high)
    height = {mark: UP * (high - mark) / (high - low) for mark in marks}
    grid = "".join(f"M0 {height[mark]:.0f}H{ACROSS}" for mark in marks)
    series = "".join(
        _series(data["modes"][mode], board, order, (low, high), (place + 0.5) / len(found) - 0.5, lines=len(found) > 1)
        for place, (mode, board) in enumerate(found)
    )
    ticks = "".join(
        f'<text x="-6" y="{height[mark] / UP:.2%}" dy="4" text-anchor="end">{mark + 0.0:.{digits}f}</text>'
        for mark in marks
    )
    names = [_shortened(data["runs"][place]) for place in order]
    turn = -90 if count > MANY else -60
    below = "".join(
        f'<svg x="{(at + 0.5) / count:.2%}" y="8" overflow="visible"><text transform="rotate({turn})" dy="4" '
        f'text-anchor="end">{html.escape(name)}</text></svg>'
        for at, name in enumerate(names)
    )
    deep = 22 + LETTER * max(map(len, names)) * math.sin(math.radians(-turn))
    legend = "".join(_entry(data["modes"][mode]) for mode, _ in found) if len(found) > 1 else ""
    said = f"Re-normalised scores of {count} runs by {'; '.join(board['title'] for _, board in found)}"
    return (
        f'<div id="picture" role="img" aria-label="{html.escape(said)}"><div class="legend">{legend}</div>'
        f'<div class="plot"><span class="axis">{html.escape(found[0][1]["heading"])}<br>re-normalised score ± SE</span>'
        f'<svg class="marks" width="100%" height="100%">{ticks}</svg>'
        f'<svg viewBox="0 0 {ACROSS} {UP}" preserveAspectRatio="none" width="100%" height="100%">'
        f'<path class="grid" d="{grid}"/>{series}</svg></div>'
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
    return sorted(have, key=key)


def _ends(boards: Sequence[Mapping[str, Any]]) -> tuple[float, float] | None:
    """The ends of an axis for the scores with their errors; None where there are no scores."""
    points = [
        (value - (error or 0), value + (error or 0))
        for board in boards
        for value, error in zip(board["normalised"], board["normalised_stderr"], strict=True)
        if value is not None
    ]
    if not points:
        return None
    low, high = min(one for one, _ in points), max(one for _, one in points)
    room = max(0.06 * (high - low), 1e-3)
    return low - room, high + room


def _marks(low: float, high: float) -> tuple[list[float], int]:
    """Round numbers on an axis, and how many decimals they have."""
    power = 10.0 ** math.floor(math.log10((high - low) / MARKS))
    step = next(times * power for times in (1, 2, 5, 10) if times * power >= (high - low) / MARKS)
    marks = [at * step for at in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return marks, max(0, -math.floor(math.log10(step)))


def _series(
    mode: Mapping[str, Any],
    board: Mapping[str, Any],
    order: Sequence[int],
    ends: tuple[float, float],
    shift: float,
    *,
    lines: bool,
) -> str:
    """A grading mode's points with bars; a line joins them where there are several modes."""
    wide, (low, high) = ACROSS / len(order), ends
    points = list(_points(board, order))

    def y(value: float) -> str:
        return f"{UP * (high - value) / (high - low):.1f}"

    spots = [(f"{wide * (at + 0.5 + SPREAD * shift):.1f}", value, error) for at, value, error in points]
    bars = "".join(f"M{x} {y(value - error)}V{y(value + error)}" for x, value, error in spots if error)
    dots = "".join(f"M{x} {y(value)}h0" for x, value, _ in spots)
    joined = "M" + "L".join(f"{x} {y(value)}" for x, value, _ in spots) if lines and spots else ""
    line = f'<path d="{joined}" stroke-dasharray="{DASHES[mode["dash"]]}"/>' if joined else ""
    return f'<g stroke="{mode["color"]}">{line}<path d="{bars}"/><path class="dots" d="{dots}"/></g>'


def _points(board: Mapping[str, Any], order: Sequence[int]) -> Iterator[tuple[int, float, float | None]]:
    """Place on the axis, score and error of each run that has a score."""
    for at, place in enumerate(order):
        if board["normalised"][place] is not None:
            yield at, board["normalised"][place], board["normalised_stderr"][place]


def _entry(mode: Mapping[str, Any]) -> str:
    """A grading mode in the legend."""
    return (
        f'<span><svg width="34" height="12" stroke="{mode["color"]}"><path d="M0 6H34" '
        f'stroke-dasharray="{DASHES[mode["dash"]]}"/><path class="dots" d="M17 6h0"/></svg>'
        f" {html.escape(mode['name'])}</span>"
    )


def _shortened(name: str) -> str:
    return f"{name[: LONGEST - 1]}…" if len(name) > LONGEST else name
