"""Two orders of the same items: by an expert, and by a ranker."""

from __future__ import annotations

from dataclasses import dataclass

METHOD = "order"
"""The method of the rows in `scores`: value null, parts {"items": best first, "query": its text or null}."""
SIDES = ("ranker", "expert")
"""The rows' run_id: whose order it is."""


@dataclass(frozen=True)
class Orders:
    """Two orders of the same items for one task, best first."""

    task: str
    query: str | None
    ranker: tuple[str, ...]
    expert: tuple[str, ...]
