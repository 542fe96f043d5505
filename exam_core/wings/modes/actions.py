"""Adding a grading mode of one's own to a store."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from exam_core.actions.verbs import verb
from exam_core.grading.modes.mode import Mode
from exam_core.grading.modes.papers import MODES
from exam_core.jobs.ordering import Order
from exam_core.store import Store
from exam_core.wings.modes.mode_reading import own_modes, read_mode, read_mode_file, take_mode


@verb("edit")
def add_mode(store: Store, content: bytes | str, origin: Path) -> Mode:
    """Keep the mode that a file holds.

    Parameters
    ----------
    origin : what messages call the file

    Raises
    ------
    BadInput : it holds none; the message names the lines
    StoreError : the store is a single file, or can't be written
    """
    return take_mode(store, read_mode(content, origin))


def with_mode(store: Store, order: Order) -> Order:
    """An order whose mode is a file's, or one that the store keeps, with that mode by its name.

    Raises
    ------
    UsageError : there is no such file
    BadInput, StoreError : as `add_mode`
    """
    named = order.mode or order.name or ""
    if not named.endswith(".toml"):
        own = not order.mode and order.name in MODES | own_modes(store)
        return replace(order, mode=str(order.name), name=None) if own else order
    mode = take_mode(store, read_mode_file(Path(named).expanduser()))
    return replace(
        order,
        mode=mode.called,
        name=order.name if order.mode else None,
        reading=order.reading if order.reading != "auto" else mode.reading,
        options=replace(order.options, model=order.options.model or mode.model),
    )


ORDERED = (with_mode,)
"""What makes an order of one that names a file, or a mode of the store."""
