"""Share of what was returned that has a label at all."""

from __future__ import annotations

import numpy as np

from exam_core.measures.gradebook import Floats
from exam_core.measures.info import MeasureInfo
from exam_core.measures.marks import Marks, counted


def judged(marks: Marks, depth: int) -> Floats:
    """Share of a run's first passages that have a label: Judged@k. tau does not apply.

    Divided by the passages that the run returned, `depth` at most. A judgment below 0 is no label, as in
    trec_eval's unj_k; ir_measures counts it.

    Returns
    -------
    (1, R, Q) shares in [0, 1]; 0 where the run returned nothing

    Source: ir_measures Judged.
    """
    returned = np.minimum(marks.returned, depth)
    return (counted(marks.judged(depth)) / np.maximum(returned, 1))[None]


ROWS = (
    MeasureInfo(
        name="Judged",
        order=120,
        of="labels",
        cut="needed",
        meaning="share of the first k passages that have a label; tau does not apply",
        formula="|first k passages with a label| / min(k, |passages returned|)",
        source="ir_measures Judged",
        compute=judged,
        tau_applies=False,
    ),
)
