"""The slide of the pairs of runs that grades and judgments find different."""

from __future__ import annotations

from exam_core.aliases import in_words
from exam_core.analysis.contents.display_names import names_of
from exam_core.analysis.contents.requirements import is_judged
from exam_core.analysis.evaluation.references import reference_by_query
from exam_core.errors import UsageError
from exam_core.slides.slide import PageSlide, Slide, Told
from exam_core.wings.trust.analysis.fidelity import ROWS as PAIRS
from exam_core.wings.trust.analysis.fidelity import Fidelity, fidelity
from exam_core.wings.trust.charts.fidelity import fidelity_figure
from exam_core.wings.trust.reports.fidelity import WORDS
from exam_core.wording import ORDER, reference_in_words


def fidelity_of_pairs(told: Told) -> Slide:
    """Pairs of runs by what tells them apart: the judgments, the grader, both or neither."""
    told.refuse_print()
    snapshot = told.figures.snapshot
    reference = reference_by_query(snapshot, told.asked, judged=is_judged(snapshot))
    if reference is None:
        raise UsageError("Significantly different pairs need human judgments, or a reference with values by query.")
    picked = told.view.own("fidelity_mode")
    mode = picked if picked in told.view.series else told.first
    choice = told.figures.of(told.asked.of(mode).but(reference=reference))
    found = told.ask(fidelity, snapshot, choice)
    [row] = found.rows[found.rows["adjustment"] == "Holm"].to_dict("records")
    return Slide(
        takeaway=_told_apart(found, row, names_of(snapshot).get(mode, mode), told.at_tau),
        figure=fidelity_figure(found.rows, WORDS),
        table=found.rows,
        of=PAIRS,
        ticks={f"Kendall, {found.n} runs": found.kendall, f"Kendall, top {found.top}": found.kendall_top},
        ticks_of=told.ticks_of,
        notes=tuple(in_words(note, names_of(snapshot)) for note in found.notes),
    )


def _told_apart(found: Fidelity, row: dict[str, int], grader: str, at_tau: str) -> str:
    pairs = f"{row['pairs']:,} pairs of {found.n} runs"
    reference = reference_in_words(found.reference)
    if not row["reference"]:
        return f"By {reference} none of {pairs} differs significantly; by {grader} {row['board']:,} do{at_tau}."
    opposite = f", and {row['opposite']:,} in the opposite order" if row["opposite"] else ""
    return (
        f"{row['reference']:,} of {pairs} differ significantly by {reference}; {grader} finds "
        f"{row['both'] or 'none'} of these{at_tau}{opposite}."
    )


ROWS = (
    PageSlide(
        "Significantly different pairs",
        fidelity_of_pairs,
        90,
        takes=is_judged,
        part_of=ORDER,
        tabs=("stability_view", ("Pairs by grades and judgments",)),
        former=("Runs told apart",),
    ),
)
