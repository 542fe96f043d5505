"""R-precision over labels."""

from __future__ import annotations

import numpy as np

from exam_core.measures.info import MeasureInfo
from exam_core.measures.marks import CHUNK, Marks, counted
from exam_core.measures.measure_options import ReadingOptions
from exam_core.numbers.arrays import Floats


def r_precision(marks: Marks) -> Floats:
    """Precision at the place that equals the number of a query's relevant passages: Rprec.

    Returns (T, R, Q) shares in [0, 1]; 0 where a query has no relevant passage.

    Source: trec_eval Rprec.

    >>> from exam_core.measures.example import marks
    >>> r_precision(marks())[0, :, 0].tolist()  # two are relevant: precision at place 2
    [0.5, 0.5]
    """
    masks = marks.relevance()
    chunks = np.arange(len(masks))[:, None, None]
    first_r = (1 << np.clip(marks.relevant - CHUNK * chunks, 0, CHUNK)) - 1
    hits = counted([mask & first[:, None] for mask, first in zip(masks, first_r, strict=True)])
    return hits / np.maximum(marks.relevant, 1)[:, None]


ROWS = (
    MeasureInfo(
        name="Rprec",
        filled="some relevant",
        order=70,
        of="labels",
        cut="none",
        meaning="precision at the rank that equals the number of relevant passages",
        formula="|relevant passages among the first R| / R, for R passages with a label of at least tau",
        source="trec_eval Rprec",
        options=ReadingOptions,
        compute=lambda marks, _depth: r_precision(marks),
    ),
)
