"""What a reader of an agreement of reviews has to know: sentences."""

from __future__ import annotations

from collections.abc import Iterator

from exam_core.analysis.evaluation.choice import LabelRule
from exam_core.store import Snapshot
from exam_core.wings.reviews.analysis.coefficients import codes
from exam_core.wings.reviews.analysis.compared_reviews import MOST_REVIEWERS, ComparedReviews, largest
from exam_core.wings.reviews.numbers.alternative import LEAST_ITEMS

FEW = 30
"""Items from which on an interval holds what it says."""
NOTHING = (
    "There are no reviews that count: nobody has answered yet, or all answers were skipped or taken back. Draw a queue "
    "and answer it on the page Reviews, or bring answers with: review import."
)
_WHAT = {
    "relevance": "reviews of relevance",
    "grade": "reviews of grades",
    "question": "reviews of questions",
}


def remarks(
    snapshot: Snapshot, found: list[ComparedReviews], labelling: LabelRule | None, judgments: str | None
) -> list[str]:
    """Notes on all tasks, each said once."""
    if not found:
        return [NOTHING]
    told = [] if labelling else ["There are no grades: reviewers are compared with each other and with judgments."]
    for one in found:
        what = _WHAT[one.task]
        told += _about_design(one, what)
        if labelling and one.task != "question":
            told += _about_grader(snapshot, one, labelling, what)
        if judgments and one.task == "relevance" and (missing := int(one.rows["judged"].isna().sum())):
            told.append(f"{missing:,} of {len(one):,} {what} are of passages that {judgments} does not judge.")
        told += _about_people(one, what)
    return list(dict.fromkeys(told))


def _about_design(one: ComparedReviews, what: str) -> Iterator[str]:
    by_hand = int(one.rows["probability"].isna().sum())
    if by_hand == len(one):
        yield (
            f"None of the {what} was drawn at a known probability: each counts alike, and intervals say nothing of "
            "passages that were chosen for a reason. Draw a queue with: review queue."
        )
    elif by_hand:
        yield (
            f"{by_hand:,} of {len(one):,} {what} were not drawn at a known probability: each weighs as much as a drawn "
            "one on average; the others weigh the inverse of their probability."
        )
    if (n := one.rows["item"].nunique()) < FEW:
        yield f"{what.capitalize()}: only {n} items, too few for reliable intervals."
    if shown := int(one.rows["shown"].sum()):
        yield (
            f"{shown:,} of {len(one):,} {what} were made with the grader's answer in sight, which draws people towards "
            "it."
        )


def _about_grader(snapshot: Snapshot, one: ComparedReviews, labelling: LabelRule, what: str) -> Iterator[str]:
    grader = labelling.grading.grader
    if one.task == "grade" and labelling.grading.is_direct:
        yield f"{grader} labels whole passages: {what} can't be compared with it."
        return
    known = one.known("model")
    if missing := len(one) - len(known):
        yield f"{missing:,} of {len(one):,} {what} are of items without a readable grade of {grader}; left out there."
    if not one.reached:
        end = largest(snapshot, labelling, one.task)
        yield f"No label of {grader} reaches tau {one.cuts.tau} (they end at {end}): kappa and alpha are undefined."
    if len(known) and codes(known.values("model"), known.values("answer")) is None:
        yield f"The values of {grader} are too far apart for weighted kappas, so only yes and no are compared."
    elif one.task == "relevance" and len(known):
        yield (
            "Weighted kappas and alphas read labels and relevances as numbers on one scale; where that is not the "
            "same scale they can't reach 1."
        )


def _about_people(one: ComparedReviews, what: str) -> Iterator[str]:
    people = len(one.reviewers)
    if people == 1:
        yield f"One person alone made the {what}: reviewers can't be compared, nor can the grader replace one."
        return
    if people > MOST_REVIEWERS:
        yield f"{people:,} people made {what}: the {MOST_REVIEWERS} with the most have figures of their own."
    several = one.rows.groupby("item")["reviewer"].nunique()
    shared = int((several > 1).sum())
    if not shared:
        yield f"No two people answered the same item ({what}): draw a queue with a share that everybody gets."
    elif shared < LEAST_ITEMS:
        yield (
            f"Only {shared} items have {what} by two people or more; the alternative annotator test needs "
            f"{LEAST_ITEMS} of each reviewer."
        )
    if people == 2 and shared >= LEAST_ITEMS and one.task != "question":
        yield (
            "The alternative annotator test has two reviewers: it then says only whether the grader is nearer to one "
            "of them than the other is; its authors recommend three."
        )
