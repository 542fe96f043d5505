"""Figures for a paper as files: SVG, PDF, or source for pgfplots, which takes the paper's own fonts."""

from __future__ import annotations

from exam_core.charts.colours import colour
from exam_core.errors import UsageError
from exam_core.reports.picture import Picture
from exam_core.reports.tables import escaped
from exam_core.wings.paper_figures.charts.paper import DASHES, PaperFigure, Sheet, paper_figure, saved
from exam_core.wording import listed

KINDS = ("svg", "pdf", "tex")
POINTS_PER_MM = 72 / 25.4
_MARKS = ("*", "diamond*", "square*", "triangle*", "pentagon*", "star")
"""The marks of `charts.paper` as pgfplots names them."""


def sheet_of(width: float, size: float) -> Sheet:
    """A sheet of a width in millimetres and type of a size in points."""
    return Sheet(width * POINTS_PER_MM, size)


def leaderboard_file(picture: Picture, kind: str, sheet: Sheet, *, font: str | None = None) -> bytes:
    """The leaderboards of a comparison, side by side, as a file.

    Parameters
    ----------
    kind : one of `KINDS`; tex is a tikzpicture that needs the package pgfplots
    font : families of an SVG, with commas between

    Raises
    ------
    UsageError : no such kind
    """
    if kind not in KINDS:
        raise UsageError(f"A figure is written as {', '.join(f'.{one}' for one in KINDS)}, not as .{kind}.")
    boards, of, measured = picture.boards, picture.reference, picture.measured
    figure = paper_figure(boards, picture.order, sheet, scale=picture.scale, reference=of, measured=measured)
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
    lines = [f"% {figure.about}", r"\begin{tikzpicture}", r"\begin{axis}[", *(f"  {one}," for one in axis), "]"]
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
    lengths = " ".join(f"{'off' if at % 2 else 'on'} {length:g}bp" for at, length in enumerate(dash))
    line = f"dash pattern={{{lengths}}}" if len(figure.series) > 1 else "only marks"
    points = rows.assign(up=(rows["high"] - rows["y"]).fillna(0), down=(rows["y"] - rows["low"]).fillna(0))
    table = points.to_csv(columns=["x", "y", "up", "down"], sep=" ", na_rep="nan", float_format="%.6g", index=False)
    made = [
        rf"\definecolor{{series{place}}}{{HTML}}{{{colour(place)[1:]}}}",
        rf"\addplot[series{place}, {line}, mark={_MARKS[place % len(_MARKS)]}] table {{",
        f"{table}}};",
        rf"\addlegendentry{{{escaped(name)}}}",
    ]
    for one in rows.dropna(subset=["above"]).itertuples():
        look = (
            f"mark=triangle*, mark size={1.5 * figure.radius:.2f}bp, mark options={{rotate={0 if one.above else 180}}}"
        )
        where = f"({one.x:.6g},{one.end:.6g})"
        made.append(rf"\addplot[series{place}, only marks, forget plot, {look}] coordinates {{{where}}};")
    return made


def _type(size: float) -> str:
    return rf"font=\fontsize{{{size:.2f}bp}}{{{1.2 * size:.2f}bp}}\selectfont"
