"""The analysis `holes`: ungraded passages, and how far they could change the leaderboard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.answers.asking import at_one_tau, figures
from exam_core.declared import Field
from exam_core.request import Evaluating
from exam_core.results import attributes


@dataclass(frozen=True, kw_only=True)
class HolesOptions(Evaluating):
    """At which depths holes are counted, and who says what is unjudged."""

    depths: Annotated[list[int] | None, Field("Depths, comma-separated; by default 1,5,10,20.", commas=True)] = None
    judged_by: Annotated[str | None, Field("Human judgments; passages without one are unjudged.")] = None


@analysis("holes", waiting="Bounding scores")
def answer(subject: Subject, options: HolesOptions) -> Answer:
    """Ungraded passages at each depth, and the bounds of each run's score if they were graded.

    Example: examboard holes demo --bank open --measure P@20 --tau 3 --depths 5,20
    """
    from exam_core.analysis.figures import question_of
    from exam_core.wings.holes.score_bounds import ROWS, holes

    held, collection = figures(subject, options), subject.snapshot.collection
    choice = held.evaluation(at_one_tau(subject, options))
    if choice is None:
        note = f"{collection} has printed figures only: without rankings there are no passages to grade."
        told: dict[str, Any] = {"collection": collection, "rows": [], "notes": [note]}
        return Answer(f"{collection}: ungraded passages", described(ROWS.of(), ROWS), [note], told=told)
    at, progress = options.depths or [], subject.progress
    found = holes(held.snapshot, choice, at, judgments=options.judged_by, progress=progress)
    told = question_of(held.snapshot, choice) | {"depths": sorted(found.rows["depth"].unique().tolist())}
    told |= {"judged_by": found.judgments, "bound": "exact" if found.exact else "conservative"}
    return Answer(
        f"{collection} {found.title}",
        described(found.rows, ROWS),
        found.notes,
        told=told | attributes(found, "rows", "notes"),
        footer=[found.title, *found.notes],
    )
