"""The POURPRE paper's printed figures beside ours: its worked example, and what it counts from its own numbers."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

from exam_core.analysis.printed.study import RULES, Study, StudyFigure
from exam_core.printed import table
from exam_core.store import Snapshot
from exam_core.wings.neighbours.analysis.needs import is_of_nuggets
from exam_core.wings.neighbours.measures.effectiveness.pourpre import matches
from exam_core.wings.neighbours.measures.sides import Nugget, Sides

NOTES = (
    "The printed numbers of rank swaps and of trials need the definition runs of TREC 2003 and 2004 with the "
    "assessors' nuggets and official scores, which NIST gives to participants. When these are loaded, swaps and "
    "nuggets --variability compute the same figures of these runs.",
    "Tables 2 to 4 (Kendall, R2 and stemming) are not in the text at hand: there is no printed value to compare with.",
)


def study_figures(snapshot: Snapshot) -> tuple[list[StudyFigure], list[str]]:
    """The printed figures that follow from what is printed, and what the others need."""
    del snapshot
    return list(_figures()), list(NOTES)


def _figures() -> Iterator[StudyFigure]:
    facts = table("pourpre_facts").set_index("fact")

    def fact(name: str) -> tuple[str, str]:
        return str(facts.loc[name, "value"]), str(facts.loc[name, "printed_in"])

    strings = ("A", "B C D", "D", "A D")
    example = Sides(["answer"], ["example"], {(0, 0): strings}, [[Nugget("example", "A B C D")]])
    score = float(next(matches(example)).scores[0, 0])
    yield StudyFigure("definition", "match score of the example", *fact("example_match_score"), score, "as defined")
    runs, swaps, small = (int(fact(name)[0]) for name in ("runs", "rank_swaps", "rank_swaps_below_0.02"))
    setting = f"of the printed {runs} runs"
    yield StudyFigure("rank swaps", "pairs of runs", *fact("pairwise_comparisons"), float(comb(runs, 2)), setting)
    share = 100 * small / swaps
    setting = f"{small} of {swaps}, as printed"
    yield StudyFigure("rank swaps", "percent below 0.02", *fact("rank_swaps_below_0.02_share"), share, setting)


STUDIES = (Study("pourpre", "POURPRE", RULES, is_of_nuggets, study_figures),)
