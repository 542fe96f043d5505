"""The rubric score: slowly, and by hand."""

import math

from ..twin import Case, Twin


def rubric(case: Case, depth: int | None) -> float:
    read = case.ranking[:depth]
    met = case.answered_by(read)
    wrong = {one for doc in read for one, grade in case.avoided.get(doc, {}).items() if grade >= case.tau}
    total, gained, lost = (
        math.fsum(case.weights.get(one, 1.0) for one in some) for some in (case.questions, met, wrong)
    )
    return (gained - lost) / (total or 1)


TWINS = {
    "Rubric": Twin(
        slow=rubric,
        # Without questions to avoid, as in the books of those tests.
        of_grades={
            # As wCover: no question of the book is to be avoided.
            ("Rubric@3", 4): [[3 / 8, 0], [5 / 8, 0]],
            ("Rubric", 1): [[1, 1], [5 / 8, 0]],
        },
        reference=None,
    )
}
