"""The means of runs with each question of a bank left out in turn."""

from __future__ import annotations

from collections import Counter

import numpy as np

from exam_core.analysis.uncertainty.redraws import Redrawing
from exam_core.measures.gradebook import Gradebook
from exam_core.numbers.arrays import Bools, Floats
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
    answering, asked = book.answering, book.enabled.sum(axis=1)
    found = np.empty((len(questions), len(answering)), bool)
    for row, places in enumerate(questions.values()):
        taken = Counter(query for query, _ in places)
        stays = [query for query, count in enumerate(asked.tolist()) if count > taken[query]]
        found[row] = answering[:, stays].any(axis=1)
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
    sums, n = _sum_and_count(whole)
    means = np.empty((len(questions), len(whole)))
    for row, places in enumerate(questions.values()):
        queries, slots = (list(side) for side in zip(*places, strict=True))
        old_sum, old_n = _sum_and_count(whole[:, queries])
        new_sum, new_n = _sum_and_count(columns[slots, :, queries].T)
        left = n - old_n + new_n
        means[row] = np.where(left > 0, (sums - old_sum + new_sum) / np.maximum(left, 1), np.nan)
    return means


def _sum_and_count(values: Floats) -> tuple[Floats, Floats]:
    counted = ~np.isnan(values)
    return np.where(counted, values, 0.0).sum(axis=1), counted.sum(axis=1).astype(float)


def _mean(values: Floats) -> Floats:
    sums, n = _sum_and_count(values)
    return np.where(n > 0, sums / np.maximum(n, 1), np.nan)
