"""Expected reciprocal rank over labels."""

from __future__ import annotations

import numpy as np

from exam_core.errors import UndefinedMeasure
from exam_core.measures.bit_words import HIGHEST_TAU, PADDING
from exam_core.measures.info import MeasureInfo
from exam_core.measures.marks import Marks
from exam_core.measures.measure_options import ScaleOptions
from exam_core.numbers.arrays import Floats

GDEVAL = 4
"""The largest judgment that gdeval knows."""


def expected_reciprocal_rank(marks: Marks, depth: int | None = None, *, max: int | None = None) -> Floats:
    """One over the place at which a reader stops, who is the likelier satisfied the larger a label is: ERR@k.

    A passage with label g satisfies with probability (2^g - 1) / 2^max, if none before it did. Labels are graded, so
    tau does not apply; one below 0 is 0. `max` is the largest label that there can be: by default 5 for grades of
    questions and gdeval's 4 for others, or the largest label that there is, if that is larger. Returns (1, R, Q) values
    in [0, 1]. Raises UndefinedMeasure where a label is larger than `max`.

    Source: Chapelle et al. 2009, eq. 4 and 5; gdeval ERR.

    >>> from exam_core.measures.example import marks
    >>> expected_reciprocal_rank(marks(), 1)[0, :, 0].tolist()  # 31/32 of label 5, 1/32 of label 1
    [0.96875, 0.03125]
    """
    labels = marks.labelling.labels
    largest = int(labels.max(initial=0))
    usual = HIGHEST_TAU if marks.book.has_questions else GDEVAL
    top = (usual if largest <= usual else largest) if max is None else max
    if largest > top:
        raise UndefinedMeasure(f"ERR: max={top}, but there is a label of {largest}. Take ERR(max={largest}) or more.")
    satisfied = np.zeros(len(labels) + PADDING)
    satisfied[:-PADDING] = (np.exp2(np.maximum(labels, 0).astype(float)) - 1) / 2.0**top
    shape = marks.slots.shape[1:]
    total, going_on, values = np.zeros(shape), np.ones(shape), np.empty(shape)
    for place, slots in enumerate(marks.slots[:depth], 1):
        np.take(satisfied, slots, out=values, mode="wrap")
        total += going_on * values / place
        going_on *= 1 - values
    return total[None]


ROWS = (
    MeasureInfo(
        name="ERR",
        order=86,
        of="labels",
        cut="possible",
        meaning="expected 1 / rank at which a reader stops, more likely at large labels; labels are graded, so tau "
        "does not apply",
        formula="sum over ranks of 1 / rank * R * product of (1 - R) before, for R = (2^label - 1) / 2^max",
        source="Chapelle et al. 2009; gdeval err",
        options=ScaleOptions,
        compute=expected_reciprocal_rank,
        tau_applies=False,
    ),
)
