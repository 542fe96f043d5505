"""Nugget scores: slowly, and by hand."""

import math
from functools import partial

from exam_core.tables import AVOID, OKAY, VITAL
from tests.measures.twin import Case, Twin


def worth(of: str, importance: int) -> float:
    """What a nugget counts: the words of AutoNuggetizer's three scores."""
    if importance == AVOID:
        return 0.0
    if of == "all":
        return 1.0
    if importance == VITAL:
        return 1.0
    return 0.5 if of == "weighted" and importance == OKAY else 0.0


def score(case: Case, depth: int | None, *, of: str, strict: bool) -> float:
    gained = total = 0.0
    asked = [{*case.grades.get(passage, ()), *case.unreadable.get(passage, ())} for passage in case.ranking]
    sought = {one for one in set().union(*asked) if worth(of, case.importance.get(one, VITAL))}
    for question in sought or case.questions:
        best = max((case.grades.get(passage, {}).get(question, 0) for passage in case.ranking[:depth]), default=0)
        supported = 1.0 if best >= 2 else 0.5 if best == 1 and not strict else 0.0
        gained += supported * worth(of, case.importance.get(question, VITAL))
        total += worth(of, case.importance.get(question, VITAL))
    return gained / total if total else math.nan


# No question of the book has an importance, so all are vital. q0: passages 0 and 1 have the best grades 5, 4 and 1 on
# its questions; passage 2, which the second run returned, 0, 0 and 4. q1: passage 3 has a 2, the second run nothing.
STRICT, LENIENT = [[2 / 3, 1], [1 / 3, 0]], [[2.5 / 3, 1], [1 / 3, 0]]
# The first place is passage 0: 5, 0 and 1.
FIRST_STRICT, FIRST_LENIENT = [[1 / 3, 1], [1 / 3, 0]], [[1.5 / 3, 1], [1 / 3, 0]]

TWINS = {
    f"Nugget{of}{'Strict' if strict else ''}": Twin(
        slow=partial(score, of=of.lower(), strict=strict),
        has_tau=False,
        of_grades={
            (f"Nugget{of}{'Strict' if strict else ''}", 4): STRICT if strict else LENIENT,
            (f"Nugget{of}{'Strict' if strict else ''}@1", 1): FIRST_STRICT if strict else FIRST_LENIENT,
        },
        reference=None,
    )
    for of in ("Vital", "Weighted", "All")
    for strict in (True, False)
}
