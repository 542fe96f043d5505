"""Orders of jobs as they are meant, where wings know more names of modes than the papers'."""

from __future__ import annotations

from exam_core import wings
from exam_core.actions.verbs import verb
from exam_core.jobs.order import Order
from exam_core.store import Store


@verb("edit", has_line=False)
def with_mode(store: Store, order: Order) -> Order:
    """An order whose mode is known by its name; a wing's `actions/adding.py` declares in `ORDERED` what makes it so.

    Raises what that raises: UsageError, BadInput or StoreError for a mode that is not there or can't be kept.
    """
    for meant in wings.declared("orders"):
        order = meant(store, order)
    return order
