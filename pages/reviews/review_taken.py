"""Which items of a queue reviewers have before them, so that no two get the same.

Only this process knows it. Two that serve the same store may hand out the same item: then it has two reviews.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from threading import Lock

from exam_core.wings.reviews.review import ReviewedItem

KEPT = 600.0
"""Seconds after which what somebody has before them is given to others: they went away."""


class Taken:
    """Who has what before them.

    Parameters
    ----------
    clock : in seconds
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._held: dict[str, dict[str, tuple[float, frozenset[ReviewedItem]]]] = {}

    def by_others(self, queue: str, reviewer: str) -> tuple[frozenset[ReviewedItem], int]:
        """What others have before them, and how many they are."""
        with self._lock:
            others = self._present(queue, reviewer)
            return frozenset[ReviewedItem]().union(*others), len(others)

    def take(self, queue: str, reviewer: str, items: Iterable[ReviewedItem]) -> None:
        """Say what a reviewer has before them now; what they had before is free again."""
        with self._lock:
            self._held.setdefault(queue, {})[reviewer] = self._clock() + KEPT, frozenset(items)

    def _present(self, queue: str, reviewer: str) -> list[frozenset[ReviewedItem]]:
        fields = self._held.get(queue, {})
        now = self._clock()
        for name in [name for name, (until, _) in fields.items() if until < now]:
            del fields[name]
        return [items for name, (_, items) in fields.items() if name != reviewer and items]


taken = Taken()
"""Of all visitors of this dashboard."""
