"""Reciprocal rank: slowly, and by hand."""

from ..twin import Case, Twin


def reciprocal_rank(case: Case, depth: int | None) -> float:
    for place, passage in enumerate(case.ranking[:depth], 1):
        if passage in case.relevant:
            return 1 / place
    return 0.0


TWINS = {
    "RR": Twin(
        slow=reciprocal_rank,
        of_labels={
            ("RR", 1): [1 / 2, 1],
            # The only 3 is at place 2, and the second run doesn't have it.
            ("RR", 3): [1 / 2, 0],
            ("RR@1", 1): [0, 1],
        },
        reference="trec_eval",
        trec_eval=("recip_rank",),
    )
}
