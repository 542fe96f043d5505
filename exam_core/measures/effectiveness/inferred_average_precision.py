"""Average precision where only some passages of a pool were labelled."""

from __future__ import annotations

import numpy as np

from exam_core.measures.bit_words import PADDING
from exam_core.measures.info import MeasureInfo
from exam_core.measures.marks import CHUNK, Marks
from exam_core.measures.measure_options import Relevant
from exam_core.numbers.arrays import Floats
from exam_core.tables import UNREADABLE

EPSILON = 0.00001
"""What trec_eval adds, so that nothing is divided by 0."""


def inferred_average_precision(marks: Marks) -> Floats:
    """Average precision, expected from those passages of a pool that were labelled: infAP.

    A passage with a label below 0 is in the pool and not labelled; one without any label, or with unreadable answers
    alone, is not in the pool, and not relevant. At each relevant passage, precision is what is expected of the passages
    above it: those in the pool are relevant as often as the labelled ones among them. Returns (T, R, Q) values in [0,
    1]; 0 where a query has no relevant passage.

    Source: Yilmaz & Aslam 2006; trec_eval infAP.

    >>> from exam_core.measures.example import marks
    >>> inferred_average_precision(marks())[0, :, 0].round(3).tolist()  # all are labelled: average precision
    [0.833, 0.25]
    """
    relevance, labelled = marks.relevance(), marks.judged()
    unlabelled = np.zeros(len(marks.labelling.labels) + PADDING, bool)
    unlabelled[:-PADDING] = (marks.labelling.labels < 0) & (marks.labelling.labels > UNREADABLE)
    relevant_before, others_before = (np.zeros(relevance.shape[1:]) for _ in range(2))
    pooled_before = np.zeros(relevance.shape[2:])
    total = np.zeros(relevance.shape[1:])
    for before, slots in enumerate(marks.slots):
        chunk, bit = divmod(before, CHUNK)
        hit = relevance[chunk] >> bit & 1
        known = relevant_before + others_before
        share = (relevant_before + EPSILON) / (known + 2 * EPSILON)
        total += hit * (1 + (known + pooled_before) * share) / (before + 1)
        relevant_before += hit
        others_before += (labelled[chunk] >> bit & 1) & ~hit
        pooled_before += unlabelled[slots]
    return total / np.maximum(marks.relevant, 1)[:, None]


ROWS = (
    MeasureInfo(
        name="infAP",
        filled="perfect",
        order=56,
        of="labels",
        cut="none",
        meaning="average precision from a labelled sample of the pool: its other passages, judged below 0, "
        "count as relevant as often as labelled ones",
        formula="mean over relevant passages of (1 + (labelled + unlabelled before) * share of the labelled before "
        "that are relevant) / rank",
        source="Yilmaz & Aslam 2006; trec_eval infAP",
        options=Relevant,
        compute=lambda marks, _depth: inferred_average_precision(marks),
    ),
)
