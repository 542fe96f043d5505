"""What is evaluated: a labelling of passages, and a measure of it. Both are keys of caches."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

from exam_core.measures import Measure
from exam_core.measures.gradebook import Counting
from exam_core.request import DEPTH, JUDGED, RELEVANT_FROM, Missing, Order, Pool, Rounded
from exam_core.store.names import BankRef

TAUS = (1, 2, 3, 4, 5)


@dataclass(frozen=True)
class Grading:
    """Whose grades: a grader on a version of a bank, a grader of whole passages, or human judgments.

    `raised` is added to grades with decimals, which then count as the largest whole number that is not above them: with
    0.5, those of 4 and more are the decimals of 3.5 and more. At 0 whole grades are read as they are. `exact` reads the
    decimals beside them, for measures of gain.
    """

    grader: str | None = None
    bank: BankRef | None = None
    judgments: str | None = None
    relevant_from: int = RELEVANT_FROM
    raised: float = 0.0
    exact: bool = False

    @property
    def uncut(self) -> Grading:
        """The same from whichever relevance or tau on its labels count."""
        return replace(self, relevant_from=RELEVANT_FROM, raised=0.0, exact=False)

    @property
    def bank_id(self) -> str | None:
        """The bank's name; None where passages are labelled."""
        return self.bank.name if self.bank else None

    @property
    def series(self) -> str | None:
        """The name in comparisons: the grader's, or that of the judgments as `Request.grader` has it."""
        return f"{JUDGED}{self.judgments}" if self.judgments else self.grader

    @property
    def is_direct(self) -> bool:
        """Whether passages are labelled, so that there are no questions."""
        return self.bank is None


@dataclass(frozen=True)
class QuestionChoice:
    """Which of a bank's questions count, and how much: what-if changes to the bank as it is.

    `counting` changes how single questions count, and `added` are questions that the bank does not have and nobody
    graded.
    """

    drop: frozenset[str] = frozenset()
    counting: tuple[Counting, ...] = ()
    added: tuple[Counting, ...] = ()


AS_BANKED = QuestionChoice()


@dataclass(frozen=True)
class LabelRule:
    """How passages are labelled: whose grades, of which questions, and how they become a label.

    Parameters
    ----------
    depth : passages of a ranking that are read; None is all
    order : the first passages are those by score, or by the files' ranks
    label_rank : which of a passage's grades, from the best, is its label
    label_map : pairs of grade and label; None where a label is a grade
    """

    grading: Grading
    depth: int | None = DEPTH
    order: Order = "score"
    label_rank: int = 1
    label_map: tuple[tuple[int, int], ...] | None = None
    asking: QuestionChoice = AS_BANKED

    def at(self, tau: float, *, exact: bool = False) -> LabelRule:
        """The same, whose labels reach the next whole number where the decimals reach tau; or with `exact` decimals.

        Judgments have no decimals, and neither have labels of a map.
        """
        has_decimals = self.grading.grader is not None and self.label_map is None
        raised, exact = round(math.ceil(tau) - tau, 9) if has_decimals else 0.0, exact and has_decimals
        if (raised, exact) == (self.grading.raised, self.grading.exact):
            return self
        return replace(self, grading=replace(self.grading, raised=raised, exact=exact))

    @property
    def mapping(self) -> dict[int, int] | None:
        """The label map by grade; None where a label is a grade."""
        return dict(self.label_map) if self.label_map else None

    @property
    def written_map(self) -> str | None:
        """The label map as it is typed; None where a label is a grade."""
        return ",".join(f"{grade}={label}" for grade, label in self.label_map) if self.label_map else None


@dataclass(frozen=True)
class Evaluation:
    """A measure of a labelling, and the rules of the averaging.

    Parameters
    ----------
    tau : smallest grade or label that counts; one that is no whole number cuts the decimals of grades, which are read
        in the labelling as `LabelRule.at` says
    missing : whether a query without results counts 0 or not at all
    pool : what nCover divides by: what graded or what ranked passages answer
    rounded : whether means have the 4 decimals that trec_eval prints
    reference : the leaderboard to compare with; None takes `official` if there is one
    groups : whether runs of one group are one system
    """

    labelling: LabelRule
    measure: Measure
    tau: float
    missing: Missing = "zero"
    pool: Pool = "graded"
    rounded: Rounded = "none"
    reference: str | None = field(default=None, kw_only=True)
    groups: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        """Let grades be read as tau asks; where it does not apply, as whole numbers."""
        tau = self.tau if self.measure.tau_applies else 0
        labelling = self.labelling.at(tau, exact=self.measure.of_decimals)
        object.__setattr__(self, "labelling", labelling)

    @property
    def of_grades(self) -> bool:
        """Whether the measure looks at grades or judgments, and not at runs' texts or stored values."""
        return self.measure.info.of_grades

    @property
    def grading(self) -> Grading:
        """Whose grades are evaluated."""
        return self.labelling.grading

    @property
    def taus(self) -> tuple[int, ...]:
        """The levels that one pass computes: those of all whole taus, or the one cut of human judgments."""
        return (self.grading.relevant_from,) if self.grading.judgments else TAUS

    @property
    def cut(self) -> float:
        """The smallest label that counts: tau, or the judgments' own."""
        return self.grading.relevant_from if self.grading.judgments else self.tau

    @property
    def level(self) -> int:
        """The whole number that labels reach where they count."""
        return math.ceil(self.cut)

    @property
    def heading(self) -> str:
        """The measure as titles and columns name it."""
        return self.measure.heading(self.labelling.depth)

    @property
    def as_read(self) -> Evaluation:
        """The choice with the depth to which rankings are read for its measure, and the measure's own @k.

        By the files' ranks, k limits ranks: a run that counts from 0 has one more place for Cover and its kin.
        """
        measure = self.measure
        if self.labelling.order == "rank" and measure.info.in_any_order and measure.depth:
            return replace(self.labelled(depth=measure.depth), measure=replace(measure, depth=measure.depth + 1))
        return self

    def labelled(self, **changes: Any) -> Evaluation:
        """The same evaluation with another depth, order, label rank, label map or other questions."""
        return replace(self, labelling=replace(self.labelling, **changes))
