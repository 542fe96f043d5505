"""Every mode that can be asked for: the papers', and those that wings know of a store."""

from __future__ import annotations

from exam_core import wings
from exam_core.grading.modes.mode import Mode
from exam_core.grading.modes.papers import MODES
from exam_core.store import Store


def modes_of(store: Store) -> dict[str, Mode]:
    """The papers' modes and those that the store keeps, by what graders call them; a damaged one is left out."""
    return MODES | {name: mode for find_modes in wings.declared("modes") for name, mode in find_modes(store).items()}


def unread_modes(store: Store) -> list[str]:
    """A sentence for each of the store's modes that can't be read, or holds another mode than it is named after."""
    return [sentence for unread in wings.declared("unread_modes") for sentence in unread(store)]
