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

    contents, collection = figures(subject, options), subject.snapshot.collection
    choice = contents.evaluation(at_one_tau(subject, options))
    if choice is None:
        note = f"{collection} has printed figures only: without rankings there are no passages to grade."
        fields: dict[str, Any] = {"collection": collection, "rows": [], "notes": [note]}
        return Answer(f"{collection}: ungraded passages", described(ROWS.of(), ROWS), [note], text=fields)
    depths, progress = options.depths or [], subject.progress
    result = holes(contents.snapshot, choice, depths, judgments=options.judged_by, progress=progress)
    fields = question_of(contents.snapshot, choice) | {"depths": sorted(result.rows["depth"].unique().tolist())}
    fields |= {"judged_by": result.judgments, "bound": "exact" if result.exact else "conservative"}
    return Answer(
        f"{collection} {result.title}",
        described(result.rows, ROWS),
        result.notes,
        text=fields | attributes(result, "rows", "notes"),
        footer=[result.title, *result.notes],
    )
