"""The means of runs with each question of a bank left out in turn."""

from __future__ import annotations

import numpy as np

from exam_core.analysis.uncertainty.redraws import Redrawing
from exam_core.measures.gradebook import Gradebook
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.progress import Progress, no_progress

Questions = dict[str, list[tuple[int, int]]]
"""The (query, column) of each place where a question is asked, by question_id."""


def questions_of(book: Gradebook) -> Questions:
    """The enabled questions by id, with the query and column of each place where it is asked; in the bank's order."""
    places: Questions = {}
    for query, column in book.asked.tolist():
        places.setdefault(book.question_ids[query][column], []).append((query, column))
    return places


def boards_without(again: Redrawing, progress: Progress = no_progress) -> tuple[Floats, Floats]:
    """(R,) means of the runs with all questions, and (questions, R) without each, in the order of `questions_of`."""
    whole, questions = again.values(again.book.enabled), questions_of(again.book)
    means = _means_without(whole, without_each(again, progress), questions)
    return _mean(whole), np.where(_answers_without(again.book, questions), means, np.nan)


def _answers_without(book: Gradebook, questions: Questions) -> Bools:
    """(questions, R) whether a run answers a query that counts without each question."""
    graded = book.enabled & book.graded_questions
    asked, n = graded.sum(axis=1), len(graded)
    of, query, column = _places(questions)
    of, query = of[graded[query, column]], query[graded[query, column]]
    pairs, taken = np.unique(of * n + query, return_counts=True)
    last = pairs[taken >= asked[pairs % n]]  # the queries that lose their last question, by question
    found = np.empty((len(questions), len(book.run_ids)), bool)
    for run, answering in enumerate(book.answering):
        lost = np.bincount(last // n, answering[last % n], minlength=len(questions))
        found[:, run] = lost < answering.sum()
    return found


def without_each(again: Redrawing, progress: Progress = no_progress) -> Floats:
    """(S, R, Q) values of each query without its question in a column, for each column."""
    enabled = again.book.enabled
    width = enabled.shape[1]
    found = np.empty((width, len(again.book.run_ids), len(enabled)))
    for column in range(width):
        others = enabled.copy()
        others[:, column] = False
        found[column] = again.values(others)
        progress((column + 1) / width)
    return found


def _means_without(whole: Floats, columns: Floats, questions: Questions) -> Floats:
    """(questions, R) means over queries without each question; NaN where none is left for a run."""
    of, query, column = _places(questions)
    first = np.searchsorted(of, np.arange(len(questions)))
    means = np.empty((len(questions), len(whole)))
    for run, (sums, n) in enumerate(zip(*_sum_and_count(whole), strict=True)):
        old, new = whole[run, query], columns[column, run, query]
        (old_sum, old_n), (new_sum, new_n) = (
            (np.add.reduceat(part, first) for part in (np.nan_to_num(side), (~np.isnan(side)).astype(float)))
            for side in (old, new)
        )
        left = n - old_n + new_n
        means[:, run] = np.where(left > 0, (sums - old_sum + new_sum) / np.maximum(left, 1), np.nan)
    return means


def _places(questions: Questions) -> tuple[Ints, Ints, Ints]:
    """Number of the question, query and column of each place, question after question."""
    places = [(number, *place) for number, one in enumerate(questions.values()) for place in one]
    of, query, column = np.array(places, np.int64).reshape(-1, 3).T
    return of, query, column


def _sum_and_count(values: Floats) -> tuple[Floats, Floats]:
    counted = ~np.isnan(values)
    return np.where(counted, values, 0.0).sum(axis=1), counted.sum(axis=1).astype(float)


def _mean(values: Floats) -> Floats:
    sums, n = _sum_and_count(values)
    return np.where(n > 0, sums / np.maximum(n, 1), np.nan)
