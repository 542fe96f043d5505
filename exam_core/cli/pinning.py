"""What a wing declares in its `cli/pinned.py`, as `PINNED`: the views of a story, for whatever shows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from exam_core import wings
from exam_core.view import View

Views = Callable[[str, str], Sequence[View]]
"""The views of a story, by the collection in which it is kept and its name; UsageError where there is none."""


def pinned_views() -> Views | None:
    """What gives the views of a story; None where no wing keeps stories."""
    return next(wings.declared("cli.pinned", "PINNED"), None)
