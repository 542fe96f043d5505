"""All measures at every tau for all runs and queries, in one pass over a gradebook."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from exam_core.measures import Measure
from exam_core.measures.gradebook import Floats, Gradebook
from exam_core.measures.marks import Marks, labelling
from exam_core.measures.places import undefined

AT_ONCE = 16_000
"""Rankings that are worked on together: their words, masks and values stay in a processor's cache."""


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

    Raises
    ------
    UndefinedMeasure : a measure needs questions, and the grader labels whole passages
    """
    labels = labelling(book, taus, label_rank, label_map)
    runs, queries = len(book.run_ids), len(book.query_ids)
    values = np.empty((len(measures), len(taus), runs, queries))
    step = max(1, AT_ONCE // max(runs, 1))
    for start in range(0, queries, step):
        part = slice(start, min(start + step, queries))
        marks = Marks(labels, part)
        for place, measure in enumerate(measures):
            values[place, :, :, part] = measure.info.compute(marks, measure.depth)
    values[..., ~book.enabled.any(axis=1)] = np.nan
    if book.has_unreadable and not at_least:
        read = [min(measure.depth or len(book.slots), len(book.slots)) for measure in measures]
        silent = {depth: undefined(book, depth) for depth in set(read)}
        for place, (measure, depth) in enumerate(zip(measures, read, strict=True)):
            if measure.info.needs_grades:
                values[place, :, silent[depth]] = np.nan
    return values
