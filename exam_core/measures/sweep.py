"""All measures at every tau for all runs and queries, in one pass over a gradebook."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from exam_core import engine
from exam_core.measures import Measure
from exam_core.measures.gradebook import Gradebook
from exam_core.measures.info import Of
from exam_core.measures.marks import Marks, labelling
from exam_core.measures.measure_options import own
from exam_core.measures.places import undefined
from exam_core.numbers.arrays import Floats

AT_ONCE = 16_000
"""Rankings that are worked on together: their words, masks and values stay in a processor's cache.

A smaller collection is one shard, which takes some 3 ms; to hand one to a thread takes 0.1 ms."""


def sweep(
    book: Gradebook,
    measures: Sequence[Measure],
    *,
    taus: tuple[int, ...],
    label_rank: int = 1,
    label_map: tuple[tuple[int, int], ...] | None = None,
    at_least: bool = False,
) -> Floats:
    """Values of measures for every tau, run and query.

    Raises UndefinedMeasure where a measure needs questions, and the grader labels whole passages.

    Parameters
    ----------
    measures : M measures; those without tau have equal values at each
    taus : T smallest grades that count
    label_rank, label_map : what a passage's label is (see `Labelling`); the map as (label, value) pairs
    at_least : whether what rests on unreadable answers alone has the least that it can be, and is not undefined

    Returns
    -------
    (M, T, R, Q) values; 0 where a run returned nothing, NaN where a query has no enabled question, and where a value
    is `undefined` because nothing that it rests on can be read

    >>> from exam_core.measures.example import book
    >>> measures = [Measure.parse("Cover@3"), Measure.parse("P@3")]
    >>> sweep(book(), measures, taus=(1, 4))[:, :, 0, 0].round(3).tolist()  # of run a
    [[1.0, 0.667], [1.0, 0.667]]
    """
    values = np.empty((len(measures), len(taus), len(book.run_ids), len(book.query_ids)))
    for wanted, found in _alike(measures).items():
        those = [measures[place] for place in found]
        values[found] = _computed(wanted.of_book(book, label_rank), those, wanted.taus(taus), label_rank, label_map)
    values[..., ~book.enabled.any(axis=1)] = np.nan
    if book.has_unreadable and not at_least:
        read = [places_read(book, measure) for measure in measures]
        silent = {depth: undefined(book, depth) for depth in set(read)}
        for place, (measure, depth) in enumerate(zip(measures, read, strict=True)):
            if measure.info.needs_grades:
                values[place, :, silent[depth]] = np.nan
    return values


def places_read(book: Gradebook, measure: Measure) -> int:
    """Of how many places of a ranking a value may be made; without unlabelled passages, others come up.

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

    def of_book(self, book: Gradebook, label_rank: int) -> Gradebook:
        """The gradebook with the rankings that are read."""
        if not self.judged_only:
            return book
        return book.condensed(book.labels(1 if self.of == "questions" else label_rank) >= 0)


def _alike(measures: Sequence[Measure]) -> dict[_Way, list[int]]:
    """Places of the measures, by how they read; those that read the rankings as they are and by tau stay together."""
    found: dict[_Way, list[int]] = {}
    for place, measure in enumerate(measures):
        of: Of = measure.info.of if measure.judged_only else "labels"
        found.setdefault(_Way(measure.rel, measure.judged_only, of), []).append(place)
    return found


def _computed(
    book: Gradebook,
    measures: Sequence[Measure],
    taus: tuple[int, ...],
    label_rank: int,
    label_map: tuple[tuple[int, int], ...] | None,
) -> Floats:
    """(M, T, R, Q) values as the measures' functions give them."""
    labels = labelling(book, taus, label_rank, label_map)
    runs, queries = len(book.run_ids), len(book.query_ids)
    values = np.empty((len(measures), len(taus), runs, queries))
    step = max(1, AT_ONCE // max(runs, 1))
    parts = [slice(start, min(start + step, queries)) for start in range(0, queries, step)]
    shards = (Marks(labels, part) for part in parts)
    for part, found in zip(parts, engine.current().map(partial(_of_shard, measures), shards), strict=True):
        for place, computed in enumerate(found):
            values[place, :, :, part] = computed
    return values


def _of_shard(measures: Sequence[Measure], marks: Marks) -> list[Floats]:
    """(T, R, Q) values of each measure for some of the queries."""
    return [measure.info.compute(marks, measure.depth, **own(measure.options)) for measure in measures]
