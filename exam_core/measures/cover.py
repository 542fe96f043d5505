"""EXAM-Cover: the share of a query's exam questions that a run's first passages answer."""

from __future__ import annotations

import numpy as np

from exam_core.errors import UndefinedMeasure
from exam_core.measures.gradebook import Bools, Floats, Gradebook, Ints


def exam_cover(book: Gradebook, *, tau: int, depth: int | None = None) -> Floats:
    """Share of each query's questions that a run's first passages answer: Cover@k.

    A question is answered when one of the first `depth` passages has a grade of at least `tau`.
    Every enabled question of the bank counts, graded or not.

    Parameters
    ----------
    tau : smallest grade that counts, 1..5
    depth : passages that count; None for all that the gradebook holds

    Returns
    -------
    (R, Q) shares in [0, 1]; 0 where the run returned nothing, NaN where a query has no enabled question

    Raises
    ------
    UndefinedMeasure : the grader labels passages and has no questions

    Source: Farzi & Dietz 2024 (EXAM++), eq. 1; EXAM, eq. 1.
    """
    return _share(_covered(book, tau, depth), book.enabled.sum(axis=1))


def normalised_exam_cover(book: Gradebook, *, tau: int, depth: int | None = None) -> Floats:
    """As `exam_cover`, divided by the questions that any graded passage of the query answers: nCover@k.

    Returns
    -------
    (R, Q) shares in [0, 1]; 0 where no graded passage answers any question

    Over `book.ranked_only()` the divisor counts what ranked passages answer.

    Source: n-EXAM of the authors' workbench.
    """
    answerable = _answerable(book, tau).sum(axis=1)
    shares = _share(_covered(book, tau, depth), np.maximum(answerable, 1))
    shares[:, book.enabled.sum(axis=1) == 0] = np.nan
    return shares


def overall_cover(book: Gradebook, *, tau: int) -> Floats:
    """(Q,) Cover of everything graded for a query, ranked or not: the `_overall_` row of the papers."""
    return _share(_answerable(book, tau).sum(axis=1), book.enabled.sum(axis=1))


def _answered(book: Gradebook, tau: int) -> Bools:
    """(P + 1, S) whether a passage answers an enabled question; the last row stands for no passage."""
    _require_questions(book)
    answered = (book.grades >= tau) & book.enabled[book.pair_query]
    return np.vstack([answered, np.zeros((1, answered.shape[1]), bool)])


def _covered(book: Gradebook, tau: int, depth: int | None) -> Ints:
    """(R, Q) number of questions that the first passages answer."""
    answered = _answered(book, tau)
    slots = book.slots if depth is None else book.slots[:, :, :depth]
    covered = np.zeros((*slots.shape[:2], answered.shape[1]), bool)
    # One place of all rankings at a time: the whole cube at once would not fit the cache.
    for place in range(slots.shape[2]):
        covered |= answered[np.maximum(slots[:, :, place], -1)]
    counts: Ints = covered.sum(axis=2)
    return counts


def _answerable(book: Gradebook, tau: int) -> Bools:
    """(Q, S) questions that some graded passage of the query answers."""
    answered = _answered(book, tau)[:-1]
    found: Bools = np.logical_or.reduceat(answered, book.pair_starts, axis=0)
    return found


def _share(counts: Ints, questions: Ints) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.where(questions > 0, counts / np.maximum(questions, 1), np.nan)


def _require_questions(book: Gradebook) -> None:
    if not book.has_questions:
        raise UndefinedMeasure(
            "Cover needs exam questions, and this grader labels whole passages. "
            "Choose a measure over labels, such as P@20, or another grader."
        )
