"""The slide of grading modes as votes."""

from __future__ import annotations

from exam_core.aliases import in_words, with_aliases
from exam_core.analysis.contents.display_names import names_of
from exam_core.analysis.contents.requirements import is_judged
from exam_core.errors import UsageError
from exam_core.slides.slide import PageSlide, Slide, Told
from exam_core.store import Snapshot
from exam_core.wings.trust.analysis.votes import ROWS as VOTERS
from exam_core.wings.trust.analysis.votes import voters
from exam_core.wings.trust.analysis.votes import votes as votes_of
from exam_core.wings.trust.charts.votes import accuracy_figure
from exam_core.wording import number


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


ROWS = (PageSlide("Grading modes as votes", votes, 120, takes=has_voters, part_of="Agreement"),)
