"""A small evaluation, on which the examples of measures are computed: one query, three questions, two runs.

    passage   grades    label: the best of them   place in run a   in run b
    d0        5  0  0   5                         1                -
    d1        0  4  0   4                         3                2
    d2        0  0  1   1                         2                1
    d3        none      none                      -                3

The first question weighs 2, the others 1; it is vital, as is the third, and the second is okay.
"""

from __future__ import annotations

import numpy as np

from exam_core.measures.gradebook import HOLE, Gradebook
from exam_core.measures.marks import Labelling, Marks
from exam_core.tables import OKAY, VITAL


def book() -> Gradebook:
    """The gradebook of the evaluation; d3 is a hole.

    >>> book().labels().tolist()
    [5, 4, 1]
    """
    runs = [[0, 2, 1], [2, 1, HOLE]]
    return Gradebook(
        run_ids=["a", "b"],
        query_ids=["q"],
        question_ids=[["q/1", "q/2", "q/3"]],
        docs=np.array(["d0", "d1", "d2"]),
        pair_query=np.zeros(3, np.int32),
        grades=np.array([[5, 0, 0], [0, 4, 0], [0, 0, 1]], np.int8),
        enabled=np.ones((1, 3), bool),
        weights=np.array([[2.0, 1.0, 1.0]]),
        slots=np.array(runs, np.int32).T[:, :, None],
        missing=np.zeros((2, 1), np.int64),
        ungraded_pairs=1,
        ungraded_queries=[],
        depth=3,
        importance=np.array([[VITAL, OKAY, VITAL]], np.int8),
    )


def marks(tau: int = 4) -> Marks:
    """What measures of the evaluation compute from; values are of one tau, two runs and one query.

    >>> marks().hits(depth=2)[0, :, 0].tolist()
    [1, 1]
    """
    return Marks(Labelling(book(), (tau,)))
