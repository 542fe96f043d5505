"""What the control bar says, as a plain value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from exam_core.store import Snapshot


@dataclass(frozen=True)
class Chosen:
    """A choice of data and of what to show of it; `about` holds the collection's counts and names."""

    snapshot: Snapshot
    about: dict[str, Any]
    series: list[str]
    bank: str | None
    measure: str
    depth: int
    tau: int
    label_rank: int
    relevant_from: int
    reference: str | None
    raw: bool

    @property
    def printed(self) -> bool:
        """Whether the collection holds printed figures only."""
        return bool(self.about["printed"])

    def options(self) -> dict[str, Any]:
        """What a comparison of the series needs to know."""
        names = ("bank", "measure", "depth", "tau", "label_rank", "relevant_from", "reference")
        return {name: getattr(self, name) for name in names}
