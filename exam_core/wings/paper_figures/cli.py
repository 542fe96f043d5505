"""`examboard export figure`."""

from __future__ import annotations

from typing import Annotated

import typer

from exam_core.cli import common as cli
from exam_core.cli.declared_options import takes_declared
from exam_core.cli.export_commands import Reported, compared
from exam_core.wording import counted


@takes_declared()
def figure(
    options: Reported,
    width: Annotated[float, typer.Option(min=40, max=400, help="Width in millimetres: that of a column.")] = 85.0,
    size: Annotated[float, typer.Option(min=5, max=20, help="Size of the type in points.")] = 8.0,
    font: Annotated[str | None, typer.Option(help="Font families of an SVG, for instance 'Linux Libertine O'.")] = None,
    raw: Annotated[bool, typer.Option("--raw", help="Scores as they are, not re-normalised.")] = False,
    whole_axis: Annotated[
        bool, typer.Option("--whole-axis", help="Show the whole axis, with every run on it.")
    ] = False,
) -> None:
    """The leaderboards as a figure for a paper's column: .svg, .pdf or, in the paper's own fonts, .tex (pgfplots).

    Example: examboard export figure dl19 dl19.pdf --measure Cover@20 --tau 3 --width 85
    """
    from exam_core.formats.writing import prints, write_lines
    from exam_core.reports.part import BoardView, picture_of
    from exam_core.wings.paper_figures.paper import leaderboard_file, sheet_of

    figures, _, request, comparison = compared(options)
    kind = "svg" if prints(options.file) else options.file.suffix.removeprefix(".")
    request = request.but(reference=next((board.reference for board in comparison.boards.values()), None))
    picture = picture_of(figures, comparison, request, BoardView("raw" if raw else "re-normalised", whole=whole_axis))
    made = leaderboard_file(picture, kind, sheet_of(width, size), font=font)
    write_lines(options.file, [made])
    cli.wrote(options.file, f"{counted({'leaderboards': len(comparison.boards)})} of {figures.snapshot.collection}")
