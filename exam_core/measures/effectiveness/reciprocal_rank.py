"""Reciprocal rank over labels."""

from __future__ import annotations

from functools import reduce

import numpy as np

from exam_core.measures.info import MeasureInfo
from exam_core.measures.marks import Marks, looked_up
from exam_core.measures.measure_options import ReadingOptions
from exam_core.numbers.arrays import Floats


def reciprocal_rank(marks: Marks, depth: int | None = None) -> Floats:
    """One over the place of the first passage with a label of at least tau: RR, RR@k.

    Returns (T, R, Q) values in [0, 1]; 0 where no such passage is ranked.

    Source: Kantor & Voorhees 2000; trec_eval recip_rank.

    >>> from exam_core.measures.example import marks
    >>> reciprocal_rank(marks())[0, :, 0].tolist()
    [1.0, 0.5]
    """
    # A later chunk's first place is worth less than an earlier one's.
    return reduce(np.maximum, looked_up("first", marks.relevance(depth)))


ROWS = (
    MeasureInfo(
        name="RR",
        order=80,
        of="labels",
        cut="possible",
        meaning="one over the rank of the first relevant passage",
        formula="1 / rank of the first passage with a label of at least tau",
        source="Kantor & Voorhees 2000; trec_eval recip_rank",
        options=ReadingOptions,
        compute=reciprocal_rank,
    ),
)
