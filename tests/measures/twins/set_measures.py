"""SetP and SetF: slowly, and by hand."""

from ..twin import Case, Twin
from .precision import precision
from .recall import recall


def set_precision(case: Case, _depth: object) -> float:
    return precision(case, len(case.ranking)) if case.ranking else 0.0


def set_f(case: Case, _depth: object) -> float:
    share, actual = set_precision(case, None), recall(case, None)
    return 2 / (1 / share + 1 / actual) if share and actual else 0.0


TWINS = {
    "SetP": Twin(
        slow=set_precision,
        of_labels={
            # Six returned, two of them relevant; one returned, relevant.
            ("SetP", 1): [2 / 6, 1]
        },
        reference="trec_eval",
        trec_eval=("set_P",),
    ),
    "SetF": Twin(
        slow=set_f,
        of_labels={
            # 2 (1/3) (2/3) / (1/3 + 2/3) and 2 (1) (1/3) / (1 + 1/3)
            ("SetF", 1): [4 / 9, 1 / 2]
        },
        reference="trec_eval",
        trec_eval=("set_F",),
    ),
}
