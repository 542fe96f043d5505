"""A printed figure of a paper that prints no leaderboard, beside ours."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StudyFigure:
    """A printed figure beside ours.

    Parameters
    ----------
    reason : why it is known to differ, and the source of that; used where it does
    """

    about: str
    figure: str
    printed: str
    printed_in: str
    ours: float
    setting: str
    reason: tuple[str, str] = ("", "")
