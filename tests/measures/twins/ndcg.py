"""nDCG: slowly, by hand, and what holds of it."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, log2

from ..twin import Case, Twin


def ndcg(case: Case, depth: int | None) -> float:
    def dcg(labels: Sequence[int]) -> float:
        return fsum(max(label, 0) / log2(place + 1) for place, label in enumerate(labels[:depth], 1))

    best = dcg(sorted(case.labels.values(), reverse=True))
    return dcg([case.labels.get(passage, 0) for passage in case.ranking]) / best if best else 0.0


# The best labels are 3 2 1, at places 1 2 3.
BEST = 3 + 2 / log2(3) + 1 / log2(4)
TWINS = {
    "nDCG": Twin(
        slow=ndcg,
        properties=frozenset({"has no tau"}),
        of_labels={
            # 3 at place 2, 1 at place 4; -2 gains nothing.
            ("nDCG", 1): [(3 / log2(3) + 1 / log2(5)) / BEST, 2 / BEST],
            # The best two are 3 and 2.
            ("nDCG@2", 1): [(3 / log2(3)) / (3 + 2 / log2(3)), 2 / (3 + 2 / log2(3))],
        },
        reference="trec_eval",
        trec_eval=("ndcg", "ndcg_cut"),
    ),
}
