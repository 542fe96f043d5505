"""How a store is laid out on disk, as a number: later versions open earlier stores, earlier ones refuse later stores.

The number changes when what is there would be read wrongly by an earlier version. A new field with a default, a new
table or a new folder changes nothing: they are ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from exam_core.errors import StoreError
from exam_core.store.files import content_of, record_of, sealed, write_once
from exam_core.store.locking import locked

LAYOUT = 1
"""As this version writes it."""

FIRST = 1
"""The layout of a store that says none: those up to version 0.4.0 did not."""

FILE = ".layout"
"""File of the store that says its layout."""

FEW = 8
"""Bits that damage may turn over in a file that says the layout, so that it is still known which one it was. What two
layouts say differs in more than twice as many, because each ends with a hash of its own."""

Step = Callable[[Path], None]

STEPS: Mapping[int, Step] = {}
"""From a layout to the next one: changes the store in a folder. A step that was killed is taken again, so it has to
go on from wherever it was."""


class _LayoutFile(msgspec.Struct, frozen=True):
    layout: int


def layout_of(place: Path) -> int:
    """The layout of a store. Raises StoreError where it can't be told."""
    path = place / FILE
    try:
        return record_of(content_of(path), _LayoutFile).layout
    except (FileNotFoundError, NotADirectoryError):
        return FIRST
    except (OSError, ValueError) as error:
        raise StoreError(
            f"{path}: says how the store is laid out, and can't be read ({error}).\n"
            "Put it back from a copy, or ask what can be done: examboard check"
        ) from None


def meant(content: bytes) -> int | None:
    """The layout that a damaged file said, as far as that is certain: one of those that this version knows, or None.

    A later version's is never taken for one of ours: no more than `FEW` bits may differ from what we write.
    """
    for layout in range(FIRST, LAYOUT + 1):
        whole = _content(layout)
        if len(content) == len(whole) and sum((a ^ b).bit_count() for a, b in zip(content, whole, strict=True)) <= FEW:
            return layout
    return None


def say_layout(place: Path, layout: int = LAYOUT) -> None:
    """Write down what the layout of a store is, where that does not stand there already."""
    if not (place / FILE).exists() or layout_of(place) != layout:
        write_layout(place, layout)


def write_layout(place: Path, layout: int) -> None:
    """Write down what the layout of a store is, whatever stands there."""
    write_once(place / FILE, _content(layout))


def _content(layout: int) -> bytes:
    return sealed(msgspec.json.encode(_LayoutFile(layout)))


def settle(place: Path, *, steps: Mapping[int, Step] = STEPS, wanted: int = LAYOUT) -> None:
    """Bring a store of an earlier layout to a later one, step by step; a step that is done is never taken again.

    Raises StoreError where the store is of a later version, or can't be changed.
    """
    if layout_of(place) < wanted and place.is_dir():
        with locked(place, FILE):
            for number in range(layout_of(place), wanted):
                steps[number](place)
                say_layout(place, number + 1)
    refuse_later(place, wanted)


def refuse_later(place: Path, known: int = LAYOUT) -> None:
    """Before something is written without the lock: a later version may have the store by now.

    Raises StoreError where the store is of a later version, or it can't be told.
    """
    if (found := layout_of(place)) > known:
        raise StoreError(
            f"{place}: was written by a later version of Examboard (layout {found}; this one knows {known}).\n"
            "Use that version, or a copy of the store from before it. Nothing was changed."
        )
