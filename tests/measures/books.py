"""Gradebooks made by hand and at random, without a store."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from hypothesis import strategies as st

from exam_core.measures.gradebook import HOLE, NOTHING, Gradebook
from exam_core.tables import UNGRADED, UNREADABLE

GRADES = (UNGRADED, UNREADABLE, 0, 0, 1, 2, 3, 4, 5)
JUDGMENTS = (UNGRADED, -126, -2, -1, 0, 0, 1, 2, 3, 6, 64, 126, 127)


def book_of(
    grades: npt.ArrayLike,
    pair_query: npt.ArrayLike,
    enabled: npt.ArrayLike,
    slots: npt.ArrayLike,
    *,
    direct: bool = False,
    weights: npt.ArrayLike | None = None,
    importance: npt.ArrayLike | None = None,
) -> Gradebook:
    """A gradebook from nested lists, slots by run, query and place; names are made up."""
    on, places = np.array(enabled, bool), np.moveaxis(np.array(slots, np.int32), 2, 0)
    graded = np.array(grades, np.int8)
    queries, width = on.shape
    return Gradebook(
        run_ids=[f"run {number}" for number in range(places.shape[1])],
        query_ids=[f"q{number}" for number in range(queries)],
        question_ids=[] if direct else [[f"q{q}/{s}" for s in range(width)] for q in range(queries)],
        docs=pa.array([f"d{number:05}" for number in range(len(graded))]),
        pair_query=np.array(pair_query, np.int32),
        grades=graded,
        enabled=on,
        weights=np.ones((queries, width)) if weights is None else np.array(weights, float),
        slots=np.ascontiguousarray(places),
        missing=np.zeros(places.shape[1:], np.int64),
        ungraded_pairs=0,
        ungraded_queries=[],
        depth=len(places),
        importance=None if importance is None else np.array(importance, np.int8),
    )


def random_book(
    rng: np.random.Generator,
    *,
    queries: int,
    width: int,
    places: int,
    passages: int,
    values: Sequence[int] = GRADES,
    direct: bool = False,
) -> Gradebook:
    """A gradebook with holes, gaps, disabled questions, weights, and two equal runs, the first and the last."""
    per_query = rng.integers(1, passages + 1, queries)
    pair_query = np.repeat(np.arange(queries), per_query)
    grades = rng.choice(values, (len(pair_query), width))
    slots = np.full((4, queries, places), NOTHING)
    for run in range(3):
        for query in range(queries):
            known = rng.permutation([*np.flatnonzero(pair_query == query), *[HOLE] * 3])
            returned = known[: rng.integers(0, places + 1)]
            slots[run, query, : len(returned)] = returned
    slots[3] = slots[0]
    enabled = np.ones((queries, width)) if direct else rng.random((queries, width)) < 0.85
    weights = rng.choice([0, 0.1, 0.7, 1, 3], (queries, width))
    return book_of(grades, pair_query, enabled, slots, direct=direct, weights=weights)


@st.composite
def gradebooks(draw: st.DrawFn, direct: bool = False) -> Gradebook:
    """Random small gradebooks; with `direct`, of whole passages' labels."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    queries, width, places = draw(st.integers(1, 4)), draw(st.integers(1, 5)), draw(st.integers(1, 6))
    values = JUDGMENTS if direct else GRADES
    return random_book(
        rng, queries=queries, width=1 if direct else width, places=places, passages=5, values=values, direct=direct
    )
