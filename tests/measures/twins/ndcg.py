"""nDCG: slowly, and by hand."""

from collections.abc import Iterable
from math import fsum, log2
from typing import Any

from ..twin import Case, Twin


def ndcg(case: Case, depth: int | None, dcg: str = "log2", grades: str = "whole") -> float:
    assert grades == "whole"  # decimals have twins of their own: tests/analysis/test_decimal_grades.py

    def summed(passages: Iterable[Any]) -> float:
        labels = [case.label(passage) for passage in passages][:depth]
        gains = labels if dcg == "log2" else [2**label - 1 for label in labels]
        return fsum(gain / log2(place + 1) for place, gain in enumerate(gains, 1))

    best = summed(sorted(case.labels, key=case.label, reverse=True))
    return summed(case.ranking) / best if best else 0.0


# The best labels are 3 2 1, at places 1 2 3.
BEST = 3 + 2 / log2(3) + 1 / log2(4)
TWINS = {
    "nDCG": Twin(
        slow=ndcg,
        has_tau=False,
        of_labels={
            # 3 at place 2, 1 at place 4; -2 gains nothing.
            ("nDCG", 1): [(3 / log2(3) + 1 / log2(5)) / BEST, 2 / BEST],
            # The best two are 3 and 2.
            # Gains 7 and 1 of 7, 3 and 1.
            ("nDCG(dcg=exp-log2)", 1): [
                (7 / log2(3) + 1 / log2(5)) / (7 + 3 / log2(3) + 1 / log2(4)),
                3 / (7 + 3 / log2(3) + 1 / log2(4)),
            ],
            # Without what has no label, the 1 is at place 3.
            ("nDCG(judged_only=True)", 1): [(3 / log2(3) + 1 / log2(4)) / BEST, 2 / BEST],
            ("nDCG@2", 1): [(3 / log2(3)) / (3 + 2 / log2(3)), 2 / (3 + 2 / log2(3))],
        },
        reference="trec_eval",
        trec_eval=("ndcg", "ndcg_cut"),
    )
}
