"""Anchoring: whether people who see the grader's answer first agree with it more often."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from exam_core.results import ResultTable, count, decimal, signed, text
from exam_core.wings.reviews.analysis.compared_reviews import ComparedReviews
from exam_core.wings.reviews.numbers.sample_estimates import difference, share

ANCHORING = ResultTable(
    "review agreement: anchoring",
    "Agreement of people with the grader, with and without its answer in sight",
    text("task", "Task"),
    decimal("blind", "Blind", "Items that people answer as the grader does, not having seen it.", "share of items"),
    decimal("blind_low", "low (blind)", "Lower end of its 95% interval (Wilson)."),
    decimal("blind_high", "high (blind)", "Upper end of its 95% interval."),
    count("blind_n", "Items (blind)", unit="items"),
    decimal(
        "shown", "Shown", "Items that people answer as the grader does, having seen its answer first.", "share of items"
    ),
    decimal("shown_low", "low (shown)", "Lower end of its 95% interval (Wilson)."),
    decimal("shown_high", "high (shown)", "Upper end of its 95% interval."),
    count("shown_n", "Items (shown)", unit="items"),
    signed(
        "difference",
        "Shown minus blind",
        "Above 0: seeing the answer first draws people towards it.",
        "share of items",
        source="Newcombe 1998 for the interval",
    ),
    decimal("difference_low", "low (difference)", "Lower end of the 95% interval of the difference."),
    decimal("difference_high", "high (difference)", "Upper end of the 95% interval of the difference."),
)


def anchoring_of(found: ComparedReviews) -> Iterator[tuple[Any, ...]]:
    """The row of `ANCHORING` of a task; none where no answer can be compared with the grader's.

    The answers agree where both are a yes or both a no by the cuts; grades on a question where they are the same.
    """
    known = found.known("model")
    if not len(known):
        return
    shown = known.rows["shown"].to_numpy(bool)
    sides = []
    for part in (known.only(~shown), known.only(shown)):
        first, second = (
            (part.values("answer"), part.values("model"))
            if found.task == "grade"
            else (part.positive("answer"), part.positive("model"))
        )
        sides.append(share(first == second, part.sample))
    blind, seen = sides
    yield (found.task, *blind, *seen, *difference(seen, blind)[:3])
