"""Judged: slowly, by hand, and what holds of it."""

from __future__ import annotations

from ..twin import Case, Twin


def judged(case: Case, depth: int) -> float:
    read = case.ranking[:depth]
    return sum(passage in case.judged for passage in read) / len(read) if read else 0.0


TWINS = {
    "Judged": Twin(
        slow=judged,
        properties=frozenset({"a set", "ends with the ranking", "falls with label rank", "has no tau"}),
        of_labels={
            # Labelled 0 or more: places 1, 2 and 4 of the first 5; the second run returned one passage.
            ("Judged@5", 1): [3 / 5, 1],
            ("Judged@20", 1): [4 / 6, 1],
        },
        reference="ir_measures",
    ),
}
