"""Share of what was returned that has a label at all."""

from __future__ import annotations

import numpy as np

from exam_core.measures.bit_words import PADDING
from exam_core.measures.info import MeasureInfo
from exam_core.measures.marks import Marks
from exam_core.numbers.arrays import Floats
from exam_core.tables import UNREADABLE


def judged(marks: Marks, depth: int) -> Floats:
    """Share of a run's first passages that have a label, whatever it is: Judged@k. tau does not apply.

    Divided by the passages that the run returned, `depth` at most. A judgment below 0 is a label, as in ir_measures;
    trec_eval's unj_k has it as unjudged. What can't be read is no label: that is known, so a value is never undefined
    for want of readable answers. Returns (1, R, Q) shares in [0, 1]; 0 where the run returned nothing.

    Source: ir_measures Judged.

    >>> from exam_core.measures.example import marks
    >>> judged(marks(), 3)[0, :, 0].round(3).tolist()  # nobody graded the third passage of run b
    [1.0, 0.667]
    """
    labels = marks.labelling.labels
    has_label = np.zeros(len(labels) + PADDING, bool)
    has_label[:-PADDING] = labels > UNREADABLE
    counts = np.zeros(marks.slots.shape[1:], np.int64)
    for slots in marks.slots[:depth]:
        counts += has_label[slots]
    return (counts / np.maximum(np.minimum(marks.returned, depth), 1))[None]


ROWS = (
    MeasureInfo(
        name="Judged",
        order=120,
        of="labels",
        cut="needed",
        meaning="share of the first k passages that have a label, even one below 0; tau does not apply",
        formula="|first k passages with a label| / min(k, |passages returned|)",
        source="ir_measures Judged",
        compute=judged,
        tau_applies=False,
        needs_grades=False,
    ),
)
