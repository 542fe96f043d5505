"""Pairs of runs that two leaderboards order differently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.answers.asking import at_one_tau, figures
from exam_core.asked import Comparing
from exam_core.declared import Field
from exam_core.results import attributes


@dataclass(frozen=True, kw_only=True)
class SwapsOptions(Comparing):
    """Which leaderboards are compared, and what is listed."""

    bin: Annotated[float | None, Field("Width of the histogram's bins, as a difference in score.")] = None
    pairs: Annotated[bool, Field("List the swapped pairs instead of the histogram.")] = False


@analysis("swaps", tables="the pairs that are swapped")
def answer(subject: Subject, options: SwapsOptions) -> Answer:
    """Pairs of runs that two leaderboards order differently, by how far their scores are apart.

    A tie on one side only is no swap and is counted separately. Of a published collection, printed columns.

    Example: examboard swaps demo --bank open --measure P@20 --tau 3 --reference qrels:nDCG@10
    """
    from exam_core.wings.comparing.analysis.of_figures import swaps_of
    from exam_core.wings.comparing.analysis.rank_swaps import ROWS, SWAPPED
    from exam_core.wings.comparing.reports.stability_lines import swaps_lines

    held, asked = figures(subject, options), at_one_tau(subject, options)
    question, found = held.question(asked), swaps_of(held, asked, width=options.bin)
    swapped = described(found.swapped, SWAPPED)
    told = question | {"leaderboard": found.title, **attributes(found, "reference", "n"), "n_pairs": found.pairs}
    told |= attributes(found, "swaps", "tied_once", "differences_of", "largest", "separable_swaps", "rows")
    told |= {"pairs": found.swapped, "notes": found.notes}
    return Answer(
        f"{subject.snapshot.collection}: pairs of runs in another order",
        swapped if options.pairs else described(found.rows, ROWS),
        swaps_lines(found),
        tables={"pairs": swapped},
        told=told,
        long=options.pairs,
    )
