"""Rank-biased precision: slowly, and by hand."""

import math

from ..twin import Case, Twin


def rank_biased_precision(case: Case, depth: int | None, p: float = 0.8) -> float:
    reached = [p ** (place - 1) for place, one in enumerate(case.ranking[:depth], 1) if one in case.relevant]
    return (1 - p) * math.fsum(reached)


TWINS = {
    "RBP": Twin(
        slow=rank_biased_precision,
        of_labels={
            # 3 at place 2, 1 at place 4; then the 2 alone at place 1.
            ("RBP", 1): [0.2 * (0.8 + 0.8**3), 0.2],
            ("RBP(p=0.5)@3", 1): [0.5 * 0.5, 0.5],
            # From 2 on: the passage at place 2 alone, whatever tau is.
            ("RBP(rel=2,p=0.5)", 1): [0.5 * 0.5, 0.5],
            # The third passage has no label, and the fifth one below 0: the 1 moves up to place 3.
            ("RBP(judged_only=True,p=0.5)", 1): [0.5 * (0.5 + 0.25), 0.5],
        },
        reference=None,
    )
}
