"""The runs and queries of a choice: queries that count, unanswered ones, and unreadable values."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from exam_core.analysis.caveats import about_strangers, few_answered, much_unreadable
from exam_core.analysis.choice import Evaluation
from exam_core.analysis.unlabelled import unlabelled
from exam_core.analysis.values import gradebook, unreadable_values
from exam_core.measures.effectiveness.rubric import NAME as RUBRIC
from exam_core.measures.gradebook import Gradebook
from exam_core.measures.places import counting_queries
from exam_core.names import listed
from exam_core.numbers.arrays import Bools
from exam_core.store import Snapshot


@dataclass(frozen=True, eq=False)
class Scope:
    """The R runs and Q queries of a choice.

    Attributes
    ----------
    counted : (Q,) queries that count
    unanswered : (R, Q) queries that count, and for which a run returned nothing that is read
    kind : of its queries: `graded`, `judged`, or `evaluated` by a measure that looks at no grades
    book : the grades or judgments; None where a measure looks at none
    left_out : notes on queries and questions that count for no run
    """

    snapshot: Snapshot
    choice: Evaluation
    run_ids: list[str]
    query_ids: list[str]
    counted: Bools
    unanswered: Bools
    kind: str
    book: Gradebook | None = None
    left_out: tuple[str, ...] = ()

    @cached_property
    def unreadable(self) -> Bools:
        """(R, Q) whether a value is undefined because all answers on which it rests are unreadable."""
        if self.book is None or not (self.book.has_unreadable and self.choice.measure.info.needs_grades):
            return np.zeros_like(self.unanswered)
        return unreadable_values(self.snapshot, self.choice)

    def about_unreadable(self, run_ids: Collection[str] | None = None) -> list[str]:
        """Notes on unreadable answers, as of `much_unreadable`, and on undefined values of some runs, or of all."""
        if self.book is None or not self.book.has_unreadable:
            return []
        much = much_unreadable(self.snapshot, self.choice.labelling, needs_grades=self.choice.measure.info.needs_grades)
        counted = np.flatnonzero(self.book.counted)
        rows = [row for row, run_id in enumerate(self.run_ids) if run_ids is None or run_id in run_ids]
        runs, queries = [self.run_ids[row] for row in rows], [self.query_ids[query] for query in counted]
        return ([much] if much else []) + _about_undefined(self.unreadable[rows][:, counted], runs, queries)

    def about_unanswered(self, run_ids: Collection[str] | None = None) -> list[str]:
        """Notes on queries that some runs (by default all) leave unanswered, and on what these count."""
        if not self.unanswered.any():
            return []
        n, unread = int(self.counted.sum()), self.unreadable[:, self.counted].all(axis=1)
        answered = pd.Series(n - self.unanswered.sum(axis=1), self.run_ids)[~unread]
        answered = answered if run_ids is None else answered[answered.index.isin(run_ids)]
        what = f"{n:,} {self.kind} queries"
        none = answered.index[answered == 0]
        notes = few_answered(answered.drop(none), n, what, skips=self.choice.missing == "skip")
        return notes + about_strangers(self.snapshot, list(none), self.query_ids, what)


def scope_of(snapshot: Snapshot, choice: Evaluation) -> Scope:
    """The runs and queries of a choice. Raises UsageError where there is nothing to evaluate."""
    if not choice.of_grades:
        result = unlabelled(snapshot, choice)
        missed, axes = ~result.returned & result.counted, (result.run_ids, result.query_ids)
        return Scope(snapshot, choice, *axes, result.counted, missed, "evaluated", left_out=result.notes)
    book = gradebook(snapshot, choice.labelling)
    left_out = _about_left_out(book)
    if book.avoided is not None and choice.measure.name != RUBRIC:
        left_out += (f"Questions to avoid, which count in {RUBRIC} alone: {int(book.avoided.sum()):,}.",)
    read = gradebook(snapshot, choice.as_read.labelling)
    counted = counting_queries(book, needs_grades=choice.measure.info.needs_grades)
    missed = (read.returned == 0) & counted
    kind = "judged" if choice.grading.judgments else "graded"
    return Scope(snapshot, choice, book.run_ids, book.query_ids, counted, missed, kind, book, left_out)


def _about_left_out(book: Gradebook) -> tuple[str, ...]:
    """Notes on queries that count for no run."""
    notes = []
    if book.ungraded_queries:
        named = listed(book.ungraded_queries)
        notes.append(f"{len(book.ungraded_queries)} queries have no grades and are left out: {named}.")
    mask = book.enabled.any(axis=1)
    for left_out, why in ((~mask, "no question"), (mask & ~book.counted, "no grade on a question")):
        if left_out.any():
            named = listed([book.query_ids[query] for query in np.flatnonzero(left_out)])
            notes.append(f"Left out, because they have {why} that is switched on: {named}.")
    return tuple(notes)


def _about_undefined(lost: Bools, run_ids: Sequence[str], query_ids: Sequence[str]) -> list[str]:
    """Notes on (R, Q) values that are undefined because nothing can be read."""
    if not lost.any():
        return []
    silent, everywhere = lost.all(axis=1), lost.all(axis=0)
    if silent.all():
        return ["No run has a mean: no passage that they returned has a readable grade."]
    some = np.where(silent, 0, (lost & ~everywhere).sum(axis=1))
    groups = {
        "Left out, without any readable grade: {}.": [
            query_ids[query] for query in np.flatnonzero(everywhere).tolist()
        ],
        "Without a mean, because no passage that they returned has a readable grade: {}.": [
            run_ids[run] for run in np.flatnonzero(silent).tolist()
        ],
        "Left out of a run's mean, queries for which no passage that it returned has a readable grade: {}.": [
            f"{some[run]} for {run_ids[run]}" for run in np.flatnonzero(some).tolist()
        ],
    }
    return [sentence.format(listed(names)) for sentence, names in groups.items() if names]
