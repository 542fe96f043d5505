"""Measures of diversity, with the bank's questions as a query's intents."""

from __future__ import annotations

import numpy as np

from exam_core.measures.gradebook import Floats
from exam_core.measures.marks import Marks, require_questions

ALPHA = 0.5
"""Share of its worth that an intent loses each time that it is met again."""


def alpha_ndcg(marks: Marks, depth: int) -> Floats:
    """Discounted novelty of the first passages, as a share of what a greedy ranking gains: alpha_nDCG@k.

    A passage gains (1 - alpha)^c for each question that it answers (grade of at least tau) and that c
    passages before it answered; the discount is log2(place + 1), alpha 0.5. The best ranking is
    built greedily from all graded passages of the query.

    Returns
    -------
    (T, R, Q) values, 1 at most but for greed's slips; 0 where no graded passage answers any question

    Source: Clarke et al. 2008; ndeval alpha-nDCG.
    """
    best = _ideal(marks, depth)
    return _novelty(marks, depth, 1 / np.log2(np.arange(2, depth + 2))) / np.where(best > 0, best, 1)[:, None]


def err_ia(marks: Marks, depth: int) -> Floats:
    """Expected reciprocal rank over the intents: ERR_IA@k.

    As `alpha_ndcg` with discount 1 / place, divided by what passages that answer every answerable
    question would gain.

    Returns
    -------
    (T, R, Q) values in [0, 1]; 0 where no graded passage answers any question

    Source: Chapelle et al. 2009; ndeval ERR-IA (collection-independent normalisation).
    """
    discounts = 1 / np.arange(1, depth + 1)
    every_time = (discounts * (1 - ALPHA) ** np.arange(depth)).sum()
    return _novelty(marks, depth, discounts) / (np.maximum(marks.answerable(), 1) * every_time)[:, None]


def _novelty(marks: Marks, depth: int, discounts: Floats) -> Floats:
    """(T, R, Q) discounted sum of the gains of the first passages."""
    require_questions(marks.book)
    left = np.ones((len(marks.taus), *marks.slots.shape[1:], marks.book.grades.shape[1]))
    total = np.zeros(left.shape[:-1])
    taus = np.array(marks.taus).reshape(-1, 1, 1, 1)
    for place in range(min(depth, len(marks.slots))):
        answered = marks.grades_at(place) >= taus
        total += discounts[place] * (left * answered).sum(axis=-1)
        left[answered] *= 1 - ALPHA
    return total


def _ideal(marks: Marks, depth: int) -> Floats:
    """(T, Q) gain of the ranking that takes the most novel passage each time; the first of equal ones."""
    book = marks.book
    discounts = 1 / np.log2(np.arange(2, depth + 2))
    bounds = np.r_[book.pair_starts, len(book.grades)]
    queries = range(*marks.queries.indices(len(book.query_ids)))
    gains = np.zeros((len(marks.taus), len(queries)))
    for column, query in enumerate(queries):
        grades = np.where(book.enabled[query], book.grades[bounds[query] : bounds[query + 1]], np.int8(-1))
        for row, tau in enumerate(marks.taus):
            answered = (grades >= tau).astype(float)
            answered = answered[answered.any(axis=1)]
            left = np.ones(grades.shape[1])
            taken = np.zeros(len(answered), bool)
            for place in range(min(depth, len(answered))):
                gain = np.where(taken, -1.0, answered @ left)
                first = int(gain.argmax())
                gains[row, column] += discounts[place] * gain[first]
                taken[first] = True
                left[answered[first] > 0] *= 1 - ALPHA
    return gains
