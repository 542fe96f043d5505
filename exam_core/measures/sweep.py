"""All measures at every tau for all runs and queries, in one pass over a gradebook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from exam_core import engine
from exam_core.measures import Measure
from exam_core.measures.gradebook import Gradebook
from exam_core.measures.info import Of
from exam_core.measures.marks import Labelling, Marks, labelling
from exam_core.measures.measure_options import own_options
from exam_core.measures.places import undefined
from exam_core.numbers.arrays import Floats, slices

AT_ONCE = 16_000
"""Rankings of a shard: their words, masks and values stay in a processor's cache. A shard takes some 3 ms, and handing
it to a thread 0.1 ms."""
HELD, PARTS = 2**27, 4
"""Bytes of values up to which `by_runs` gives all runs at once, and the number of parts in which it gives more."""
LET_GO = 16
"""Shards after which the memory of a gradebook in a file is given back."""


class SomeRuns(NamedTuple):
    """Some runs, and memory for their values (M, T, those runs, Q): the system hands out new memory slowly."""

    runs: slice
    values: Floats


def sweep(
    book: Gradebook,
    measures: Sequence[Measure],
    *,
    taus: tuple[int, ...],
    label_rank: int = 1,
    label_map: tuple[tuple[int, int], ...] | None = None,
    at_least: bool = False,
    some: SomeRuns | None = None,
) -> Floats:
    """Values of measures for every tau, run and query.

    Parameters
    ----------
    measures : M measures; those without tau have equal values at each
    taus : T smallest grades that count
    label_rank, label_map : what a passage's label is (see `Labelling`); the map as (label, value) pairs
    at_least : whether what rests on unreadable answers alone has the least that it can be, and is not undefined
    some : of which runs, and where their values go; by default of all, in new memory

    Returns (M, T, R, Q) values; 0 where a run returned nothing, NaN where a query is not `counted`, and where a value
    is `undefined` because nothing that it rests on can be read. Raises UndefinedMeasure where a measure needs
    questions, and the grader labels whole passages.

    >>> from exam_core.measures.example import book
    >>> measures = [Measure.parse("Cover@3"), Measure.parse("P@3")]
    >>> sweep(book(), measures, taus=(1, 4))[:, :, 0, 0].round(3).tolist()  # of run a
    [[1.0, 0.667], [1.0, 0.667]]
    """
    runs = some.runs if some else slice(None)
    shape = (len(measures), len(taus), len(book.run_ids[runs]), len(book.query_ids))
    values = some.values if some else np.empty(shape)
    for wanted, numbers in _alike(measures).items():
        those = [measures[place] for place in numbers]
        labels = labelling(book, wanted.taus(taus), label_rank, label_map)
        parts = list(slices(len(book.query_ids), max(1, AT_ONCE // max(shape[2], 1))))
        shards = (_Shard(labels, part, runs, wanted) for part in _as_read(book, parts))
        for part, computed in zip(parts, engine.current().map(partial(_of_shard, those), shards), strict=True):
            for place, array in zip(numbers, computed, strict=True):
                values[place, :, :, part] = array
    values[..., ~book.counted] = np.nan
    if book.has_unreadable and not at_least:
        read = [places_read(book, measure) for measure in measures]
        silent = {depth: undefined(book, depth)[runs] for depth in set(read)}
        for place, (measure, depth) in enumerate(zip(measures, read, strict=True)):
            if measure.info.needs_grades:
                values[place, :, silent[depth]] = np.nan
    return values


def by_runs(
    book: Gradebook,
    measures: Sequence[Measure],
    *,
    taus: tuple[int, ...],
    label_rank: int = 1,
    label_map: tuple[tuple[int, int], ...] | None = None,
    most: float = HELD,
) -> Iterator[tuple[slice, Floats]]:
    """Values as of `sweep`: of all runs at once where these take at most `most` bytes, or of a quarter after the other.

    Yields slices of the runs with their (M, T, those runs, Q) values, in whose memory the next ones are made.

    >>> from exam_core.measures.example import book
    >>> for runs, values in by_runs(book(), [Measure.parse("P@2")], taus=(4,)):
    ...     print(runs, values.mean(axis=-1).tolist())
    slice(0, 2, None) [[[0.5, 0.5]]]
    """
    n_runs, queries = book.slots.shape[1:]
    size = len(measures) * len(taus) * queries
    step = max(n_runs if 8 * size * n_runs <= most else -(-n_runs // PARTS), 1)
    room = np.empty((step, size))
    for runs in [*slices(n_runs, step)] or [slice(0, 0)]:
        values = room[: runs.stop - runs.start].reshape(len(measures), len(taus), -1, queries)
        some = SomeRuns(runs, values)
        yield runs, sweep(book, measures, taus=taus, label_rank=label_rank, label_map=label_map, some=some)


def places_read(book: Gradebook, measure: Measure) -> int:
    """How many places of a ranking a value may depend on: all, where unlabelled passages make room for later ones.

    >>> from exam_core.measures.example import book
    >>> print(places_read(book(), Measure.parse("P@2")), places_read(book(), Measure.parse("AP")))
    2 3
    """
    return len(book.slots) if measure.judged_only else min(measure.depth or len(book.slots), len(book.slots))


class _Way(NamedTuple):
    """How measures that are computed together read a gradebook: their own tau, which passages, by what they look at."""

    rel: int | None
    judged_only: bool
    of: Of

    def taus(self, taus: tuple[int, ...]) -> tuple[int, ...]:
        return taus if self.rel is None else (self.rel,)

    def of_labels(self, labels: Labelling) -> Labelling:
        """The labels with the rankings that are read."""
        if not self.judged_only:
            return labels
        judged = labels.book.labels(1 if self.of == "questions" else labels.label_rank) >= 0
        return Labelling(labels.book.condensed(judged), *labels.rule, labels.labels)


@dataclass(frozen=True)
class _Shard:
    """Some of the queries and runs."""

    labels: Labelling
    queries: slice
    runs: slice
    way: _Way

    def marks(self) -> Marks:
        return Marks(self.way.of_labels(self.labels.of_queries(self.queries, self.runs)))


def _as_read(book: Gradebook, parts: Iterable[slice]) -> Iterator[slice]:
    """The parts one by one; the memory for earlier ones of a gradebook in a file is given back on the way."""
    for number, part in enumerate(parts):
        if number % LET_GO == 0:
            book.let_go()
        yield part


def _alike(measures: Sequence[Measure]) -> dict[_Way, list[int]]:
    """Places of the measures, by how they read; those that read the rankings as they are and by tau stay together."""
    groups: dict[_Way, list[int]] = {}
    for place, measure in enumerate(measures):
        of: Of = measure.info.of if measure.judged_only else "labels"
        groups.setdefault(_Way(measure.rel, measure.judged_only, of), []).append(place)
    return groups


def _of_shard(measures: Sequence[Measure], shard: _Shard) -> list[Floats]:
    marks = shard.marks()
    return [measure.info.compute(marks, measure.depth, **own_options(measure.options)) for measure in measures]
