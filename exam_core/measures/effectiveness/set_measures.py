"""Precision and F1 of everything that a run returned, in whatever order."""

from __future__ import annotations

import numpy as np

from exam_core.measures.effectiveness.recall import recall
from exam_core.measures.info import MeasureInfo
from exam_core.measures.marks import Marks
from exam_core.measures.measure_options import ReadingOptions
from exam_core.numbers.arrays import Floats


def set_precision(marks: Marks) -> Floats:
    """Share of the passages that a run returned with a label of at least tau: SetP.

    Returns (T, R, Q) shares in [0, 1]; 0 where the run returned nothing.

    Source: trec_eval set_P.

    >>> from exam_core.measures.example import marks
    >>> set_precision(marks())[0, :, 0].round(3).tolist()
    [0.667, 0.333]
    """
    return marks.hits() / np.maximum(marks.returned, 1)


def set_f(marks: Marks) -> Floats:
    """Harmonic mean of set precision and set recall: SetF.

    Returns (T, R, Q) values in [0, 1]; 0 where both are 0.

    Source: trec_eval set_F.

    >>> from exam_core.measures.example import marks
    >>> set_f(marks())[0, :, 0].tolist()  # of precision 2/3 and recall 1; of 1/3 and 1/2
    [0.8, 0.4]
    """
    share, values = set_precision(marks), recall(marks)
    return 2 * share * values / np.where(share + values > 0, share + values, 1)


ROWS = (
    MeasureInfo(
        name="SetP",
        order=130,
        of="labels",
        cut="none",
        meaning="share of all returned passages that are relevant",
        formula="|returned passages with a label of at least tau| / |returned passages|",
        source="trec_eval set_P",
        options=ReadingOptions,
        compute=lambda marks, _depth: set_precision(marks),
        adds=lambda book, _depth: 1 / np.maximum(book.returned, 1),
    ),
    MeasureInfo(
        name="SetF",
        filled="all relevant",
        order=150,
        of="labels",
        cut="none",
        meaning="harmonic mean of SetP and SetR",
        formula="2 SetP SetR / (SetP + SetR)",
        source="trec_eval set_F",
        options=ReadingOptions,
        compute=lambda marks, _depth: set_f(marks),
    ),
)
