"""Precision over labels: EXAM-Qrels as the papers report it."""

from __future__ import annotations

import numpy as np

from exam_core.measures.info import MeasureInfo
from exam_core.measures.marks import Marks
from exam_core.measures.measure_options import ReadingOptions
from exam_core.numbers.arrays import Floats


def precision(marks: Marks, depth: int) -> Floats:
    """Share of a run's first `depth` places that hold a passage with a label of at least tau: P@k.

    Always divided by `depth`, as trec_eval does: a place without a passage, and a passage without a label, count as not
    relevant. Returns (T, R, Q) shares in [0, 1].

    Source: EXAM, section 3.3.2 (EXAM Qrels with Precision@20); trec_eval P_k.

    >>> from exam_core.measures.example import marks
    >>> precision(marks(), 3)[0, :, 0].round(3).tolist()  # d0 and d1; d1
    [0.667, 0.333]
    """
    return marks.hits(depth) / depth


ROWS = (
    MeasureInfo(
        name="P",
        order=40,
        of="labels",
        cut="needed",
        meaning="share of the first k passages with a label of at least tau",
        formula="|first k passages with a label of at least tau| / k",
        source="EXAM Qrels with Precision@20 (EXAM, section 3.3.2); trec_eval P_k",
        options=ReadingOptions,
        compute=precision,
        adds=lambda book, depth: np.full(book.slots.shape[1:], 1 / depth),
    ),
)
