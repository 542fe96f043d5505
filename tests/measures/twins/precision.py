"""Precision: slowly, and by hand."""

from ..twin import Case, Twin


def precision(case: Case, depth: int) -> float:
    return sum(passage in case.relevant for passage in case.ranking[:depth]) / depth


TWINS = {
    "P": Twin(
        slow=precision,
        of_grades={
            # Labels: 5, 4, 4 of q0; 2 and none of q1. tau 4: passages 0 and 1 of 3 places; 1 of 3.
            ("P@3", 4): [[2 / 3, 0], [1 / 3, 0]],
            # The divisor is the depth, also beyond the passages that there are: 2 / 10 and 1 / 10.
            ("P@10", 2): [[2 / 10, 1 / 10], [1 / 10, 0]],
            ("P@1", 5): [[1, 0], [0, 0]],
        },
        of_labels={
            # tau 1: places 2 and 4 of the first 5; the second run has one passage.
            ("P@5", 1): [2 / 5, 1 / 5]
        },
        reference="trec_eval",
        trec_eval=("P",),
    )
}
