"""Average precision: slowly, and by hand."""

import math

from ..twin import Case, Twin
from .precision import precision


def average_precision(case: Case, depth: int | None) -> float:
    places = [place for place, passage in enumerate(case.ranking[:depth], 1) if passage in case.relevant]
    total = math.fsum(precision(case, place) for place in places)
    return total / len(case.relevant) if case.relevant else 0.0


TWINS = {
    "AP": Twin(
        slow=average_precision,
        of_labels={
            # 1 of 2 at place 2, 2 of 4 at place 4, and one of the three is not ranked.
            ("AP", 1): [(1 / 2 + 2 / 4) / 3, (1 / 1) / 3],
            # tau 2: two are relevant, one is at place 2.
            ("AP", 2): [(1 / 2) / 2, (1 / 1) / 2],
            # Place 4 is cut off; the divisor stays 3.
            ("AP@3", 1): [(1 / 2) / 3, 1 / 3],
        },
        reference="trec_eval",
        trec_eval=("map", "map_cut"),
    )
}
