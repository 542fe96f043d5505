"""Every mode that can be asked for: the papers', and those that wings know of a store.

A wing's `grading/kept_modes.py` declares `KEPT`, functions that give the modes of a store by what graders call them,
and `DAMAGED`, functions that give the files of those that can't be read, and why.
"""

from __future__ import annotations

from pathlib import Path

from exam_core import wings
from exam_core.grading.modes.mode import Mode
from exam_core.grading.modes.papers import MODES
from exam_core.store import Store

_PLACE = "grading.kept_modes"


def modes_of(store: Store) -> dict[str, Mode]:
    """The papers' modes and those that the store keeps, by what graders call them; a damaged one is left out."""
    return MODES | {name: mode for kept in wings.declared(_PLACE, "KEPT") for name, mode in kept(store).items()}


def damaged_modes(store: Store) -> list[tuple[Path, str]]:
    """The files of the store's modes that can't be read or hold another mode than they are named after, and why."""
    return [one for damaged in wings.declared(_PLACE, "DAMAGED") for one in damaged(store)]
