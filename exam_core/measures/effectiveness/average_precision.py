"""Average precision over labels."""

from __future__ import annotations

import numpy as np

from exam_core.measures.info import MeasureInfo
from exam_core.measures.marks import Marks, looked_up
from exam_core.measures.measure_options import ReadingOptions
from exam_core.numbers.arrays import Floats


def average_precision(marks: Marks, depth: int | None = None) -> Floats:
    """Mean, over a query's relevant passages, of the precision at the place of each: AP, AP@k.

    A relevant passage that is not ranked adds 0; a passage is relevant with a label of at least tau. Returns (T, R, Q)
    values in [0, 1]; 0 where a query has no relevant passage.

    Source: Buckley & Voorhees 2000; trec_eval map, map_cut_k.

    >>> from exam_core.measures.example import marks
    >>> average_precision(marks())[0, :, 0].round(3).tolist()  # (1/1 + 2/3) / 2 and 1/2 / 2
    [0.833, 0.25]
    """
    masks = marks.relevance(depth)
    total: Floats = np.zeros(masks.shape[1:])
    # One tau at a time: intermediate arrays stay in the processor's cache.
    for row, rows in enumerate(masks.swapaxes(0, 1)):
        before = np.zeros(rows.shape[1:])
        # A relevant passage counts those of its own chunk up to it, and all of the chunks before.
        for mask, precise, reciprocal in zip(
            rows, looked_up("precise", rows), looked_up("reciprocal", rows), strict=True
        ):
            total[row] += precise
            total[row] += np.multiply(reciprocal, before, out=reciprocal)
            before += np.bitwise_count(mask)
    total /= np.maximum(marks.relevant, 1)[:, None]
    return total


ROWS = (
    MeasureInfo(
        name="AP",
        filled="some relevant",
        order=50,
        of="labels",
        cut="possible",
        meaning="mean of the precision at the rank of each relevant passage",
        formula="sum of P@rank over ranked passages with a label of at least tau / |such passages of the query|",
        source="Buckley & Voorhees 2000; trec_eval map, map_cut_k",
        options=ReadingOptions,
        compute=average_precision,
    ),
)
