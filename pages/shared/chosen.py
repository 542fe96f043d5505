"""What the control bar says, as a plain value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from exam_core.analysis.caveats import listed, measure_heading
from exam_core.analysis.comparison import mode_choice, series_name
from exam_core.analysis.configuration import Choice, reachable_tau
from exam_core.measures import Measure
from exam_core.store import Snapshot
from exam_core.store.banks import BankRef
from exam_core.store.summary import bank_version

SCORES = ("re-normalised", "raw")
ORDERS = ("reference", "first series")


@dataclass(frozen=True)
class Chosen:
    """A choice of data and of what to show of it.

    Attributes
    ----------
    snapshot : the collection without the runs that are left out
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

    @property
    def bank_name(self) -> str | None:
        """The bank without the version that a link may have named."""
        return BankRef.parse(self.bank).name if self.bank else None

    @property
    def bank_with_version(self) -> str:
        """The bank as it stays the same when another version is imported."""
        asked = BankRef.parse(self.bank or "")
        return str(asked if asked.version else BankRef(asked.name, bank_version(self.snapshot, asked.name)))

    @property
    def measure_heading(self) -> str:
        """The measure as titles and columns name it."""
        return measure_heading(Measure.parse(self.measure), self.depth) if self.measure else ""

    @property
    def without_in_words(self) -> list[str]:
        """That runs are left out and which; nothing where none is."""
        left_out = self.snapshot.left_out
        return [f"without {listed(left_out)}"] if left_out else []

    @property
    def tau_in_words(self) -> str:
        """The bar's tau, and that of each chosen grading mode whose labels end below it."""
        modes = () if self.printed else self.series
        own = {mode: reachable_tau(self.snapshot, mode, self.tau) for mode in modes}
        lower = [f"{mode}: {tau}, its largest label" for mode, tau in own.items() if tau < self.tau]
        return f"tau = {self.tau}" + (f" ({'; '.join(lower)})" if lower else "")

    def name(self, series: str) -> str:
        """A series as charts and tables name it, with its tau where that is not the bar's."""
        return series if self.printed else series_name(self.snapshot, series, self.tau)

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
        return _choice(self.snapshot, mode, tuple(options.items()), label_rank)

    def in_words(self) -> str:
        """The choice in one line."""
        if self.printed:
            columns = f"figures as printed: {'; '.join(self.series)}"
            return ", ".join([self.snapshot.collection, columns, *self.without_in_words])
        bank = [f"bank {self.bank_with_version}"] if self.bank else []
        return ", ".join(
            [
                self.snapshot.collection,
                *bank,
                *([f"graded by {' and '.join(self.series)}"] if self.series else []),
                self.measure,
                self.tau_in_words,
                f"depth {self.depth}",
                f"label rank {self.label_rank}",
                *([f"against {self.reference}"] if self.reference else []),
                *([f"without {' and '.join(self.snapshot.left_out)}"] if self.snapshot.left_out else []),
            ]
        )

    def parameters(self) -> dict[str, list[str]]:
        """The choice as the parameters of an address, each with its values; see `controls`."""
        if self.printed:
            own = {"columns": list(self.series)}
        else:
            own = {
                "bank": [self.bank_with_version] if self.bank else [],
                "modes": list(self.series),
                "measure": [Measure.parse(self.measure).name],
                "depth": [str(self.depth)],
                "label_rank": [str(self.label_rank)],
            }
        return own | {
            "collection": [self.snapshot.collection],
            "tau": [str(self.tau)],
            "relevant_from": [str(self.relevant_from)],
            "reference": [self.reference] if self.reference else [],
            "without": list(self.snapshot.left_out),
            "scores": [SCORES[self.raw]],
            "order": [ORDERS[self.own_order]],
        }


@lru_cache(maxsize=512)
def _choice(snapshot: Snapshot, mode: str, options: tuple[tuple[str, Any], ...], label_rank: int) -> Choice:
    """Kept, because completing a choice asks the store which banks there are."""
    return mode_choice(snapshot, mode, dict(options), label_rank)[0]
