"""Expected reciprocal rank: slowly, and by hand."""

import math

from ..twin import Case, Twin


def expected_reciprocal_rank(case: Case, depth: int | None, max: int | None = None) -> float:
    top = max or case.top
    satisfied = [(2**label - 1) / 2**top for label in (case.label(one) for one in case.ranking[:depth])]
    return math.fsum(
        one / place * math.prod(1 - before for before in satisfied[: place - 1])
        for place, one in enumerate(satisfied, 1)
    )


TWINS = {
    "ERR": Twin(
        slow=expected_reciprocal_rank,
        has_tau=False,
        of_labels={
            # 3 at place 2 satisfies 7/16, 1 at place 4 1/16; the 2 alone 3/16.
            ("ERR", 1): [7 / 16 / 2 + (9 / 16) * (1 / 16) / 4, 3 / 16],
            ("ERR(max=3)@3", 1): [7 / 8 / 2, 3 / 8],
        },
        reference=None,
    )
}
