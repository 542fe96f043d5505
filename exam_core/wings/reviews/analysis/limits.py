"""What the intervals of a corrected leaderboard leave out, and whether reviews are of its lists, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.errors import UsageError
from exam_core.numbers.arrays import Ints
from exam_core.store import Snapshot
from exam_core.wings.reviews.analysis.lists import Lists
from exam_core.wings.reviews.analysis.population import places, readable
from exam_core.wings.reviews.numbers.corrected_means import CorrectedMeans, Sampled
from exam_core.wings.reviews.queue import TAKEN_BACK
from exam_core.wings.reviews.review import Review, newest

MOST = 5
"""How many times more passages than there are reviews may stand for: chance alone makes no such sum of weights."""
ERRORS, SHARE = 4, 0.05
"""What is missing is said from so many standard errors, and from this share of the passages on."""


def fitting(snapshot: Snapshot, lists: Lists, sampled: Sampled) -> list[str]:
    """What must be known of lists of which the reviews are no sample, since runs or grades came later.

    The weights of a sample add up to about as many passages as it was drawn from. Raises UsageError where the
    probabilities can't be right.
    """
    weights = sampled.weights
    graded = len(lists.book.grades)
    if weights.sum() > MOST * graded:
        raise UsageError(
            f"By their probabilities, the reviews were drawn from about {weights.sum():,.0f} passages, but there are "
            f"{graded:,}.\n"
            "Check the columns probability and drawn of the reviews that were imported, or undo that import."
        )
    inside = (lists.book.held_by > 0) & readable(snapshot, lists.book)
    found = weights * inside[sampled.items]
    error = np.sqrt(len(found) * found.var() + weights.max() ** 2)
    there = int(inside.sum())
    if there - found.sum() <= max(ERRORS * error, SHARE * there):
        return []
    return [
        f"The reviews cover about {found.sum():,.0f} of the {there:,} passages of the lists. The others, of runs or "
        "grades that came later, could not be drawn, and count as predicted: draw another queue."
    ]


ONCE = (
    "No passage was answered by two people, so intervals leave out that people err: of 800 reviews with 10% to 20% "
    "wrong answers they held the truth in 90% to 93% of simulations. Draw queues with a share for all (--shared)."
)
BY_DISAGREEMENT = (
    "A queue was drawn by disagreement: intervals from such queues held the truth in 88% to 95% of simulated "
    "campaigns. Draw by gain for a corrected leaderboard."
)


def limits(
    lists: Lists,
    choice: Evaluation,
    rows: Iterable[Review],
    counted: Sequence[Review],
    sampled: Sampled,
    means: CorrectedMeans,
) -> list[str]:
    """What a reader must know: people's errors, skipped passages, and queues of hard cases."""
    told = [_about_mistakes(sampled, means), *_about_skipped(lists, choice, rows, counted)]
    if any(review.sampler == "disagreement" for review in counted):
        told.append(BY_DISAGREEMENT)
    return told


def _about_mistakes(sampled: Sampled, means: CorrectedMeans) -> str:
    if np.isnan(means.mistakes):
        return ONCE
    several = sampled.several
    agreed = np.isin(sampled.answers[several], (0, 1)).sum()
    return (
        f"{several.sum():,} of {len(several):,} passages were answered by two people or more, who disagree on "
        f"{several.sum() - agreed:,}: intervals allow for so many errors in all answers."
    )


def _about_skipped(lists: Lists, choice: Evaluation, rows: Iterable[Review], counted: Sequence[Review]) -> list[str]:
    """How many passages nobody answered and somebody skipped, by the grader's label and grade."""
    answered, skipped = _answered_and_skipped(lists, rows, counted)
    if not len(skipped):
        return []
    labels = lists.book.labels(choice.labelling.label_rank)
    seen = np.concatenate([answered, skipped])
    parts = []
    for name, relevant in (("relevant", True), ("not relevant", False)):
        alike, theirs = (labels[items][(labels[items] >= choice.tau) == relevant] for items in (seen, skipped))
        by_grade = [
            f"{(theirs == one).sum():,} of {(alike == one).sum():,} with grade {one}" for one in np.unique(theirs)
        ]
        parts.append(
            f"{len(theirs):,} of {len(alike):,} labelled {name}" + f" ({', '.join(by_grade)})" * bool(by_grade)
        )
    return [
        f"{len(skipped):,} of {len(seen):,} passages were skipped: {'; '.join(parts)}. They count as not drawn: if "
        "people skip relevant passages more often than others, corrected means are too low, and answers can't show it."
    ]


def _answered_and_skipped(lists: Lists, rows: Iterable[Review], counted: Sequence[Review]) -> tuple[Ints, Ints]:
    """Passages that somebody answered, and others that somebody skipped: indices of pairs."""
    answered = {(review.query_id, review.doc_id or "") for review in counted}
    skipped = {
        (review.query_id, review.doc_id or "")
        for review in newest(rows)
        if review.task == "relevance" and review.answer is None and review.skipped not in (None, TAKEN_BACK)
    }
    found = [places(lists.book, keys) for keys in (answered, skipped - answered)]
    return np.array([*found[0].values()], int), np.array([*found[1].values()], int)
