"""EXAM-Cover: the share of a query's exam questions that a run's first passages answer."""

from __future__ import annotations

import numpy as np

from exam_core.measures.gradebook import Gradebook
from exam_core.measures.info import MeasureInfo
from exam_core.measures.marks import Labelling, Marks, require_questions
from exam_core.measures.measure_options import ReadingOptions
from exam_core.numbers.arrays import Floats


def exam_cover(marks: Marks, depth: int | None = None) -> Floats:
    """Share of each query's questions that a run's first passages answer: Cover@k.

    A question is answered when one of the first `depth` passages has a grade of at least tau. Every enabled question of
    the bank counts, graded or not. Returns (T, R, Q) shares in [0, 1]; 0 where the run returned nothing. Raises
    UndefinedMeasure where the grader labels passages and has no questions.

    Source: Farzi & Dietz 2024 (EXAM++), eq. 1; EXAM, eq. 1.

    >>> from exam_core.measures.example import marks
    >>> exam_cover(marks(), 3)[0, :, 0].round(3).tolist()  # two of three questions, and one
    [0.667, 0.333]
    """
    return marks.covered(depth) / np.maximum(marks.questions, 1)


def normalised_exam_cover(marks: Marks, depth: int | None = None) -> Floats:
    """As `exam_cover`, divided by the questions that any graded passage of the query answers: nCover@k.

    Returns (T, R, Q) shares in [0, 1]; 0 where no graded passage answers any question. Over `Gradebook.ranked_only()`
    the divisor counts what ranked passages answer.

    Source: n-EXAM of the authors' workbench; as StRecall@k: Zhai, Cohen & Lafferty 2003, with the bank's
    questions as subtopics.

    >>> from exam_core.measures.example import marks
    >>> normalised_exam_cover(marks(), 3)[0, :, 0].tolist()  # no passage answers the third question
    [1.0, 0.5]
    """
    return marks.covered(depth) / np.maximum(marks.answerable(), 1)[:, None]


def weighted_exam_cover(marks: Marks, depth: int | None = None) -> Floats:
    """As `exam_cover`, where a question counts with its weight in the bank: wCover@k.

    Returns (T, R, Q) sum of the weights of answered questions over the sum of all, in [0, 1]; 0 where the questions of
    a query weigh nothing.

    Source: our generalisation of EXAM++, eq. 1; equal weights give Cover.

    >>> from exam_core.measures.example import marks
    >>> weighted_exam_cover(marks(), 3)[0, :, 0].tolist()  # (2 + 1) / 4 and 1 / 4
    [0.75, 0.25]
    """
    require_questions(marks.book)
    weights = np.where(marks.book.enabled, marks.book.weights, 0.0)
    return weight_reached(marks, depth, weights) / weight_of_all(weights)


def weight_reached(marks: Marks, depth: int | None, weights: Floats) -> Floats:
    """(T, R, Q) sum of the (Q, S) weights of the questions that a run's first passages answer.

    >>> from exam_core.measures.example import marks
    >>> weight_reached(marks(), 3, np.array([[2.0, 1.0, 1.0]]))[0, :, 0].tolist()
    [3.0, 1.0]
    """
    reached = np.zeros((len(marks.taus), *marks.slots.shape[1:]))
    for row, tau in enumerate(marks.taus):
        for question in np.flatnonzero(weights.any(axis=0)):
            reached[row] += weights[:, question] * marks.reaches(depth, tau, int(question))
    return reached


def weight_of_all(weights: Floats) -> Floats:
    """(Q,) sum of all weights, 1 where it is 0.

    >>> weight_of_all(np.array([[2.0, 1.0, 1.0]])).tolist()
    [4.0]
    """
    # Added up in the order of `weight_reached`, so that no share is above 1 by a rounding.
    total = np.cumsum(weights, axis=1)[:, -1]
    return np.where(total > 0, total, 1)


def overall_cover(book: Gradebook, *, tau: int) -> Floats:
    """(Q,) Cover of everything graded for a query, ranked or not: the `_overall_` row of the papers.

    NaN where a query is not `counted`.

    >>> from exam_core.measures.example import book
    >>> overall_cover(book(), tau=4).round(3).tolist()
    [0.667]
    """
    marks = Marks(Labelling(book, (tau,)))
    return np.where(book.counted, marks.answerable()[0] / np.maximum(marks.questions, 1), np.nan)


def overall_normalised_cover(book: Gradebook, *, tau: int) -> Floats:
    """(Q,) nCover of everything graded for a query: 1 where it answers any question, else 0.

    NaN where a query is not `counted`.

    >>> from exam_core.measures.example import book
    >>> overall_normalised_cover(book(), tau=4).tolist()
    [1.0]
    """
    marks = Marks(Labelling(book, (tau,)))
    return np.where(book.counted, (marks.answerable()[0] > 0).astype(float), np.nan)


def overall_weighted_cover(book: Gradebook, *, tau: int) -> Floats:
    """(Q,) wCover of everything graded for a query, ranked or not; 0 where its questions weigh nothing.

    NaN where a query is not `counted`.

    >>> from exam_core.measures.example import book
    >>> overall_weighted_cover(book(), tau=4).tolist()  # (2 + 1) / 4
    [0.75]
    """
    weights = np.where(book.enabled, book.weights, 0.0)
    columns = range(weights.shape[1])
    answerable = np.stack([book.words.has(book.answerable, tau, column) for column in columns], axis=1)
    total = weights.sum(axis=1)
    shares = np.where(answerable, weights, 0.0).sum(axis=1) / np.where(total > 0, total, 1)
    return np.where(book.counted, shares, np.nan)


ROWS = (
    MeasureInfo(
        name="Cover",
        in_any_order=True,
        order=10,
        of="questions",
        cut="needed",
        meaning="share of a query's exam questions that the first k passages answer",
        formula="|questions with a grade of at least tau in the first k passages| / |questions of the query|",
        source="EXAM++, eq. 1",
        options=ReadingOptions,
        compute=exam_cover,
        overall=overall_cover,
    ),
    MeasureInfo(
        name="nCover",
        in_any_order=True,
        filled="answerable",
        order=20,
        of="questions",
        cut="needed",
        meaning="Cover, divided by what all graded passages together answer",
        formula="|questions answered in the first k| / |questions that any graded passage of the query answers|",
        source="n-EXAM of the authors' workbench",
        options=ReadingOptions,
        compute=normalised_exam_cover,
        overall=overall_normalised_cover,
    ),
    MeasureInfo(
        name="wCover",
        in_any_order=True,
        order=30,
        of="questions",
        cut="needed",
        meaning="Cover, where each question counts with its weight in the bank",
        formula="sum of the weights of questions answered in the first k / sum of the weights of the query's questions",
        source="generalises EXAM++, eq. 1",
        options=ReadingOptions,
        compute=weighted_exam_cover,
        overall=overall_weighted_cover,
    ),
    MeasureInfo(
        name="StRecall",
        in_any_order=True,
        filled="answerable",
        order=180,
        of="questions",
        cut="needed",
        meaning="share of the answerable questions that the first k passages answer: subtopic recall, and so nCover",
        formula="|questions answered in the first k| / |questions that any graded passage of the query answers|",
        source="Zhai, Cohen & Lafferty 2003; ndeval strec",
        options=ReadingOptions,
        compute=normalised_exam_cover,
        overall=overall_normalised_cover,
    ),
)
