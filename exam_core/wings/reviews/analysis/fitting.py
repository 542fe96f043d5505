"""Whether reviews were drawn from the lists that they are to correct."""

from __future__ import annotations

import numpy as np

from exam_core.errors import UsageError
from exam_core.store import Snapshot
from exam_core.wings.reviews.analysis.lists import Lists
from exam_core.wings.reviews.analysis.population import held_by, readable
from exam_core.wings.reviews.numbers.corrected_means import Sampled

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
            f"By their probabilities, the reviews are of about {weights.sum():,.0f} passages, and there are "
            f"{graded:,}.\n"
            "Check the columns probability and drawn of the reviews that were imported, or undo that import."
        )
    inside = (held_by(lists.book) > 0) & readable(snapshot, lists.book)
    found = weights * inside[sampled.items]
    error = np.sqrt(len(found) * found.var() + weights.max() ** 2)
    there = int(inside.sum())
    if there - found.sum() <= max(ERRORS * error, SHARE * there):
        return []
    return [
        f"The reviews cover about {found.sum():,.0f} of the {there:,} passages of the lists. The others, of runs or "
        "grades that came later, could not be drawn, and count as predicted: draw another queue."
    ]
