"""Recall over labels."""

from __future__ import annotations

import numpy as np

from exam_core.measures.gradebook import Floats
from exam_core.measures.marks import Marks


def recall(marks: Marks, depth: int | None = None) -> Floats:
    """Share of a query's relevant passages that stand among the first `depth`: R@k; of all that is read: SetR.

    A passage is relevant with a label of at least tau.

    Returns
    -------
    (T, R, Q) shares in [0, 1]; 0 where a query has no relevant passage

    Source: trec_eval recall_k, set_recall.
    """
    return marks.hits(depth) / np.maximum(marks.relevant, 1)[:, None]
