"""Every measure, once: pages, command line, docs and property tests read this table."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from exam_core.errors import UsageError
from exam_core.measures.cover import exam_cover, normalised_exam_cover
from exam_core.measures.gradebook import Floats, Gradebook
from exam_core.measures.precision import precision


@dataclass(frozen=True)
class MeasureInfo:
    """What there is to know of a measure.

    `compute(book, tau, depth, label_rank)` gives (R, Q) values; larger is better.
    """

    name: str
    meaning: str
    formula: str
    source: str
    of_labels: bool
    tau_applies: bool
    compute: Callable[[Gradebook, int, int, int], Floats]


MEASURES: dict[str, MeasureInfo] = {
    info.name: info
    for info in (
        MeasureInfo(
            "Cover",
            "share of a query's exam questions that the first k passages answer",
            "|questions with a grade of at least tau in the first k passages| / |questions of the query|",
            "EXAM++, eq. 1",
            False,
            True,
            lambda book, tau, depth, _label_rank: exam_cover(book, tau=tau, depth=depth),
        ),
        MeasureInfo(
            "nCover",
            "Cover, divided by what all graded passages together answer",
            "|questions answered in the first k| / |questions that any graded passage of the query answers|",
            "n-EXAM of the authors' workbench",
            False,
            True,
            lambda book, tau, depth, _label_rank: normalised_exam_cover(book, tau=tau, depth=depth),
        ),
        MeasureInfo(
            "P",
            "share of the first k places that hold a passage with a label of at least tau",
            "|first k passages with a label of at least tau| / k",
            "EXAM Qrels with Precision@20 (EXAM, section 3.3.2); trec_eval P_k",
            True,
            True,
            lambda book, tau, depth, label_rank: precision(book, tau=tau, depth=depth, label_rank=label_rank),
        ),
    )
}


@dataclass(frozen=True)
class Measure:
    """A measure with its number of passages; prints and parses as ir_measures spells it: `P@20`."""

    name: str
    depth: int

    @classmethod
    def parse(cls, text: str) -> Measure:
        """Read `Cover@20` and the like.

        Raises
        ------
        UsageError : no such measure; the message names those there are
        """
        match = re.fullmatch(r"(\w+)@([1-9]\d*)", text.strip())
        if not match or match[1] not in MEASURES:
            spellings = ", ".join(f"{name}@20" for name in MEASURES)
            raise UsageError(f"There is no measure {text}. There are: {spellings} (any number after the @).")
        return cls(match[1], int(match[2]))

    @property
    def info(self) -> MeasureInfo:
        """What there is to know of it."""
        return MEASURES[self.name]

    def __str__(self) -> str:
        return f"{self.name}@{self.depth}"
