"""Normalised discounted cumulative gain over labels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from exam_core.measures.info import MeasureInfo
from exam_core.measures.marks import Marks, looked_up, within
from exam_core.measures.measure_options import Gain
from exam_core.numbers.arrays import Floats


def ndcg(marks: Marks, depth: int | None = None, *, dcg: str = "log2", grades: str = "whole") -> Floats:
    """Gain of the first passages, discounted by rank, as a share of the best possible: nDCG, nDCG@k.

    A passage's gain is made of its label (0 where it has none or a negative one), its discount log2(rank + 1). Graded
    labels are used as they are, so tau does not apply. By `dcg`, a label gains itself (`log2`), or 2 to its power,
    minus 1 (`exp-log2`). By `grades`, labels are whole or have decimals (`decimal`). Returns (1, R, Q) shares in [0,
    1]; 0 where no passage of a query has a label above 0.

    Source: Jarvelin & Kekalainen 2002, with trec_eval's discount; trec_eval ndcg, ndcg_cut_k. Exponential gains:
    Burges et al. 2005; gdeval ndcg.

    >>> from exam_core.measures.example import marks
    >>> ndcg(marks(), 1)[0, :, 0].tolist()  # label 5 of at most 5, and label 1
    [1.0, 0.2]
    """
    if grades == "decimal" and marks.book.decimals is not None:
        return _of_decimals(marks, depth, dcg)
    levels = marks.labelling.levels
    # A label of 3 is at least 1, at least 2 and at least 3: a gain is the sum of what it reaches,
    # each worth its distance from the level below.
    gains = gained(np.array(levels), dcg)
    positive = [(place, gains[place] - gains[place - 1]) for place, level in enumerate(levels) if level > 0]
    masks = within(marks.levels, depth)
    best = np.zeros(masks.shape[3])
    gain = np.zeros(masks.shape[2:])
    at_least = marks.labelling.at_least
    discounts = np.r_[0.0, np.cumsum(1 / np.log2(np.arange(2, at_least.max(initial=0) + 2)))]
    for place, step in positive:
        if at_least[place].any():
            for worth in looked_up("discounted", masks[:, place]):
                gain += step * worth
            best += step * discounts[at_least[place] if depth is None else np.minimum(at_least[place], depth)]
    return (gain / np.where(best > 0, best, 1))[None]


def _of_decimals(marks: Marks, depth: int | None, dcg: str) -> Floats:
    """The same of labels with decimals, place by place."""
    book, slots = marks.book, marks.slots[:depth]
    gains = gained(book.decimal_labels(marks.labelling.label_rank), dcg)
    padded = np.r_[gains, 0.0, 0.0]  # the places without a graded passage, -1 and -2
    gain = np.zeros(slots.shape[1:])
    for place, pairs in enumerate(slots):
        gain += padded[pairs] / np.log2(place + 2)
    best = ideal_gains(gains, book.pair_query, len(book.query_ids), depth)
    return (gain / np.where(best > 0, best, 1))[None]


def ideal_gains(gains: Floats, query: npt.NDArray[np.integer], queries: int, depth: int | None) -> Floats:
    """(Q,) discounted gain of each query's best passages, of (P,) gains whose queries ascend.

    >>> ideal_gains(np.array([0.0, 3.0, 1.0]), np.array([0, 0, 1]), 2, depth=1).tolist()
    [3.0, 1.0]
    """
    order = np.lexsort((-gains, query))
    place = np.arange(len(query)) - np.searchsorted(query, query)
    counts = np.ones(len(query), bool) if depth is None else place < depth
    best = np.zeros(queries)
    np.add.at(best, query[counts], (gains[order] / np.log2(place + 2))[counts])
    return best


def gained(labels: npt.NDArray[np.number], dcg: str) -> Floats:
    """(...) what labels gain, each by itself; nothing where they are negative.

    >>> gained(np.array([-1, 0, 3]), "exp-log2").tolist()
    [0.0, 0.0, 7.0]
    """
    gains: Floats = np.maximum(labels, 0).astype(float)
    return gains if dcg == "log2" else np.asarray(np.exp2(gains) - 1)


ROWS = (
    MeasureInfo(
        name="nDCG",
        filled="gain",
        order=60,
        of="labels",
        cut="possible",
        meaning="gain of the first passages, discounted by rank, as a share of the best possible; labels are graded, "
        "so tau does not apply",
        formula="sum of gain / log2(rank + 1) over the first k, divided by the same of the query's best labels",
        source="Järvelin & Kekäläinen 2002; trec_eval ndcg, ndcg_cut_k; gdeval ndcg for dcg=exp-log2",
        options=Gain,
        compute=ndcg,
        tau_applies=False,
    ),
)
