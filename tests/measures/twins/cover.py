"""Cover and its kin: slowly, and by hand."""

import math
from collections.abc import Iterable
from typing import Any

from ..twin import Case, Twin


def cover(case: Case, depth: int) -> float:
    return len(case.answered_by(case.ranking[:depth])) / len(case.questions)


def ncover(case: Case, depth: int) -> float:
    answerable = case.answered_by(case.grades)
    return len(case.answered_by(case.ranking[:depth])) / len(answerable) if answerable else 0.0


def wcover(case: Case, depth: int) -> float:
    def weight(questions: Iterable[Any]) -> float:
        return math.fsum(case.weights.get(question, 1.0) for question in questions)

    total = weight(case.questions)
    return weight(case.answered_by(case.ranking[:depth])) / total if total else 0.0


TWINS = {
    "Cover": Twin(
        slow=cover,
        of_grades={
            # q0, tau 4: passage 0 answers question 0, passage 1 question 1: 2 of 3. q1: nothing reaches 4.
            ("Cover@3", 4): [[2 / 3, 0], [1 / 3, 0]],
            # The first place alone: question 0 of 3.
            ("Cover@1", 4): [[1 / 3, 0], [1 / 3, 0]],
            # tau 1: passage 0 answers 0 and 2, passage 1 answers 0 and 1: 3 of 3. q1: passage 3, 1 of 1.
            ("Cover@3", 1): [[1, 1], [1 / 3, 0]],
            # tau 5: question 0; question 3 has a 5 but is off.
            ("Cover@3", 5): [[1 / 3, 0], [0, 0]],
        },
        reference=None,
    ),
    "nCover": Twin(
        slow=ncover,
        of_grades={
            # All graded passages of q0 answer 3 questions at tau 4, so as Cover; of q1 none: 0.
            ("nCover@3", 4): [[2 / 3, 0], [1 / 3, 0]],
            # tau 5: only question 0 can be answered.
            ("nCover@3", 5): [[1, 0], [0, 0]],
            # tau 2: q0 all 3 can be answered, passages 0 and 1 answer 0 and 1; q1 1 of 1.
            ("nCover@3", 2): [[2 / 3, 1], [1 / 3, 0]],
        },
        reference=None,
    ),
    "wCover": Twin(
        slow=wcover,
        of_grades={
            # tau 4: questions 0 and 1 weigh 1 + 2 of 1 + 2 + 5; the second run has question 2: 5 of 8.
            ("wCover@3", 4): [[3 / 8, 0], [5 / 8, 0]],
            # tau 1: all of q0's 8 and of q1's 3; the second run question 2.
            ("wCover@3", 1): [[1, 1], [5 / 8, 0]],
        },
        reference=None,
    ),
    "StRecall": Twin(slow=ncover, of_grades={("StRecall@3", 2): [[2 / 3, 1], [1 / 3, 0]]}, reference="ndeval"),
}
