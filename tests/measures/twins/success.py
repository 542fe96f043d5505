"""Success: slowly, and by hand."""

from ..twin import Case, Twin


def success(case: Case, depth: int) -> float:
    return float(any(passage in case.relevant for passage in case.ranking[:depth]))


TWINS = {
    "Success": Twin(
        slow=success,
        of_labels={("Success@1", 1): [0, 1], ("Success@2", 1): [1, 1]},
        reference="trec_eval",
        trec_eval=("success",),
    )
}
