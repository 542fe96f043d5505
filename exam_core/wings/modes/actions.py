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
    """Keep the mode that a file holds; `origin` is the file's name in messages.

    Raises BadInput, with the lines, where it holds none; StoreError where the store can't take it.
    """
    return take_mode(store, read_mode(content, origin))


def with_mode(store: Store, order: Order) -> Order:
    """Return the order with its mode by name, where that is a file or one that the store keeps; a file's mode is added.

    Raises UsageError where the file is missing; BadInput and StoreError as `add_mode`.
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
