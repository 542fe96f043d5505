"""R-precision: slowly, and by hand."""

from ..twin import Case, Twin
from .precision import precision


def r_precision(case: Case, _depth: object) -> float:
    return precision(case, len(case.relevant)) if case.relevant else 0.0


TWINS = {
    "Rprec": Twin(
        slow=r_precision,
        of_labels={
            # Three are relevant, and among the first three places is one.
            ("Rprec", 1): [1 / 3, 1 / 3],
            ("Rprec", 2): [1 / 2, 1 / 2],
        },
        reference="trec_eval",
        trec_eval=("Rprec",),
    )
}
