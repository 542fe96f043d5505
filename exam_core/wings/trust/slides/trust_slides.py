"""Slides of the pairs of runs that grades and judgments find different, and of grading modes as votes."""

from __future__ import annotations

from dataclasses import replace

from exam_core.aliases import in_words, with_aliases
from exam_core.analysis.contents.display_names import names_of
from exam_core.analysis.contents.requirements import is_judged
from exam_core.analysis.evaluation.references import reference_by_query
from exam_core.errors import UsageError
from exam_core.slides.slide import PageSlide, Slide, Told
from exam_core.store import Snapshot
from exam_core.wings.trust.analysis.grader_votes import ROWS as VOTERS
from exam_core.wings.trust.analysis.grader_votes import voters
from exam_core.wings.trust.analysis.grader_votes import votes as votes_of
from exam_core.wings.trust.analysis.significance_fidelity import ROWS as PAIRS
from exam_core.wings.trust.analysis.significance_fidelity import Fidelity, fidelity
from exam_core.wings.trust.charts.decided_pairs import fidelity_figure
from exam_core.wings.trust.charts.vote_accuracy import accuracy_figure
from exam_core.wings.trust.reports.trust_sentences import WORDS
from exam_core.wording import RELIABILITY, counted, number, reference_in_words


def fidelity_of_pairs(told: Told) -> Slide:
    """Pairs of runs by what tells them apart: the judgments, the grader, both or neither."""
    told.refuse_print()
    snapshot = told.figures.snapshot
    reference = reference_by_query(snapshot, told.asked, judged=is_judged(snapshot))
    if reference is None:
        raise UsageError("Significantly different pairs need human judgments, or a reference with values by query.")
    picked = told.view.own("fidelity_mode")
    mode = picked if picked in told.view.series else told.first
    told = replace(told, view=replace(told.view, series=(mode,)))
    found = told.ask(fidelity, snapshot, told.figures.of(told.asked.of(mode).but(reference=reference)))
    [row] = found.rows[found.rows["adjustment"] == "Holm"].to_dict("records")
    return Slide(
        takeaway=_told_apart(found, row, names_of(snapshot).get(mode, mode), told.at_tau),
        figure=fidelity_figure(found.rows, WORDS),
        table=found.rows,
        of=PAIRS,
        ticks={f"Kendall, {found.n} runs": found.kendall, f"Kendall, top {found.top}": found.kendall_top},
        ticks_of=f"{told.method} against {reference_in_words(found.reference)}",
        notes=tuple(in_words(note, names_of(snapshot)) for note in found.notes),
    )


def _told_apart(found: Fidelity, row: dict[str, int], grader: str, at_tau: str) -> str:
    pairs = f"{counted({'pairs': row['pairs']})} of {counted({'runs': found.n})}"
    reference = reference_in_words(found.reference)
    if not row["reference"]:
        return f"By {reference} none of {pairs} differs significantly; by {grader} {row['board']:,} do{at_tau}."
    opposite = f", and {row['opposite']:,} in the opposite order" if row["opposite"] else ""
    return (
        f"{row['reference']:,} of {pairs} differ significantly by {reference}; {grader} finds "
        f"{row['both'] or 'none'} of these{at_tau}{opposite}."
    )


def has_voters(snapshot: Snapshot) -> bool:
    """Whether several grading modes can vote, and judgments say who is right."""
    return is_judged(snapshot) and len(voters(snapshot)) > 1


def votes(told: Told) -> Slide:
    """Accuracy of each grading mode and of their majority, and how many votes they are worth."""
    told.refuse_print()
    snapshot = told.figures.snapshot
    modes = told.view.address.get("voters") or voters(snapshot, told.asked.bank)
    found = told.ask(votes_of, snapshot, tuple(modes), told.asked)
    if len(found.graders) < 2 or not found.judged:
        raise UsageError("Counting independent graders needs several grading modes and human judgments.")
    names = names_of(snapshot)
    rows = with_aliases(found.rows, names)
    accuracy = found.rows.set_index("grader")["accuracy"]
    ends = " to ".join(number(end, ".1f") for end in found.votes_interval)
    return Slide(
        takeaway=(
            f"{len(found.graders)} grading modes count as much as {number(found.votes, '.1f')} independent ones (95% "
            f"interval {ends}); their majority is right on {accuracy[found.majority]:.1%} of {found.judged:,} "
            f"passages, {names.get(str(found.best), str(found.best))} alone on {accuracy[found.best]:.1%}."
        ),
        figure=accuracy_figure(rows),
        table=rows,
        of=VOTERS,
        ticks={"votes": found.votes, "correlation of errors": found.error_correlation},
        notes=tuple(in_words(note, names) for note in found.notes),
    )


ROWS = (
    PageSlide(
        "Significantly different pairs",
        fidelity_of_pairs,
        90,
        takes=is_judged,
        part_of=RELIABILITY,
        tabs=("stability_view", ("Pairs by grades and judgments",)),
        former=("Runs told apart",),
    ),
    PageSlide("Grading modes as votes", votes, 120, takes=has_voters, part_of="Agreement"),
)
