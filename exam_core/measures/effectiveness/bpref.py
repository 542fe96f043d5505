"""Binary preference over labels."""

from __future__ import annotations

import numpy as np

from exam_core.measures.info import MeasureInfo
from exam_core.measures.marks import CHUNK, Marks
from exam_core.measures.measure_options import Relevant
from exam_core.numbers.arrays import Floats


def bpref(marks: Marks) -> Floats:
    """How seldom passages labelled not relevant stand before relevant ones: Bpref.

    Passages without a label are passed over. With R relevant and N labelled but not relevant passages of a query, a
    relevant passage that n of the latter precede adds 1 - min(n, R) / min(N, R). Returns (T, R, Q) values in [0, 1]; 0
    where a query has no relevant passage.

    Source: Buckley & Voorhees 2004; trec_eval bpref.

    >>> from exam_core.measures.example import marks
    >>> bpref(marks())[0, :, 0].tolist()  # of the relevant d0 and d1, d2 precedes d1 in both
    [0.5, 0.0]
    """
    relevance, judged = marks.relevance(), marks.judged()
    relevant = marks.relevant[:, None]
    bound = np.maximum(np.minimum(relevant, marks.labelled - relevant), 1)
    preceding = np.zeros(relevance.shape[1:], np.int32)
    total = np.zeros(relevance.shape[1:])
    for place in range(len(marks.slots)):
        chunk, bit = divmod(place, CHUNK)
        hit = relevance[chunk] >> bit & 1
        total += hit * (1 - np.minimum(preceding, relevant) / bound)
        preceding += judged[chunk] >> bit & 1 & ~hit
    return total / np.maximum(relevant, 1)


ROWS = (
    MeasureInfo(
        name="Bpref",
        filled="perfect",
        order=100,
        of="labels",
        cut="none",
        meaning="how seldom passages labelled not relevant rank before relevant ones",
        formula="mean over the R relevant passages of 1 - min(n, R) / min(N, R), for n of the N others before it",
        source="Buckley & Voorhees 2004; trec_eval bpref",
        options=Relevant,
        compute=lambda marks, _depth: bpref(marks),
    ),
)
