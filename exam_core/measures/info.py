"""What a measure declares of itself, next to its function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from exam_core.numbers.arrays import Floats

Cut = Literal["needed", "possible", "none"]
Of = Literal["questions", "labels", "texts", "scores"]
"""What a measure looks at: answered questions, passages' labels, what a run wrote, or values that the store holds."""

Filled = Literal["best", "answerable", "all relevant", "some relevant", "gain", "perfect"]
"""The most that an ungraded passage could make of a value (bounds of scores ask for it):

- best: as much as with the best grade
- answerable: the same, of what can be answered at all, by which the value is divided
- all relevant: as the value depends on how many passages are relevant, ranked or not, with all of them relevant
- some relevant: the same, with as many of them relevant as are best: one more divides the value, too
- gain: the largest gain, of an ideal ranking that stays; more than any filling reaches
- perfect: 1; more than any filling reaches
"""


@dataclass(frozen=True, kw_only=True)
class MeasureInfo:
    """A measure's row of the table: what it declares.

    `order` is where it stands in menus and documents: smaller first, equal ones by name. The project's own are ten
    apart, so that one can come between them. `cut` says whether it takes an @k. `compute(marks, depth, **own)` gives
    (T, R, Q) values, (1, R, Q) where tau does not apply; larger is better; depth is None without an @k, and `own` are
    those of its options that not all measures over grades share (`options.own`). `overall(book, tau=)`
    gives (Q,) values of everything graded for a query, ranked or not; None where the measure has no value without an
    order.

    A measure of texts has `compute(sides, options)` (what runs wrote, and nuggets) and gives (R, Q) values, NaN where a
    query has nothing to compare with; one of scores makes a value of what the store holds for a run and query.
    `options` is a frozen dataclass of declared fields, which one writes behind the name: `POURPRE(beta=5)`,
    `P(rel=2)@20`; of a measure over grades one of `exam_core.measures.measure_options`.
    `adds(book, depth)` gives (R, Q): what every relevant passage within the first `depth` adds to a value, where the
    value is the sum of that and of nothing else; None where it is not, as where one divides by how many are relevant.
    `of_nuggets` says that it means little of a bank whose questions are neither vital nor okay: pages don't offer it
    there. `pooled(sides, options)` gives (R,) where options ask for what is no mean over queries, and else None.
    `notes(sides, options)` says in sentences which texts a measure of texts can't read.
    `filled` says what an ungraded passage could make of a value, and `in_any_order` that the first k passages are worth
    the same in whatever order they stand.
    `bounds` are the smallest and the largest value that there can be; those of a mean are the same. `needs_grades` says
    that a value is undefined where nothing that it rests on can be read (`measures.places`); of other measures, what
    can't be read counts as no answer there too.
    """

    name: str
    order: int
    of: Of
    cut: Cut
    meaning: str
    formula: str
    source: str
    compute: Callable[..., Floats]
    tau_applies: bool = True
    overall: Callable[..., Floats] | None = None
    options: type | None = None
    of_nuggets: bool = False
    pooled: Callable[..., Floats | None] | None = None
    adds: Callable[..., Floats] | None = None
    notes: Callable[..., list[str]] | None = None
    needs_grades: bool = True
    filled: Filled = "best"
    in_any_order: bool = False
    bounds: tuple[float, float] = (0.0, 1.0)

    @property
    def difference_bounds(self) -> tuple[float, float]:
        """The smallest and the largest difference that there can be between two values."""
        low, high = self.bounds
        return low - high, high - low

    @property
    def of_grades(self) -> bool:
        """Whether it looks at grades or judgments, so that tau, label rank and graders mean something."""
        return self.of in ("questions", "labels")

    @property
    def spelling(self) -> str:
        """The measure as one writes it, with an example of @k."""
        return f"{self.name}@20" if self.cut == "needed" or self.name == "nDCG" else self.name
