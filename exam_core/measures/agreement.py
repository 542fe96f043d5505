"""Agreement of predicted labels with human judgments."""

from __future__ import annotations

import numpy as np

from exam_core.measures.gradebook import Ints


def confusion(graded: dict[int, dict[int, int]], *, tau: int, relevant_from: int) -> Ints:
    """2 x 2 counts [[tp, fp], [fn, tn]] of a graded matrix: rows predicted, columns judged.

    Parameters
    ----------
    graded : passages by label and relevance
    tau : smallest label that counts as relevant
    relevant_from : smallest relevance that counts as relevant
    """
    counts = np.zeros((2, 2), np.int64)
    for label, row in graded.items():
        for relevance, n in row.items():
            counts[int(label < tau), int(relevance < relevant_from)] += n
    return counts


def cohen_kappa(counts: Ints) -> float:
    """Cohen's kappa of a square table of counts: (po - pe) / (1 - pe).

    Returns
    -------
    NaN for an empty table, and where chance alone agrees everywhere (pe = 1)

    Source: Cohen 1960; EXAM, section 4.1.
    """
    total = counts.sum()
    if total == 0:
        return float("nan")
    observed = np.trace(counts) / total
    chance = counts.sum(axis=0, dtype=float) * counts.sum(axis=1, dtype=float)
    expected = float(chance.sum()) / float(total) ** 2
    return float("nan") if expected == 1 else float((observed - expected) / (1 - expected))
