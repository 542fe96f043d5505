"""Recall: slowly, and by hand."""

from ..twin import Case, Twin


def recall(case: Case, depth: int | None) -> float:
    actual = sum(passage in case.relevant for passage in case.ranking[:depth])
    return actual / len(case.relevant) if case.relevant else 0.0


TWINS = {
    "R": Twin(
        slow=recall,
        of_labels={
            # Of three, two stand among the first five.
            ("R@5", 1): [2 / 3, 1 / 3],
            ("R@2", 1): [1 / 3, 1 / 3],
        },
        reference="trec_eval",
        trec_eval=("recall",),
    ),
    "SetR": Twin(
        slow=lambda case, _depth: recall(case, None),
        of_labels={("SetR", 1): [2 / 3, 1 / 3]},
        reference="trec_eval",
        trec_eval=("set_recall",),
    ),
}
