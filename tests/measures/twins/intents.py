"""alpha_nDCG and ERR_IA: slowly, and by hand."""

from collections.abc import Callable
from math import log2
from typing import Any

from ..twin import Case, Twin


def novelty(case: Case, ranking: list[Any], discount: Callable[[int], float]) -> float:
    """Sum of discounted gains, where a question is worth half as much each time that it is met again."""
    met = dict.fromkeys(case.questions, 0)
    total = 0.0
    for place, passage in enumerate(ranking, 1):
        total += sum(0.5 ** met[question] for question in case.answers(passage)) * discount(place)
        for question in case.answers(passage):
            met[question] += 1
    return total


def greedy_ranking(case: Case, depth: int) -> list[Any]:
    """The most novel passage each time; of equally novel ones the last by name, as ndeval takes it."""
    left, taken = sorted(case.grades, reverse=True), list[Any]()
    met = dict.fromkeys(case.questions, 0)
    while left and len(taken) < depth:
        best = max(left, key=lambda passage: sum(0.5 ** met[question] for question in case.answers(passage)))
        left.remove(best)
        taken.append(best)
        for question in case.answers(best):
            met[question] += 1
    return taken


def alpha_ndcg(case: Case, depth: int) -> float:
    def discount(place: int) -> float:
        return 1 / log2(place + 1)

    best = novelty(case, greedy_ranking(case, depth), discount)
    return novelty(case, case.ranking[:depth], discount) / best if best else 0.0


def err_ia(case: Case, depth: int) -> float:
    most = sum(0.5 ** (place - 1) / place for place in range(1, depth + 1))
    answerable = case.answered_by(case.grades)
    gained = novelty(case, case.ranking[:depth], lambda place: 1 / place)
    return gained / (len(answerable) * most) if answerable else 0.0


# tau 1: passage 0 answers questions 0 and 2, passage 1 answers 0 and 1, passage 2 answers 2. Passages 0 and 1 are
# equally novel, so the ideal starts with the later one, 1: two questions; then 0: half of one and one; then 2: half of
# the half that question 2 is worth after one passage ... 1/2.
IDEAL_Q0 = 2 + 1.5 / log2(3) + 0.5 / log2(4)
# Place k of three is worth 1/k to a question, half as much each time that it is met again.
PERFECT = 1 + 0.5 / 2 + 0.25 / 3
TWINS = {
    "alpha_nDCG": Twin(
        slow=alpha_ndcg,
        of_grades={
            # tau 1: passage 0 brings two questions, at place 3 passage 1 brings half of question 0 and all of 1; log2 4
            # is 2. The second run: one question. q1: one question at the first place is all there is.
            ("alpha_nDCG@3", 1): [[(2 + 1.5 / 2) / IDEAL_Q0, 1], [1 / IDEAL_Q0, 0]],
            # tau 4: each of the passages 0, 1, 2 answers one question, so places 1 and 3, and 1 of the ideal
            # places 1, 2, 3.
            ("alpha_nDCG@3", 4): [[(1 + 1 / 2) / (1 + 1 / log2(3) + 1 / 2), 0], [1 / (1 + 1 / log2(3) + 1 / 2), 0]],
        },
        reference="ndeval",
    ),
    "ERR_IA": Twin(
        slow=err_ia,
        of_grades={
            # tau 1: 2 at place 1, 1.5 at place 3; three questions can be answered. q1: one of one at place 1.
            ("ERR_IA@3", 1): [[(2 + 1.5 / 3) / (3 * PERFECT), 1 / PERFECT], [1 / (3 * PERFECT), 0]],
            # Of the first place alone: 2 of 3 questions; 1 of 1.
            ("ERR_IA@1", 1): [[2 / 3, 1], [1 / 3, 0]],
        },
        reference="ndeval",
    ),
}
