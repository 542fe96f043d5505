"""What a choice's measure is worth for every run and query; computed for every tau at once, then kept."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from exam_core.analysis.evaluation.books import ROOM, gradebook
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.unlabelled import Unlabelled, unlabelled, unlabelled_values
from exam_core.errors import UsageError
from exam_core.measures import Measure
from exam_core.measures.gradebook import Gradebook
from exam_core.measures.places import undefined
from exam_core.measures.sweep import HELD, by_runs, places_read
from exam_core.numbers.arrays import Bools, Floats
from exam_core.numbers.means import answered
from exam_core.store import Snapshot
from exam_core.store.snapshot_cache import kept

KEPT = 6


@dataclass(frozen=True)
class Values:
    """A measure's values by run and query; a query that does not count for a run is NaN.

    Parameters
    ----------
    run_ids, query_ids : names of R runs and Q queries
    values : (R, Q)
    """

    run_ids: list[str]
    query_ids: list[str]
    values: Floats

    @property
    def averaged(self) -> int:
        """How many runs have a mean."""
        return int((~np.isnan(self.values)).any(axis=1).sum())


def all_values(snapshot: Snapshot, choice: Evaluation, measures: Sequence[Measure] = ()) -> Floats:
    """(M, T, R, Q) values of several measures (the choice's own by default) at every tau of the choice.

    NaN where a query does not count: no grade of it counts, nothing that the value rests on can be read, or the
    choice skips queries for which a run returned nothing. A run that returned nothing for any of the queries has no
    values: its queries are other ones, or are named otherwise.
    """
    measures = tuple(measures) or (choice.measure,)
    return _kept(snapshot, replace(choice, tau=0, measure=measures[0], rounded="none", reference=None), measures)


def values_by_runs(
    snapshot: Snapshot, choice: Evaluation, measures: Sequence[Measure]
) -> Iterator[tuple[slice, Floats]]:
    """The same of some runs after the other, where all are too many to be kept; of each only until the next ones."""
    yield from _computed(snapshot, choice, measures, HELD)


def query_values(snapshot: Snapshot, choice: Evaluation) -> Floats:
    """(R, Q) values of the choice's measure; NaN where a query has no grade that counts, or none that can be read."""
    if not choice.of_grades:
        return unlabelled_values(snapshot, choice)
    return all_values(snapshot, choice)[0, choice.taus.index(choice.cut)]


def counted_values(snapshot: Snapshot, choice: Evaluation) -> Values:
    """The choice's values without the queries that are undefined for all runs: no grade that counts, no nugget, ..."""
    rows: Gradebook | Unlabelled = (
        gradebook(snapshot, choice.labelling) if choice.of_grades else unlabelled(snapshot, choice)
    )
    values = query_values(snapshot, choice)
    defined = np.flatnonzero(~np.isnan(values).all(axis=0))
    names = [rows.query_ids[query] for query in defined]
    return Values(list(rows.run_ids), names, values[:, defined])


def place_of(values: Values, run_id: str) -> int:
    """The row of a run. Raises UsageError where there is no such run."""
    if run_id not in values.run_ids:
        raise UsageError(f"There is no run {run_id} among the {len(values.run_ids)} that are evaluated.")
    return values.run_ids.index(run_id)


@kept(KEPT, ROOM)
def _kept(snapshot: Snapshot, choice: Evaluation, measures: tuple[Measure, ...]) -> Floats:
    ((_, values),) = _computed(snapshot, choice, measures, math.inf)
    values.flags.writeable = False
    return values


def _computed(
    snapshot: Snapshot, choice: Evaluation, measures: Sequence[Measure], held: float
) -> Iterator[tuple[slice, Floats]]:
    if (choice.labelling.order, choice.pool) == ("score", "graded"):
        yield from _swept(gradebook(snapshot, choice.labelling), choice, measures, held)
    else:
        # The authors' rules do not read the same for every measure.
        asked = [replace(choice, measure=measure).as_read for measure in measures]
        each = [_swept(book_as_read(snapshot, one), one, [one.measure], held) for one in asked]
        for parts in zip(*each, strict=True):
            yield parts[0][0], np.concatenate([values for _, values in parts])


def book_as_read(snapshot: Snapshot, choice: Evaluation) -> Gradebook:
    """The gradebook of a choice `as_read`, for its measure.

    A pool of ranked passages concerns what can be answered, not which labels there are.
    """
    book = gradebook(snapshot, choice.labelling)
    return book.ranked_only() if choice.pool == "ranked" and choice.measure.info.of == "questions" else book


def unreadable_values(snapshot: Snapshot, choice: Evaluation) -> Bools:
    """(R, Q) which values of the choice are undefined because nothing that they rest on can be read."""
    choice = choice.as_read
    book = book_as_read(snapshot, choice)
    found = undefined(book, places_read(book, choice.measure))
    return found if choice.measure.info.needs_grades else np.zeros_like(found)


def _swept(
    book: Gradebook, choice: Evaluation, measures: Sequence[Measure], held: float
) -> Iterator[tuple[slice, Floats]]:
    rules = choice.labelling
    counted = answered(book.answering, skips=choice.missing == "skip")
    parts = by_runs(book, measures, taus=choice.taus, label_rank=rules.label_rank, label_map=rules.label_map, held=held)
    for runs, values in parts:
        yield runs, values if counted[runs].all() else np.where(counted[runs], values, np.nan)
