"""Figure 2 of EXAM++ at the width of a paper's column."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import pandas as pd

from exam_core.charts.colours import colour
from exam_core.charts.leaderboard import EVERYTHING, leaderboard_alternative, score_title
from exam_core.charts.paper.drawing import QUIET, Drawing, Path, Point, Words, mark, text_width
from exam_core.charts.scale import VALUES, Scale

DASHES: tuple[tuple[float, ...], ...] = ((), (4, 2), (1, 2), (4, 2, 1, 2), (7, 2), (7, 2, 1, 2))
LONGEST = 26
"""Characters of a run's name below the axis; longer ones lose their middle."""
SMALLEST = 4.5
"""Points of the smallest type: a paper with more runs than fit so needs a wider figure."""


@dataclass(frozen=True)
class Sheet:
    """How large a figure is, in points.

    Parameters
    ----------
    width : of the column
    size : of the type; names of many runs are smaller
    """

    width: float = 241.0
    size: float = 8.0

    @property
    def plot(self) -> float:
        """Height of the plot; names of runs and the legend come on top of it."""
        return min(0.55 * self.width, 160.0)


@dataclass(frozen=True)
class _Axes:
    """Where the plot stands on its sheet, and what its score axis holds."""

    left: float
    right: float
    bottom: float
    top: float
    low: float
    high: float
    runs: int

    def x(self, place: float) -> float:
        return self.left + (self.right - self.left) * (place + 0.5) / max(1, self.runs)

    def y(self, score: float) -> float:
        return self.bottom + (self.top - self.bottom) * (score - self.low) / (self.high - self.low)


def paper_leaderboard(
    boards: Mapping[str, pd.DataFrame],
    order: Sequence[str],
    sheet: Sheet,
    *,
    scale: Scale = EVERYTHING,
    reference: str | None = None,
    measured: str = "",
) -> Drawing:
    """Scores of runs with one standard error up and down, or ranks with their 95% intervals, for print.

    Parameters
    ----------
    boards, scale : as in `leaderboard_figure`
    order : the runs from left to right
    reference : whose order it is, for the description; a line ends before the runs that it does not rank
    measured : the measure and its tau, for the axis

    Source: EXAM++, figure 2.
    """
    rows = {
        name: _points(board.set_index("run_id").reindex(list(order)), scale, scale.beyond(name))
        for name, board in boards.items()
    }
    names = [_shortened(run) for run in order]
    small = max(SMALLEST, min(sheet.size - 1, 0.95 * (sheet.width - 30) / max(1, len(names))))
    axes = _axes(rows, names, sheet, small, scale)
    height = axes.top + 1.25 * sheet.size * len(rows) + 4
    drawing = Drawing(sheet.width, height, leaderboard_alternative(boards, list(order), reference, scale))
    _score_axis(drawing, axes, sheet, score_title(boards, view=scale.view, measured=measured))
    for place, name in enumerate(names):
        drawing.items.append(Words(name, axes.x(place) + small / 3, axes.bottom - 4, small, "end", 90))
    for place, (name, frame) in enumerate(rows.items()):
        _series(drawing, axes, frame, place, len(rows))
        _named(drawing, sheet, axes, name, place, lines=len(rows) > 1)
    _outside(drawing, axes, scale, order, small)
    return drawing


def _points(rows: pd.DataFrame, scale: Scale, beyond: Mapping[str, bool]) -> pd.DataFrame:
    """What is drawn of each run: its score, both ends of its bar, and whether it is above or below the axis.

    Parameters
    ----------
    beyond : runs outside of the axis, and whether they are above it
    """
    value, error = VALUES[scale.view]
    score = rows[value].clip(*scale.span) if scale.span else rows[value]
    ends = (
        (rows["rank_low"], rows["rank_high"])
        if scale.view == "ranks"
        else (rows[value] - rows[error], rows[value] + rows[error])
    )
    low, high = (end.mask(rows.index.isin(list(beyond))) for end in ends)
    above = [beyond.get(str(run)) for run in rows.index]
    ranked = rows["reference_rank"].notna() if "reference_rank" in rows else True
    return pd.DataFrame({"score": score, "low": low, "high": high, "ranked": ranked}).assign(above=above)


def _axes(rows: Mapping[str, pd.DataFrame], names: Sequence[str], sheet: Sheet, small: float, scale: Scale) -> _Axes:
    ends = [frame[end] for frame in rows.values() for end in ("score", "low", "high")]
    known = pd.concat(ends).dropna() if ends else pd.Series([0.0, 1.0])
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    room = 0.04 * (high - low) or 0.1
    low, high = scale.span or (low - room, high + room)
    if scale.view == "ranks":
        low, high = high, low  # the best on top
    below = max((text_width(name, small) for name in names), default=0) + 6
    return _Axes(3.6 * sheet.size, sheet.width - 3, below, below + sheet.plot, low, high, len(names))


def _score_axis(drawing: Drawing, axes: _Axes, sheet: Sheet, title: str) -> None:
    size = sheet.size - 1
    for tick in _ticks(*sorted((axes.low, axes.high))):
        height = axes.y(tick)
        drawing.items.append(Path(((axes.left, height), (axes.right, height)), QUIET, 0.25))
        drawing.items.append(Words(f"{tick:g}", axes.left - 3, height - size / 3, size, "end"))
    frame = ((axes.left, axes.top), (axes.left, axes.bottom), (axes.right, axes.bottom))
    drawing.items.append(Path(frame))
    # A title that is longer than the axis is made smaller, not cut.
    room = axes.top - axes.bottom + 1.2 * sheet.size
    fitting = min(size, size * room / max(1.0, text_width(title, size)))
    drawing.items.append(Words(title, size, (axes.bottom + axes.top) / 2, fitting, "middle", 90))


def _series(drawing: Drawing, axes: _Axes, frame: pd.DataFrame, place: int, of: int) -> None:
    """Bars and marks of a series, and a line where there are several; it ends where a score is missing, or a rank."""
    shift = 0.5 * ((place + 0.5) / of - 0.5)
    shade, radius = colour(place), min(2.0, 0.32 * (axes.x(1) - axes.x(0)))
    points: list[tuple[Point, bool] | None] = []
    marks = []
    for at, row in enumerate(frame.itertuples(index=False)):
        if math.isnan(row.score):
            points.append(None)
            continue
        x, y = axes.x(at + shift), axes.y(row.score)
        points.append(((x, y), row.ranked))
        if not math.isnan(row.low):
            drawing.items.append(Path(((x, axes.y(row.low)), (x, axes.y(row.high))), shade, 0.5))
        outline = mark(place, x, y, radius) if row.above is None else _triangle(x, y, radius, up=row.above)
        marks.append(Path(outline, shade, 0.3, closed=True))
    for one, other in pairwise(points) if of > 1 else ():
        if one and other and one[1] == other[1]:
            drawing.items.append(Path((one[0], other[0]), shade, 0.5, DASHES[place % len(DASHES)]))
    drawing.items.extend(marks)


def _triangle(x: float, y: float, radius: float, *, up: bool) -> tuple[Point, ...]:
    """The mark of a run beyond the axis, which points to where it is."""
    size = 1.4 * radius
    return ((x - size, y), (x + size, y), (x, y + (1.5 if up else -1.5) * size))


def _outside(drawing: Drawing, axes: _Axes, scale: Scale, order: Sequence[str], size: float) -> None:
    """Names and numbers of the runs beyond the axis, inside it beside their triangles."""
    for at, (run, above, numbers) in enumerate(scale.labels()):
        place = list(order).index(run)
        x, on_left = axes.x(place), place >= len(order) / 2
        y = axes.top - (at + 1) * size if above else axes.bottom + 2 + at * size
        words = f"{_shortened(run)} {numbers}"
        drawing.items.append(Words(words, x - 3 if on_left else x + 3, y, size, "end" if on_left else "start"))


def _named(drawing: Drawing, sheet: Sheet, axes: _Axes, name: str, place: int, *, lines: bool) -> None:
    """A line of the legend, above the plot; a name that is longer than the figure is set smaller."""
    y = drawing.height - (place + 1) * 1.25 * sheet.size + 2
    size = min(sheet.size, sheet.size * (sheet.width - axes.left - 22) / max(1.0, text_width(name, sheet.size)))
    middle = y + sheet.size / 3
    if lines:
        line = ((axes.left, middle), (axes.left + 16, middle))
        drawing.items.append(Path(line, colour(place), 0.7, DASHES[place % len(DASHES)]))
    drawing.items.append(Path(mark(place, axes.left + 8, middle, 2.0), colour(place), 0.3, closed=True))
    drawing.items.append(Words(name, axes.left + 20, y, size))


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers from low to high, four to eight of them."""
    rough = (high - low) / 5
    power = 10 ** math.floor(math.log10(rough))
    step = min((power * factor for factor in (1, 2, 2.5, 5, 10)), key=lambda one: abs(one - rough))
    return [round(step * place, 10) for place in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _shortened(name: str) -> str:
    half = (LONGEST - 3) // 2
    return name if len(name) <= LONGEST else f"{name[:half]}...{name[-half:]}"
