"""A drawing in points: lines and words, which SVG, PDF and TikZ all have."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]
INK, QUIET = "#000000", "#999999"
# Widths of the characters from 32 to 126 in Times-Roman, in thousandths of the size (Adobe's font metrics).
_WIDTHS = (
    250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500, 500, 500, 500, 500, 500,
    500, 500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667, 722, 611, 556, 722, 722, 333, 389, 722, 611, 889,
    722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333, 278, 333, 469, 500, 333, 444, 500, 444, 500,
    444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480,
    200, 480, 541,
)  # fmt: skip
_OTHER = 600


@dataclass(frozen=True)
class Path:
    """Straight lines through points; closed ones are filled.

    Parameters
    ----------
    dash : lengths of line and gap in points; empty is solid
    """

    points: tuple[Point, ...]
    colour: str = INK
    width: float = 0.5
    dash: tuple[float, ...] = ()
    closed: bool = False


@dataclass(frozen=True)
class Words:
    """A text whose baseline begins, has its middle or ends at a point; turned anticlockwise, in degrees."""

    text: str
    x: float
    y: float
    size: float
    anchor: Anchor = "start"
    turned: float = 0
    colour: str = INK


@dataclass(frozen=True)
class Drawing:
    """Paths and words on a sheet in points (1/72 inch), from the lower left corner.

    Parameters
    ----------
    about : what it shows, in words
    """

    width: float
    height: float
    about: str
    items: list[Path | Words] = field(default_factory=list)


def text_width(text: str, size: float) -> float:
    """How long a text is in Times-Roman, in points; other characters are taken to be wide."""
    return sum(_WIDTHS[ord(one) - 32] if 32 <= ord(one) <= 126 else _OTHER for one in text) * size / 1000


def mark(place: int, x: float, y: float, radius: float) -> tuple[Point, ...]:
    """The outline of the mark of the series at a place: circle, diamond, square, triangle, pentagon, star."""
    corners, first, inner = ((24, 0, 1.0), (4, 90, 1.0), (4, 45, 1.0), (3, 90, 1.0), (5, 90, 1.0), (10, 90, 0.45))[
        place % 6
    ]
    angles = [math.radians(first + 360 * corner / corners) for corner in range(corners)]
    radii = [radius * (inner if corner % 2 else 1.0) for corner in range(corners)]
    return tuple((x + r * math.cos(angle), y + r * math.sin(angle)) for r, angle in zip(radii, angles, strict=True))
