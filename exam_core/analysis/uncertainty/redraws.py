"""A choice's values with other questions drawn: what the analyses of stability repeat hundreds of times."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from exam_core.analysis.evaluation.books import no_runs
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.values import Values, book_as_read, counted_values
from exam_core.errors import UndefinedMeasure, UsageError
from exam_core.measures import Measure
from exam_core.measures.gradebook import Gradebook
from exam_core.measures.sweep import sweep
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.numbers.means import answered
from exam_core.store import Snapshot

COVERS = ("Cover", "wCover", "nCover", "StRecall")
"""Measures that are shares of questions: one that is drawn twice counts twice."""


@dataclass(frozen=True)
class Redrawing:
    """A choice's sweep, ready to be repeated with other questions.

    Parameters
    ----------
    choice : what is evaluated
    book, measure : what the sweep takes for it
    worth : (Q, S) what a question counts that is drawn once; None where a measure asks each drawn question once
    """

    choice: Evaluation
    book: Gradebook
    measure: Measure
    worth: Floats | None

    def values(self, counts: Ints | Bools) -> Floats:
        """The choice's values where each question counts as often as it was drawn.

        Cover, wCover, nCover and StRecall are shares of questions: a question counts `counts` times. Every other
        measure asks each question that was drawn, once: a passage's label does not know how often.

        Parameters
        ----------
        counts : (Q, S) how often each question is drawn; 0 for those that are switched off

        Returns
        -------
        (R, Q) values; NaN where a query has no question drawn, or does not count for a run
        """
        drawn = counts > 0
        if self.worth is None:
            book, measure = self.book.enabling(drawn), self.measure
        else:
            book = replace(self.book.enabling(drawn), weights=self.worth * counts)
            measure = replace(self.measure, name="wCover")
        choice, labelling = self.choice, self.choice.labelling
        found = sweep(
            book, [measure], taus=(choice.cut,), label_rank=labelling.label_rank, label_map=labelling.label_map
        )
        book.labellings.clear()  # they hold the book, which would stay until the garbage collector's next full round
        return np.where(answered(self.book.answering, skips=choice.missing == "skip"), found[0, 0], np.nan)


def redrawing(snapshot: Snapshot, choice: Evaluation) -> Redrawing:
    """The choice's sweep, ready to be repeated with other questions.

    Raises UndefinedMeasure where the choice has no questions.
    """
    choice = choice.as_read
    book = book_as_read(snapshot, choice)
    if not book.has_questions:
        raise UndefinedMeasure(
            "This grading mode labels whole passages and has no questions to resample. Choose one that grades "
            "questions, or resample queries."
        )
    return Redrawing(choice, book, choice.measure, _worth(book, choice))


def _worth(book: Gradebook, choice: Evaluation) -> Floats | None:
    """What a question counts that is drawn once: as weights that make every share of questions a wCover."""
    name = choice.measure.name
    if name not in COVERS:
        return None
    if name == "wCover":
        return book.weights
    if name == "Cover":
        return np.ones_like(book.weights)
    columns = range(book.weights.shape[1])
    return np.stack([book.words.has(book.answerable, choice.cut, column) for column in columns], axis=1).astype(float)


def values_of_runs(snapshot: Snapshot, choice: Evaluation) -> Values:
    """The choice's values by run and query. Raises UsageError where there are no runs to compare."""
    values = counted_values(snapshot, choice)
    if not values.run_ids:
        raise UsageError(no_runs(snapshot))
    return values


def draw_questions(enabled: Bools, rng: np.random.Generator) -> Ints:
    """As many questions of each query as it has, drawn with replacement.

    Parameters
    ----------
    enabled : (Q, S) which columns hold a question that counts

    Returns
    -------
    (Q, S) how often each is drawn; a row adds up to the query's number of questions

    Source: Efron 1979, the nonparametric bootstrap, within each query.
    """
    sizes = enabled.sum(axis=1, keepdims=True)
    slots = np.argsort(~enabled, axis=1, kind="stable")  # the enabled columns first
    drawn = np.take_along_axis(slots, rng.integers(0, np.maximum(sizes, 1), enabled.shape), axis=1)
    counts = np.zeros(enabled.shape, np.int64)
    rows = np.broadcast_to(np.arange(len(enabled))[:, None], enabled.shape)
    np.add.at(counts, (rows, drawn), np.arange(enabled.shape[1]) < sizes)
    return counts


def shuffled_places(enabled: Bools, rng: np.random.Generator) -> Ints:
    """(Q, S) place of each question in a random order of its query's questions, from 0; those switched off come last.

    The first n of them are a random subset of n questions, and part of the subset of n + 1.
    """
    keys = np.where(enabled, rng.random(enabled.shape), 1.0)
    return np.argsort(np.argsort(keys, axis=1, kind="stable"), axis=1, kind="stable")
