"""Bpref: slowly, and by hand."""

from ..twin import Case, Twin


def bpref(case: Case, _depth: object) -> float:
    relevant, others = case.relevant, case.judged - case.relevant
    total = 0.0
    for place, passage in enumerate(case.ranking):
        if passage in relevant:
            before = sum(other in others for other in case.ranking[:place])
            worst = min(len(relevant), len(others))
            total += 1 - min(before, len(relevant)) / worst if before else 1
    return total / len(relevant) if relevant else 0.0


TWINS = {
    "Bpref": Twin(
        slow=bpref,
        of_labels={
            # R = 3, N = 2 (both 0): a 0 stands before the 3 and before the 1, so each adds 1 - 1/2.
            # Nothing before the 2.
            ("Bpref", 1): [(1 / 2 + 1 / 2) / 3, 1 / 3],
            # R = 2, N = 3 (two 0 and the 1): the 3 adds 1 - 1/2.
            ("Bpref", 2): [(1 / 2) / 2, 1 / 2],
        },
        reference="trec_eval",
        trec_eval=("bpref",),
    )
}
