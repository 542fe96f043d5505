"""Recall over labels."""

from __future__ import annotations

import numpy as np

from exam_core.measures.info import MeasureInfo
from exam_core.measures.marks import Marks
from exam_core.measures.measure_options import ReadingOptions, Relevant
from exam_core.numbers.arrays import Floats


def recall(marks: Marks, depth: int | None = None) -> Floats:
    """Share of a query's relevant passages that stand among the first `depth`: R@k; of all that is read: SetR.

    A passage is relevant with a label of at least tau. Returns (T, R, Q) shares in [0, 1]; 0 where a query has no
    relevant passage.

    Source: trec_eval recall_k, set_recall.

    >>> from exam_core.measures.example import marks
    >>> recall(marks(), 3)[0, :, 0].tolist()
    [1.0, 0.5]
    """
    return marks.hits(depth) / np.maximum(marks.relevant, 1)[:, None]


ROWS = (
    MeasureInfo(
        name="R",
        filled="all relevant",
        order=90,
        of="labels",
        cut="needed",
        meaning="share of the relevant passages that are among the first k",
        formula="|relevant passages among the first k| / |passages with a label of at least tau|",
        source="trec_eval recall_k",
        options=ReadingOptions,
        compute=recall,
    ),
    MeasureInfo(
        name="SetR",
        filled="all relevant",
        order=140,
        of="labels",
        cut="none",
        meaning="share of the relevant passages that were returned",
        formula="|returned passages with a label of at least tau| / |passages with a label of at least tau|",
        source="trec_eval set_recall",
        options=Relevant,
        compute=lambda marks, _depth: recall(marks),
    ),
)
