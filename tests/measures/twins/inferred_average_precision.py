"""Inferred average precision: slowly, and by hand."""

import math

from ..twin import Case, Twin

EPSILON = 0.00001


def inferred_average_precision(case: Case, _depth: int | None) -> float:
    total = []
    for before, passage in enumerate(case.ranking):
        if passage in case.relevant:
            above = case.ranking[:before]
            relevant, labelled, pooled = (
                sum(one in those for one in above) for those in (case.relevant, case.judged, case.pooled)
            )
            share = (relevant + EPSILON) / (labelled + 2 * EPSILON)
            total.append((1 + (labelled + pooled) * share) / (before + 1))
    return math.fsum(total) / len(case.relevant) if case.relevant else 0.0


# Above the 3 at place 2 a 0; above the 1 at place 4 that 0, the 3, and a passage that is not in the pool.
OF_ONE, OF_TWO = EPSILON / (1 + 2 * EPSILON), (1 + EPSILON) / (2 + 2 * EPSILON)
TWINS = {
    "infAP": Twin(
        slow=inferred_average_precision,
        of_labels={
            ("infAP", 1): [(1 / 2 + 1 / 2 * OF_ONE + 1 / 4 + 2 / 4 * OF_TWO) / 3, 1 / 3],
            ("infAP(rel=2)", 1): [(1 / 2 + 1 / 2 * OF_ONE) / 2, 1 / 2],
        },
        reference="trec_eval",
        trec_eval=("infAP",),
    )
}
