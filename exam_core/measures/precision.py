"""Precision over labels: EXAM-Qrels as the papers report it."""

from __future__ import annotations

import numpy as np

from exam_core.measures.gradebook import Floats, Gradebook


def precision(book: Gradebook, *, tau: int, depth: int, label_rank: int = 1) -> Floats:
    """Share of a run's first `depth` places that hold a passage with a label of at least `tau`: P@k.

    Always divided by `depth`, as trec_eval does: a place without a passage, and a passage without a
    label, count as not relevant.

    Returns
    -------
    (R, Q) shares in [0, 1]; NaN where a query has no enabled question, and so no labels

    Source: EXAM, section 3.3.2 (EXAM Qrels with Precision@20); trec_eval P_k.
    """
    relevant = np.append(book.labels(label_rank) >= tau, False)
    hits = relevant[np.maximum(book.slots[:, :, :depth], -1)]
    share: Floats = hits.sum(axis=2) / depth
    share[:, ~book.enabled.any(axis=1)] = np.nan
    return share
