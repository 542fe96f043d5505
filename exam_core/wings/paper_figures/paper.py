"""Figure 2 of EXAM++ at the width of a paper's column, as SVG, PDF or LaTeX. Matplotlib draws it: Plotly needs a
browser.
"""

from __future__ import annotations

import logging
import textwrap
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from exam_core.charts.chart_layout import VALUES, ScoreAxis, colour
from exam_core.charts.leaderboard_lines import EVERYTHING, leaderboard_alternative, score_title, short_names
from exam_core.errors import UsageError
from exam_core.reports.part import Picture
from exam_core.table_text import escaped
from exam_core.wording import listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

MARKS = ("o", "D", "s", "^", "p", "*")
DASHES: tuple[tuple[float, ...], ...] = ((), (4, 2), (1, 2), (4, 2, 1, 2), (7, 2), (7, 2, 1, 2))
"""Lengths of line and gap in points; the first is solid."""
FONTS = ("STIXGeneral", "Times New Roman", "Times")
"""A PDF embeds the first, which comes with matplotlib; an SVG names all of them."""
TITLE = 40
"""Characters of the axis' title on a line."""
SMALLEST = 4.5
"""Points of the smallest type: a paper with more runs than fit so needs a wider figure."""
SETTINGS: dict[str, Any] = {
    "axes.facecolor": "none",
    "axes.formatter.useoffset": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.linewidth": 0.5,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "figure.facecolor": "none",
    "font.family": ["serif", "DejaVu Sans"],
    "grid.linewidth": 0.25,
    "legend.borderpad": 0,
    "legend.frameon": False,
    "legend.labelspacing": 0.2,
    "lines.linewidth": 0.5,
    "lines.scale_dashes": False,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "examboard",
    "text.parse_math": False,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
}
_DATES = {"pdf": "CreationDate", "svg": "Date"}
_DRAWING = threading.Lock()


@dataclass(frozen=True)
class Sheet:
    """Width of a column and size of the type, in points; names of many runs are smaller."""

    width: float = 241.0
    size: float = 8.0

    @property
    def plot(self) -> float:
        """Height of the plot; names of runs and the legend come on top of it."""
        return min(0.55 * self.width, 160.0)

    def names(self, runs: int) -> float:
        """Size of the names of so many runs."""
        return max(SMALLEST, min(self.size - 1, 0.95 * (self.width - 30) / max(1, runs)))


@dataclass(frozen=True)
class PaperFigure:
    """What is drawn: runs from left to right, series with points (`_points`), and in words what the figure is about.

    `beyond` has place, end of the axis, whether that is the upper one, and words of each run beyond the axis.
    """

    sheet: Sheet
    runs: Sequence[str]
    series: Sequence[tuple[str, pd.DataFrame]]
    beyond: Sequence[tuple[int, float, bool, str]]
    scale: ScoreAxis
    title: str
    about: str

    @property
    def radius(self) -> float:
        """Half the size of a mark, in points; the more runs, the smaller."""
        return min(2.0, 0.32 * (self.sheet.width - 40) / max(1, len(self.runs)))

    @property
    def ends(self) -> tuple[float, float] | None:
        """The ends of the axis of scores where something sets them: runs beyond it, or what a score can be."""
        least, most = self.scale.bounds
        drawn = [rows[["low", "y", "high"]].to_numpy(float).ravel() for _, rows in self.series]
        known = np.concatenate(drawn or [[]])
        if self.scale.span or np.isnan(known).all():
            return self.scale.span
        low, high = float(np.nanmin(known)), float(np.nanmax(known))
        room = 0.05 * (high - low) or 0.05
        low, high = low - room, high + room
        return None if least <= low and high <= most else (max(low, least), min(high, most))


def paper_figure(
    boards: Mapping[str, pd.DataFrame],
    order: Sequence[str],
    sheet: Sheet,
    *,
    scale: ScoreAxis = EVERYTHING,
    reference: str | None = None,
    measured: str = "",
) -> PaperFigure:
    """Scores of runs with one standard error up and down, or ranks with their 95% intervals, for print.

    Parameters
    ----------
    boards, scale : as in `leaderboard_figure`
    reference : whose order it is, for the description; a line ends before the runs that it does not rank

    Source: EXAM++, figure 2.
    """
    names = list(map(printable, short_names(order)))
    series = [
        (printable(name), _points(board, order, scale, scale.beyond(name), 0.5 * ((place + 0.5) / len(boards) - 0.5)))
        for place, (name, board) in enumerate(boards.items())
    ]
    ends = scale.span or (0.0, 1.0)
    beyond = [
        (place := list(order).index(run), ends[above], above, f"{names[place]} {numbers}")
        for run, above, numbers in scale.labels()
    ]
    title = score_title(boards, view=scale.view, measured=measured)
    about = leaderboard_alternative(boards, list(order), reference, scale)
    return PaperFigure(sheet, names, series, beyond, scale, title, printable(about))


def printable(text: str) -> str:
    """A text in one line, without control characters, which no format takes."""
    return "".join(name if name.isprintable() else " " for name in text)


def _points(
    board: pd.DataFrame, order: Sequence[str], scale: ScoreAxis, beyond: Mapping[str, bool], shift: float
) -> pd.DataFrame:
    """Points x and y of a series with bars from low to high; of a run beyond the axis its `end`, and whether `above`.

    A line ends where y is missing: at a run without a score or beyond the axis, and between a run that the reference
    ranks and one that it does not rank.
    """
    rows = board.set_index("run_id").reindex(list(order))
    value, error = VALUES[scale.view]
    frame = pd.DataFrame({"y": rows[value], "low": rows[value] - rows[error], "high": rows[value] + rows[error]})
    low, high = scale.bounds
    frame = frame.assign(low=frame["low"].clip(lower=low), high=frame["high"].clip(upper=high))
    if scale.view == "ranks":
        frame = frame.assign(low=rows["rank_low"], high=rows["rank_high"])
    above = pd.Series(beyond, dtype=float).reindex(frame.index)
    frame = frame.mask(above.notna()).assign(above=above, end=above.map(dict(enumerate(scale.span or ()))))
    ranked = list(rows["reference_rank"].notna())
    ends = [place + 0.5 for place, (left, right) in enumerate(pairwise(ranked)) if left != right]
    frame = frame.set_index(pd.RangeIndex(len(rows))).reindex(sorted([*range(len(rows)), *ends]))
    return frame.assign(x=frame.index + shift)


def saved(figure: PaperFigure, kind: Literal["svg", "pdf"], fonts: Sequence[str] = ()) -> bytes:
    """The figure as a file: of the same figure it is the same, byte for byte.

    A character that matplotlib's fonts lack (Chinese, say) is a box in a PDF; in an SVG the reader's fonts show it.
    `fonts`: families before `FONTS`, for an SVG.
    """
    runs, size, made = figure.runs, figure.sheet.size, BytesIO()
    with _with_settings(SETTINGS | {"font.serif": [*fonts, *FONTS], "font.size": size - 1}):
        from matplotlib.figure import Figure

        small, names = figure.sheet.names(len(runs)), [name for name, _ in figure.series]
        height = figure.sheet.plot + _longest(runs, small) + 1.25 * size * len(names) + 14
        page = Figure((figure.sheet.width / 72, height / 72))
        axes = page.add_subplot(xlim=(-0.5, max(1, len(runs)) - 0.5))
        drawn = _draw(axes, figure)
        upright: dict[str, Any] = {"rotation": 90, "rotation_mode": "anchor", "ha": "right", "va": "center"}
        axes.set_xticks(range(len(runs)), runs, size=small, **upright)
        # A long title has two lines, or more; longer words, and names of series, are smaller.
        title = textwrap.wrap(figure.title, TITLE)
        axes.set_ylabel("\n".join(title), size=_fitting(title, size - 1, 0.95 * figure.sheet.plot))
        page.legend(drawn, names, loc="outside upper left", fontsize=_fitting(names, size, figure.sheet.width - 40))
        page.savefig(made, format=kind, metadata={"Title": figure.about, _DATES[kind]: None})
    return made.getvalue()


@contextmanager
def _with_settings(settings: dict[str, Any]) -> Iterator[None]:
    """Settings of matplotlib for one figure at a time, since they are those of the whole process.

    What matplotlib would print of characters without a font, or of a folder for its cache, is not printed.
    """
    log = logging.getLogger("matplotlib")
    with _DRAWING, warnings.catch_warnings():
        level = log.level
        log.setLevel(logging.ERROR)
        warnings.simplefilter("ignore")
        try:
            from matplotlib import style

            with style.context(settings, after_reset=True):
                yield
        finally:
            log.setLevel(level)


def _draw(axes: Axes, figure: PaperFigure) -> list[Line2D]:
    """Points, bars and lines of each series; runs beyond the axis are triangles at its end, with names and numbers."""
    drawn: list[Line2D] = []
    marks: dict[str, Any] = {"markeredgewidth": 0, "clip_on": False, "in_layout": False}
    size = figure.sheet.names(len(figure.runs))
    if figure.ends:
        axes.set_ylim(figure.ends)
    for place, (_, rows) in enumerate(figure.series):
        marks |= {"color": colour(place), "marker": MARKS[place % len(MARKS)], "markersize": 2 * figure.radius}
        dash = (0, DASHES[place % len(DASHES)]) if len(figure.series) > 1 else "none"
        drawn += axes.plot(rows["x"], rows["y"], linestyle=dash, **marks)
        bars = rows.dropna(subset=["low", "high"])
        axes.vlines(bars["x"], bars["low"], bars["high"], color=colour(place))
        for row in rows.dropna(subset=["above"]).itertuples():
            axes.plot(row.x, row.end, **marks | {"marker": "^" if row.above else "v", "markersize": 3 * figure.radius})
    for line, (place, end, above, words) in enumerate(figure.beyond):
        side, right = ("left", 3) if place < len(figure.runs) / 2 else ("right", -3)
        vertical, up = ("top", -1) if above else ("bottom", 1)
        offset = (right, up * (3 * figure.radius + line * size))
        axes.annotate(words, (place, end), offset, textcoords="offset points", size=size, ha=side, va=vertical)
    if figure.scale.view == "ranks":
        axes.invert_yaxis()
        axes.locator_params(axis="y", integer=True)
    return drawn


def _longest(texts: Sequence[str], size: float) -> float:
    """Points of the longest of some texts in type of a size."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size)
    return max((text_to_path.get_text_width_height_descent(text, font, False)[0] for text in texts), default=0.0)


def _fitting(texts: Sequence[str], size: float, room: float) -> float:
    """A size of type at which the longest of some texts has room, at most the one given."""
    return min(size, size * room / max(1.0, _longest(texts, size)))


KINDS = ("svg", "pdf", "tex")
POINTS_PER_MM = 72 / 25.4
_MARKS = ("*", "diamond*", "square*", "triangle*", "pentagon*", "star")
"""The marks of `charts.paper` as pgfplots names them."""


def sheet_of(width: float, size: float) -> Sheet:
    """A sheet of a width in millimetres and type of a size in points."""
    return Sheet(width * POINTS_PER_MM, size)


def leaderboard_file(picture: Picture, kind: str, sheet: Sheet, *, font: str | None = None) -> bytes:
    """The leaderboards of a comparison, side by side, as a file.

    `kind`: one of `KINDS`; tex is a tikzpicture that needs the package pgfplots. `font`: families of an SVG, with
    commas between. Raises UsageError: no such kind.
    """
    if kind not in KINDS:
        raise UsageError(f"A figure is written as {', '.join(f'.{name}' for name in KINDS)}, not as .{kind}.")
    boards, reference, measured = picture.boards, picture.reference, picture.measured
    figure = paper_figure(boards, picture.order, sheet, scale=picture.scale, reference=reference, measured=measured)
    if kind == "pdf":
        return saved(figure, "pdf")
    fonts = [family.strip("'\"") for family in listed(font)]
    return saved(figure, "svg", fonts) if kind == "svg" else pgfplots(figure).encode()


def pgfplots(figure: PaperFigure) -> str:
    """The figure as a tikzpicture with an axis of pgfplots: LaTeX does the layout."""
    sheet, runs = figure.sheet, figure.runs
    wide, high, small = sheet.width - 3.6 * sheet.size, sheet.plot, sheet.names(len(runs))
    axis = [
        f"scale only axis, width={wide:.1f}bp, height={high:.1f}bp, clip=false, {_type(sheet.size - 1)}",
        "axis x line*=bottom, axis y line*=left, ylabel near ticks, ymajorgrids, tick style={draw=none}",
        f"ylabel={{{escaped(figure.title)}}}, ylabel style={{text width={high:.1f}bp, align=center}}",
        f"xmin=-0.5, xmax={max(1, len(runs)) - 0.5}, xtick={{{','.join(str(place) for place in range(len(runs)))}}}",
        f"xticklabels={{{','.join(f'{{{escaped(name)}}}' for name in runs)}}}",
        f"x tick label style={{rotate=90, anchor=east, {_type(small)}}}",
        f"legend style={{at={{(0,1)}}, anchor=south west, draw=none, fill=none, {_type(sheet.size)}}}",
        f"legend style={{cells={{anchor=west}}, nodes={{text width={wide - 30:.1f}bp, text depth=}}}}",
        "error bars/y dir=both, error bars/y explicit, error bars/error mark=none, error bars/error bar style={solid}",
        "table/y error plus=up, table/y error minus=down, unbounded coords=jump",
        f"scaled ticks=false, mark size={figure.radius:.2f}bp, mark options={{solid}}",
    ]
    if figure.ends:
        axis.append("ymin={:.6g}, ymax={:.6g}".format(*figure.ends))
    if figure.scale.view == "ranks":
        axis.append("y dir=reverse")
    lines = [
        f"% {figure.about}",
        r"% Needs \usepackage{pgfplots}.",
        r"\begin{tikzpicture}",
        r"\begin{axis}[",
        *(f"  {text}," for text in axis),
        "]",
    ]
    for place in range(len(figure.series)):
        lines += _series(figure, place)
    for line, (place, end, above, words) in enumerate(figure.beyond):
        anchor = f"{'north' if above else 'south'} {'west' if place < len(runs) / 2 else 'east'}"
        shift = f"yshift={(-line if above else line) * small:.1f}bp"
        lines.append(
            rf"\node[anchor={anchor}, {shift}, {_type(small)}] at (axis cs:{place},{end:.6g}) {{{escaped(words)}}};"
        )
    return "\n".join([*lines, r"\end{axis}", r"\end{tikzpicture}", ""])


def _series(figure: PaperFigure, place: int) -> list[str]:
    """The plot of a series, without a line where it is alone, and triangles for its runs beyond the axis."""
    name, rows = figure.series[place]
    dash = DASHES[place % len(DASHES)]
    lengths = " ".join(f"{'off' if number % 2 else 'on'} {length:g}bp" for number, length in enumerate(dash))
    line = f"dash pattern={{{lengths}}}" if len(figure.series) > 1 else "only marks"
    points = rows.assign(up=(rows["high"] - rows["y"]).fillna(0), down=(rows["y"] - rows["low"]).fillna(0))
    table = points.to_csv(columns=["x", "y", "up", "down"], sep=" ", na_rep="nan", float_format="%.6g", index=False)
    made = [
        rf"\definecolor{{series{place}}}{{HTML}}{{{colour(place)[1:]}}}",
        rf"\addplot[series{place}, {line}, mark={_MARKS[place % len(_MARKS)]}] table {{",
        f"{table}}};",
        rf"\addlegendentry{{{escaped(name)}}}",
    ]
    for row in rows.dropna(subset=["above"]).itertuples():
        look = (
            f"mark=triangle*, mark size={1.5 * figure.radius:.2f}bp, mark options={{rotate={0 if row.above else 180}}}"
        )
        where = f"({row.x:.6g},{row.end:.6g})"
        made.append(rf"\addplot[series{place}, only marks, forget plot, {look}] coordinates {{{where}}};")
    return made


def _type(size: float) -> str:
    return rf"font=\fontsize{{{size:.2f}bp}}{{{1.2 * size:.2f}bp}}\selectfont"
