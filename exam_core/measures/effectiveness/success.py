"""Success over labels."""

from __future__ import annotations

from exam_core.measures.info import MeasureInfo
from exam_core.measures.marks import Marks
from exam_core.measures.measure_options import ReadingOptions
from exam_core.numbers.arrays import Floats


def success(marks: Marks, depth: int) -> Floats:
    """1 where one of the first `depth` passages has a label of at least tau, else 0: Success@k.

    Returns (T, R, Q) 0 or 1.

    Source: trec_eval success_k.

    >>> from exam_core.measures.example import marks
    >>> success(marks(), 1)[0, :, 0].tolist()
    [1.0, 0.0]
    """
    return (marks.hits(depth) > 0).astype(float)


ROWS = (
    MeasureInfo(
        name="Success",
        order=110,
        of="labels",
        cut="needed",
        meaning="1 if one of the first k passages is relevant, else 0",
        formula="1 if a label of at least tau is among the first k, else 0",
        source="trec_eval success_k",
        options=ReadingOptions,
        compute=success,
    ),
)
