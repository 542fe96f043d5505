"""Measures of diversity, with the bank's questions as a query's intents."""

from __future__ import annotations

import numpy as np

from exam_core.measures.info import MeasureInfo
from exam_core.measures.marks import Marks, require_questions
from exam_core.measures.measure_options import ReadingOptions
from exam_core.numbers.arrays import Floats

ALPHA = 0.5
"""Share of its worth that an intent loses each time that a passage answers it."""
CELLS = 2**18
"""Grades of which the ideal rankings are built together: they stay in a processor's cache."""


def alpha_ndcg(marks: Marks, depth: int) -> Floats:
    """Discounted novelty of the first passages, as a share of what a greedy ranking gains: alpha_nDCG@k.

    A passage gains (1 - alpha)^c for each question that it answers (grade of at least tau) and that c passages before
    it answered; the discount is log2(rank + 1), alpha 0.5. The best ranking is built greedily from all graded passages
    of the query; of equally novel ones the last by doc_id comes first, as in ndeval. Returns (T, R, Q) values, 1 at
    most but for greed's slips (never above e / (e - 1)); 0 where no graded passage answers any question.

    Source: Clarke et al. 2008; ndeval alpha-nDCG.

    >>> from exam_core.measures.example import marks
    >>> alpha_ndcg(marks(), 2)[0, :, 0].round(3).tolist()  # 1 and 1/log2(3), over their sum
    [0.613, 0.387]
    """
    require_questions(marks.book)
    best = _ideal(marks, depth)
    return _novelty(marks, 1 / np.log2(np.arange(2, depth + 2))) / np.where(best > 0, best, 1)[:, None]


def err_ia(marks: Marks, depth: int) -> Floats:
    """Expected reciprocal rank over the intents: ERR_IA@k.

    As `alpha_ndcg` with discount 1 / place, divided by what passages that answer every answerable question would gain.
    Returns (T, R, Q) values in [0, 1]; 0 where no graded passage answers any question.

    Source: Chapelle et al. 2009; ndeval ERR-IA (collection-independent normalisation).

    >>> from exam_core.measures.example import marks
    >>> err_ia(marks(), 2)[0, :, 0].round(3).tolist()  # 1 and 1/2, over 2 * (1 + 1/4)
    [0.4, 0.2]
    """
    require_questions(marks.book)
    discounts = 1 / np.arange(1, depth + 1)
    every_time = (discounts * (1 - ALPHA) ** np.arange(depth)).sum()
    return _novelty(marks, discounts) / (np.maximum(marks.answerable(), 1) * every_time)[:, None]


def _novelty(marks: Marks, discounts: Floats) -> Floats:
    """(T, R, Q) discounted sum of the gains of the first passages, one discount for each place."""
    total = np.zeros((len(marks.taus), *marks.slots.shape[1:]))
    # (S, T, R, Q): what a question is still worth to a passage that answers it.
    left = np.ones((marks.book.grades.shape[1], *total.shape))
    taus = np.array(marks.taus).reshape(-1, 1, 1)
    for place, discount in enumerate(discounts[: len(marks.slots)]):
        grades = np.ascontiguousarray(np.moveaxis(marks.grades_at(place), -1, 0))
        gains = left * (grades[:, None] >= taus)
        total += discount * gains.sum(axis=0)
        left -= ALPHA * gains
    return total


def _ideal(marks: Marks, depth: int) -> Floats:
    """(T, Q) gain of the ranking that takes the most novel passage each time."""
    book = marks.book
    bounds = np.r_[book.pair_starts, len(book.grades)]
    queries = np.arange(len(book.query_ids))
    largest = int(np.diff(bounds).max(initial=1))
    step = max(1, CELLS // (len(marks.taus) * largest * book.grades.shape[1]))
    gains = np.zeros((len(marks.taus), len(queries)))
    for start in range(0, len(queries), step):
        block = queries[start : start + step]
        # From the last passage of a query to its first one, because argmax takes the first of equal ones.
        pairs = bounds[block + 1, None] - 1 - np.arange(np.diff(bounds)[block].max())
        counts = (pairs >= bounds[block, None])[:, :, None] & book.enabled[block, None]
        grades = np.where(counts, book.grades[pairs], np.int8(-1))
        for row, tau in enumerate(marks.taus):
            gains[row, start : start + step] = _greedy((grades >= tau).astype(float), depth)
    return gains


def _greedy(answered: Floats, depth: int) -> Floats:
    """(Q,) discounted gain of taking the most novel of (Q, passages, S) each time; `answered` is used up."""
    queries, passages, questions = answered.shape
    rows = np.arange(queries)
    left = np.ones((queries, questions, 1))
    total = np.zeros(queries)
    for place in range(min(depth, passages)):
        gains = (answered @ left)[:, :, 0]
        best = gains.argmax(axis=1)
        total += gains[rows, best] / np.log2(place + 2)
        left[:, :, 0] -= ALPHA * left[:, :, 0] * answered[rows, best]
        answered[rows, best] = 0
    return total


ROWS = (
    MeasureInfo(
        name="alpha_nDCG",
        filled="perfect",
        order=160,
        of="questions",
        cut="needed",
        meaning=(
            "novelty of the first passages, discounted by rank, as a share of a greedy best; questions are intents"
        ),
        formula="a question that c passages before answered gains 0.5^c / log2(rank + 1); divided by the greedy ideal",
        source="Clarke et al. 2008; ndeval alpha-nDCG",
        options=ReadingOptions,
        compute=alpha_ndcg,
    ),
    MeasureInfo(
        name="ERR_IA",
        filled="answerable",
        order=170,
        of="questions",
        cut="needed",
        meaning="expected reciprocal rank over the questions as intents",
        formula="a question that c passages before answered gains 0.5^c / rank; divided by what perfect passages gain",
        source="Chapelle et al. 2009; ndeval ERR-IA",
        options=ReadingOptions,
        compute=err_ia,
    ),
)
