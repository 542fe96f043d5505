"""Rank-biased precision over labels."""

from __future__ import annotations

import numpy as np

from exam_core.measures.info import MeasureInfo
from exam_core.measures.marks import Marks, looked_up
from exam_core.measures.measure_options import Persistence
from exam_core.numbers.arrays import Floats


def rank_biased_precision(marks: Marks, depth: int | None = None, *, p: float = 0.8) -> Floats:
    """How often a reader who goes on with probability p at each place meets a relevant passage: RBP(p)@k.

    A passage is relevant with a label of at least tau. Places that are not read, or without a passage, add nothing. The
    persistence p is below 1. Returns (T, R, Q) values in [0, 1].

    Source: Moffat & Zobel 2008, eq. 4; ir_measures RBP by cwl_eval.

    >>> from exam_core.measures.example import marks
    >>> rank_biased_precision(marks(), p=0.5)[0, :, 0].tolist()  # 1/2 + 1/8 and 1/4
    [0.625, 0.25]
    """
    masks = marks.relevance(depth)
    total: Floats = np.zeros(masks.shape[1:])
    for worth in looked_up("persisting", masks, p):
        total += worth
    return (1 - p) * total


ROWS = (
    MeasureInfo(
        name="RBP",
        order=84,
        of="labels",
        cut="possible",
        meaning="rate of relevant passages for a reader who goes on to the next passage with probability p",
        formula="(1 - p) * sum of p^(rank - 1) over passages with a label of at least tau",
        source="Moffat & Zobel 2008; ir_measures RBP",
        options=Persistence,
        compute=rank_biased_precision,
    ),
)
