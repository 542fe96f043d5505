"""Leaderboards as figures for a paper, in *Share*."""

from __future__ import annotations

from functools import partial

from exam_core.wings.paper_figures.paper import KINDS, Sheet, leaderboard_file
from pages.shared import data, share_and_export
from pages.shared.selection import Selection

NAMES = {"svg": "SVG", "pdf": "PDF", "tex": "pgfplots"}


def draw_figures(selection: Selection) -> None:
    """A button for each format."""
    for kind in KINDS:
        share_and_export.save(
            f"Save the figure ({NAMES[kind]})",
            partial(figure, selection, kind),
            f"figure.{kind}",
            "application/octet-stream",
        )


def figure(selection: Selection, kind: str) -> bytes:
    """The leaderboards as a figure of a column's width."""
    return leaderboard_file(data.picture(selection), kind, Sheet())
