"""Papers that print no leaderboard, and their printed figures beside ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from exam_core.store import Snapshot

RANKS, RULES = "ranks", "rules"
"""What our figures come from: ranks of generated answers, or what the paper itself says."""


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


@dataclass(frozen=True)
class Study:
    """A paper that prints no leaderboard; a file of a room `analysis/printed` of a wing declares its own in `STUDIES`.

    Attributes
    ----------
    key, paper : what the collection is known as, and what the paper is called
    basis : what our figures come from
    takes : whether the paper is about a collection
    figures : the printed figures that a collection gives, and what the others need
    of_a_collection : whether the paper is about this very collection, and not about all of its kind
    """

    key: str
    paper: str
    basis: str
    takes: Callable[[Snapshot], bool]
    figures: Callable[[Snapshot], tuple[list[StudyFigure], list[str]]]
    of_a_collection: bool = False
