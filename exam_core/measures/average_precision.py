"""Average precision over labels."""

from __future__ import annotations

import numpy as np

from exam_core.measures.gradebook import Floats
from exam_core.measures.marks import Marks, looked_up


def average_precision(marks: Marks, depth: int | None = None) -> Floats:
    """Mean, over a query's relevant passages, of the precision at the place of each: AP, AP@k.

    A relevant passage that is not ranked adds 0; a passage is relevant with a label of at least tau.

    Returns
    -------
    (T, R, Q) values in [0, 1]; 0 where a query has no relevant passage

    Source: Buckley & Voorhees 2000; trec_eval map, map_cut_k.
    """
    masks = marks.relevance(depth)
    total: Floats = looked_up("precise", masks[:1])[0]
    before = np.bitwise_count(masks[0]).astype(float)
    reciprocal = looked_up("reciprocal", masks)
    precise = looked_up("precise", masks)
    for chunk in range(1, len(masks)):
        # A relevant passage counts those of its own chunk up to it, and all of the chunks before.
        total += precise[chunk] + before * reciprocal[chunk]
        before += np.bitwise_count(masks[chunk])
    total /= np.maximum(marks.relevant, 1)[:, None]
    return total
