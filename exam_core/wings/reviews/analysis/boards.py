"""Corrected boards as they are asked for: at one tau, or at every."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from exam_core.analysis.figures import Figures
from exam_core.asked import Asked
from exam_core.errors import UsageError
from exam_core.wings.reviews.analysis.corrected import Corrected, corrected
from exam_core.wings.reviews.store.reviews import Reviews


def corrected_boards(figures: Figures, asked: Asked, at: Sequence[int], reviews: Reviews) -> list[Corrected]:
    """What humans would have found, for each tau; at the one that is asked for where none is named.

    Raises UsageError where print alone is known, the measure can't be corrected, or there are too few reviews.
    """
    choice = figures.evaluation(asked)
    if choice is None:
        raise UsageError(f"{figures.snapshot.collection} has printed figures only: there are no lists to review.")
    choices = [replace(choice, tau=tau) for tau in at] or [choice]
    return [corrected(figures.snapshot, one, reviews, asked.relevant_from) for one in choices]
