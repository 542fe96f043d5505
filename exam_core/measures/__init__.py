"""Every measure, once: pages, command line, docs and property tests read this table."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from exam_core.errors import UsageError
from exam_core.measures.average_precision import average_precision
from exam_core.measures.bpref import bpref
from exam_core.measures.cover import (
    exam_cover,
    normalised_exam_cover,
    overall_cover,
    overall_normalised_cover,
    overall_weighted_cover,
    weighted_exam_cover,
)
from exam_core.measures.gradebook import Floats
from exam_core.measures.intents import alpha_ndcg, err_ia
from exam_core.measures.judged import judged
from exam_core.measures.marks import Marks
from exam_core.measures.ndcg import ndcg
from exam_core.measures.precision import precision
from exam_core.measures.r_precision import r_precision
from exam_core.measures.recall import recall
from exam_core.measures.reciprocal_rank import reciprocal_rank
from exam_core.measures.set_measures import set_f, set_precision
from exam_core.measures.success import success

Cut = Literal["needed", "possible", "none"]
Of = Literal["questions", "labels"]


@dataclass(frozen=True)
class MeasureInfo:
    """What there is to know of a measure.

    `of` says what it looks at: answered questions, or passages' labels. `cut` says whether it takes an
    @k. `compute(marks, depth)` gives (T, R, Q) values, (1, R, Q) where tau does not apply; larger is
    better; depth is None without an @k. `overall(book, tau=)` gives (Q,) values of everything graded for a
    query, ranked or not; None where the measure has no value without an order.
    """

    name: str
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

    def at(self, depth: int | None) -> Measure:
        """The measure of the first `depth` passages, or of all that is read where it takes no @k."""
        return Measure(self.name, None if self.cut == "none" else depth)


MEASURES: dict[str, MeasureInfo] = {
    info.name: info
    for info in (
        MeasureInfo(
            "Cover",
            "questions",
            "needed",
            "share of a query's exam questions that the first k passages answer",
            "|questions with a grade of at least tau in the first k passages| / |questions of the query|",
            "EXAM++, eq. 1",
            exam_cover,
            overall=overall_cover,
        ),
        MeasureInfo(
            "nCover",
            "questions",
            "needed",
            "Cover, divided by what all graded passages together answer",
            "|questions answered in the first k| / |questions that any graded passage of the query answers|",
            "n-EXAM of the authors' workbench",
            normalised_exam_cover,
            overall=overall_normalised_cover,
        ),
        MeasureInfo(
            "wCover",
            "questions",
            "needed",
            "Cover, where each question counts with its weight in the bank",
            "sum of the weights of questions answered in the first k / sum of the weights of the query's questions",
            "generalises EXAM++, eq. 1",
            weighted_exam_cover,
            overall=overall_weighted_cover,
        ),
        MeasureInfo(
            "P",
            "labels",
            "needed",
            "share of the first k places that hold a passage with a label of at least tau",
            "|first k passages with a label of at least tau| / k",
            "EXAM Qrels with Precision@20 (EXAM, section 3.3.2); trec_eval P_k",
            precision,
        ),
        MeasureInfo(
            "AP",
            "labels",
            "possible",
            "mean of the precision at the place of each relevant passage",
            "sum of P@place over ranked passages with a label of at least tau / |such passages of the query|",
            "Buckley & Voorhees 2000; trec_eval map, map_cut_k",
            average_precision,
        ),
        MeasureInfo(
            "nDCG",
            "labels",
            "possible",
            "gain of the first passages, discounted by place, as a share of the best possible; labels are graded, "
            "so tau does not apply",
            "sum of label / log2(place + 1) over the first k, divided by the same of the query's best labels",
            "Järvelin & Kekäläinen 2002; trec_eval ndcg, ndcg_cut_k",
            ndcg,
            tau_applies=False,
        ),
        MeasureInfo(
            "Rprec",
            "labels",
            "none",
            "precision at the place that equals the number of relevant passages",
            "|relevant passages among the first R| / R, for R passages with a label of at least tau",
            "trec_eval Rprec",
            lambda marks, _depth: r_precision(marks),
        ),
        MeasureInfo(
            "RR",
            "labels",
            "possible",
            "one over the place of the first relevant passage",
            "1 / place of the first passage with a label of at least tau",
            "Kantor & Voorhees 2000; trec_eval recip_rank",
            reciprocal_rank,
        ),
        MeasureInfo(
            "R",
            "labels",
            "needed",
            "share of the relevant passages that stand among the first k",
            "|relevant passages among the first k| / |passages with a label of at least tau|",
            "trec_eval recall_k",
            recall,
        ),
        MeasureInfo(
            "Bpref",
            "labels",
            "none",
            "how seldom passages labelled not relevant stand before relevant ones",
            "mean over the R relevant passages of 1 - min(n, R) / min(N, R), for n of the N others before it",
            "Buckley & Voorhees 2004; trec_eval bpref",
            lambda marks, _depth: bpref(marks),
        ),
        MeasureInfo(
            "Success",
            "labels",
            "needed",
            "whether one of the first k passages is relevant",
            "1 if a label of at least tau is among the first k, else 0",
            "trec_eval success_k",
            success,
        ),
        MeasureInfo(
            "Judged",
            "labels",
            "needed",
            "share of the first k passages that have a label; tau does not apply",
            "|first k passages with a label| / min(k, |passages returned|)",
            "ir_measures Judged",
            judged,
            tau_applies=False,
        ),
        MeasureInfo(
            "SetP",
            "labels",
            "none",
            "share of all returned passages that are relevant",
            "|returned passages with a label of at least tau| / |returned passages|",
            "trec_eval set_P",
            lambda marks, _depth: set_precision(marks),
        ),
        MeasureInfo(
            "SetR",
            "labels",
            "none",
            "share of the relevant passages that were returned",
            "|returned passages with a label of at least tau| / |passages with a label of at least tau|",
            "trec_eval set_recall",
            lambda marks, _depth: recall(marks),
        ),
        MeasureInfo(
            "SetF",
            "labels",
            "none",
            "harmonic mean of SetP and SetR",
            "2 SetP SetR / (SetP + SetR)",
            "trec_eval set_F",
            lambda marks, _depth: set_f(marks),
        ),
        MeasureInfo(
            "alpha_nDCG",
            "questions",
            "needed",
            "novelty of the first passages, discounted by place, as a share of a greedy best; questions are intents",
            "a question that c passages before answered gains 0.5^c / log2(place + 1); divided by the greedy ideal",
            "Clarke et al. 2008; ndeval alpha-nDCG",
            alpha_ndcg,
        ),
        MeasureInfo(
            "ERR_IA",
            "questions",
            "needed",
            "expected reciprocal rank over the questions as intents",
            "a question that c passages before answered gains 0.5^c / place; divided by what perfect passages gain",
            "Chapelle et al. 2009; ndeval ERR-IA",
            err_ia,
        ),
        MeasureInfo(
            "StRecall",
            "questions",
            "needed",
            "share of the answerable questions that the first k passages answer: subtopic recall, and so nCover",
            "|questions answered in the first k| / |questions that any graded passage of the query answers|",
            "Zhai, Cohen & Lafferty 2003; ndeval strec",
            normalised_exam_cover,
            overall=overall_normalised_cover,
        ),
    )
}


@dataclass(frozen=True)
class Measure:
    """A measure with its number of passages, if it has one; prints and parses as ir_measures spells it: `P@20`."""

    name: str
    depth: int | None = None

    @classmethod
    def parse(cls, text: str) -> Measure:
        """Read `Cover@20`, `AP` and the like.

        Raises
        ------
        UsageError : no such measure; the message names those there are
        """
        match = re.fullmatch(r"(\w+)(?:@([1-9]\d*))?", text.strip())
        info = MEASURES.get(match[1]) if match else None
        if not match or not info:
            spellings = ", ".join(known.spelling for known in MEASURES.values())
            raise UsageError(f"There is no measure {text}. There are: {spellings} (any number after the @).")
        if match[2] and info.cut == "none":
            raise UsageError(f"{text}: {info.name} looks at all that is read of a ranking; leave out @{match[2]}.")
        if not match[2] and info.cut == "needed":
            raise UsageError(f"{text}: say of how many passages, for instance {info.spelling}.")
        return cls(match[1], int(match[2]) if match[2] else None)

    @property
    def info(self) -> MeasureInfo:
        """What there is to know of it."""
        return MEASURES[self.name]

    def __str__(self) -> str:
        return f"{self.name}@{self.depth}" if self.depth else self.name
