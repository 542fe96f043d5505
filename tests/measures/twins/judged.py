"""Judged: slowly, and by hand."""

from ..twin import Case, Twin


def judged(case: Case, depth: int) -> float:
    read = case.ranking[:depth]
    return sum(passage in case.labels for passage in read) / len(read) if read else 0.0


TWINS = {
    "Judged": Twin(
        slow=judged,
        has_tau=False,
        of_labels={
            # Labelled: places 1, 2, 4 and 5, which is -2, of the first 5; the second run returned one passage.
            ("Judged@5", 1): [4 / 5, 1],
            ("Judged@20", 1): [5 / 6, 1],
        },
        reference="ir_measures",
    )
}
