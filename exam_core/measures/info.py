"""What a measure declares of itself, next to its function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from exam_core.measures.gradebook import Floats
from exam_core.measures.marks import Marks

Cut = Literal["needed", "possible", "none"]
Of = Literal["questions", "labels"]


@dataclass(frozen=True, kw_only=True)
class MeasureInfo:
    """What there is to know of a measure: its row of the table.

    `order` is where it stands in menus and documents: smaller first, equal ones by name. The project's own are ten
    apart, so that one can come between them. `of` says what it looks at: answered questions, or passages' labels.
    `cut` says whether it takes an @k. `compute(marks, depth)` gives (T, R, Q) values, (1, R, Q) where tau does not
    apply; larger is better; depth is None without an @k. `overall(book, tau=)` gives (Q,) values of everything graded
    for a query, ranked or not; None where the measure has no value without an order.
    """

    name: str
    order: int
    of: Of
    cut: Cut
    meaning: str
    formula: str
    source: str
    compute: Callable[[Marks, int], Floats]
    tau_applies: bool = True
    overall: Callable[..., Floats] | None = None

    @property
    def spelling(self) -> str:
        """The measure as one writes it, with an example of @k."""
        return f"{self.name}@20" if self.cut == "needed" or self.name == "nDCG" else self.name
