"""Figures for a paper as files: SVG, PDF, or TikZ, which takes the paper's own fonts."""

from __future__ import annotations

from exam_core.charts.paper.drawing import Drawing, Path, Words
from exam_core.charts.paper.files import FONT, pdf, svg
from exam_core.charts.paper.leaderboard import Sheet, paper_leaderboard
from exam_core.errors import UsageError
from exam_core.reports.picture import Picture
from exam_core.reports.tables import escaped

KINDS = ("svg", "pdf", "tex")
POINTS_PER_MM = 72 / 25.4
_ANCHORS = {"start": "base west", "middle": "base", "end": "base east"}


def sheet_of(width: float, size: float) -> Sheet:
    """A sheet of a width in millimetres and type of a size in points."""
    return Sheet(width * POINTS_PER_MM, size)


def leaderboard_file(picture: Picture, kind: str, sheet: Sheet, *, font: str | None = None) -> bytes:
    """The leaderboards of a comparison, side by side, as a file.

    Parameters
    ----------
    kind : one of `KINDS`; tex is a tikzpicture
    font : families of an SVG; PDF has Times-Roman, TikZ the paper's

    Raises
    ------
    UsageError : no such kind
    """
    if kind not in KINDS:
        raise UsageError(f"A figure is written as {', '.join(f'.{one}' for one in KINDS)}, not as .{kind}.")
    boards, of, measured = picture.boards, picture.reference, picture.measured
    drawing = paper_leaderboard(boards, picture.order, sheet, scale=picture.scale, reference=of, measured=measured)
    return pdf(drawing) if kind == "pdf" else (svg(drawing, font or FONT) if kind == "svg" else tikz(drawing)).encode()


def tikz(drawing: Drawing) -> str:
    """The drawing as a tikzpicture."""
    lines = [_path(item) if isinstance(item, Path) else _words(item) for item in drawing.items]
    about = " ".join(drawing.about.split())
    return "\n".join([f"% {about}", r"\begin{tikzpicture}[x=1bp,y=1bp]", *lines, r"\end{tikzpicture}", ""])


def _path(path: Path) -> str:
    points = " -- ".join(f"({x:.2f},{y:.2f})" for x, y in path.points)
    lengths = " ".join(f"{'off' if place % 2 else 'on'} {length:g}bp" for place, length in enumerate(path.dash))
    dash = f",dash pattern={lengths}" if path.dash else ""
    fill = f",fill={_colour(path.colour)}" if path.closed else ""
    end = " -- cycle" if path.closed else ""
    return rf"\draw[draw={_colour(path.colour)},line width={path.width:g}bp{dash}{fill}] {points}{end};"


def _words(words: Words) -> str:
    text = escaped("".join(one if one.isprintable() else " " for one in words.text))
    size = rf"font=\fontsize{{{words.size:.2f}bp}}{{{1.2 * words.size:.2f}bp}}\selectfont"
    turned = f",rotate={words.turned:g}" if words.turned else ""
    return (
        rf"\node[anchor={_ANCHORS[words.anchor]},inner sep=0pt,{size}{turned},text={_colour(words.colour)}] "
        rf"at ({words.x:.2f},{words.y:.2f}) {{{text}}};"
    )


def _colour(colour: str) -> str:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"{{rgb,255:red,{red};green,{green};blue,{blue}}}"
