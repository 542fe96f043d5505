"""What the control bar says, as a plain value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from exam_core.analysis.comparison import mode_choice
from exam_core.analysis.configuration import Choice
from exam_core.store import Snapshot


@dataclass(frozen=True)
class Chosen:
    """A choice of data and of what to show of it.

    Attributes
    ----------
    about : the collection's counts and names
    series : grading modes, or printed columns where the collection holds printed figures only
    raw : show scores as they are, not re-normalised
    own_order : order the runs by the first series, not by the reference
    present : large type, and nothing but the page
    """

    snapshot: Snapshot
    about: dict[str, Any]
    series: tuple[str, ...]
    bank: str | None
    measure: str
    depth: int
    tau: int
    label_rank: int
    relevant_from: int
    reference: str | None
    raw: bool
    own_order: bool
    present: bool

    @property
    def printed(self) -> bool:
        """Whether the collection holds printed figures only."""
        return bool(self.about["printed"])

    def options(self) -> dict[str, Any]:
        """What a comparison of the series needs to know."""
        names = ("bank", "measure", "depth", "tau", "label_rank", "relevant_from", "reference")
        return {name: getattr(self, name) for name in names}

    def choice(self, mode: str, **changes: Any) -> Choice:
        """One grading mode under the control bar's options.

        Parameters
        ----------
        changes : options of `choose` that differ from the control bar

        Raises
        ------
        UsageError : the mode can't be evaluated so
        """
        options = {name: getattr(self, name) for name in ("measure", "bank", "tau", "depth")} | changes
        label_rank = options.pop("label_rank", self.label_rank)
        return mode_choice(self.snapshot, mode, options, label_rank)[0]
