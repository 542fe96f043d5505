"""Every measure again, slowly and obviously: lists, sets and dictionaries for one run, one query and one tau."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from exam_core.measures.gradebook import NOTHING
from exam_core.tables import UNREADABLE


@dataclass(frozen=True)
class Case:
    """What one run returned for one query, and what is known of the query's passages.

    `ranking` lists passages, best first. `grades` holds, for each graded passage, its readable grades by
    enabled question; `labels` the label of each passage that has one. `questions` are the enabled ones.
    """

    ranking: list[Any]
    grades: dict[Any, dict[Any, int]]
    labels: dict[Any, int]
    questions: set[Any]
    tau: int
    weights: dict[Any, float] = field(default_factory=dict)

    @cached_property
    def relevant(self) -> set[Any]:
        """Passages, ranked or not, with a label of at least tau."""
        return {passage for passage, label in self.labels.items() if label >= self.tau}

    @cached_property
    def judged(self) -> set[Any]:
        """Passages with a label of 0 or more."""
        return {passage for passage, label in self.labels.items() if label >= 0}

    def answers(self, passage: Any) -> set[Any]:
        """The enabled questions that a passage answers."""
        return {question for question, grade in self.grades.get(passage, {}).items() if grade >= self.tau}

    def answered_by(self, passages: Any) -> set[Any]:
        """The enabled questions that some of the passages answer."""
        return set().union(*map(self.answers, passages))


def nth_label(grades, label_rank, label_map=None):
    """The N-th best of readable grades, mapped; None if there are fewer."""
    best = sorted(grades, reverse=True)
    if len(best) < label_rank:
        return None
    label = best[label_rank - 1]
    return label if label_map is None or label < 0 else dict(label_map).get(label, 0)


def cover(case, depth):
    return len(case.answered_by(case.ranking[:depth])) / len(case.questions)


def ncover(case, depth):
    answerable = case.answered_by(case.grades)
    return len(case.answered_by(case.ranking[:depth])) / len(answerable) if answerable else 0.0


def wcover(case, depth):
    def weight(questions):
        return math.fsum(case.weights.get(question, 1.0) for question in questions)

    total = weight(case.questions)
    return weight(case.answered_by(case.ranking[:depth])) / total if total else 0.0


def precision(case, depth):
    return sum(passage in case.relevant for passage in case.ranking[:depth]) / depth


def average_precision(case, depth):
    places = [place for place, passage in enumerate(case.ranking[:depth], 1) if passage in case.relevant]
    total = math.fsum(precision(case, place) for place in places)
    return total / len(case.relevant) if case.relevant else 0.0


def ndcg(case, depth):
    def dcg(labels):
        return math.fsum(max(label, 0) / math.log2(place + 1) for place, label in enumerate(labels[:depth], 1))

    best = dcg(sorted(case.labels.values(), reverse=True))
    return dcg([case.labels.get(passage, 0) for passage in case.ranking]) / best if best else 0.0


def r_precision(case, _depth):
    return precision(case, len(case.relevant)) if case.relevant else 0.0


def reciprocal_rank(case, depth):
    for place, passage in enumerate(case.ranking[:depth], 1):
        if passage in case.relevant:
            return 1 / place
    return 0.0


def recall(case, depth):
    found = sum(passage in case.relevant for passage in case.ranking[:depth])
    return found / len(case.relevant) if case.relevant else 0.0


def bpref(case, _depth):
    relevant, others = case.relevant, case.judged - case.relevant
    total = 0.0
    for place, passage in enumerate(case.ranking):
        if passage in relevant:
            before = sum(other in others for other in case.ranking[:place])
            worst = min(len(relevant), len(others))
            total += 1 - min(before, len(relevant)) / worst if before else 1
    return total / len(relevant) if relevant else 0.0


def success(case, depth):
    return float(any(passage in case.relevant for passage in case.ranking[:depth]))


def judged(case, depth):
    read = case.ranking[:depth]
    return sum(passage in case.judged for passage in read) / len(read) if read else 0.0


def set_precision(case, _depth):
    return precision(case, len(case.ranking)) if case.ranking else 0.0


def set_f(case, depth):
    share, found = set_precision(case, depth), recall(case, None)
    return 2 / (1 / share + 1 / found) if share and found else 0.0


def novelty(case, ranking, discount):
    """Sum of discounted gains, where a question is worth half as much each time that it is met again."""
    met = dict.fromkeys(case.questions, 0)
    total = 0.0
    for place, passage in enumerate(ranking, 1):
        total += sum(0.5 ** met[question] for question in case.answers(passage)) * discount(place)
        for question in case.answers(passage):
            met[question] += 1
    return total


def greedy_ranking(case, depth):
    """The most novel passage each time; of equally novel ones the last by name, as ndeval takes it."""
    left, taken = sorted(case.grades, reverse=True), []
    met = dict.fromkeys(case.questions, 0)
    while left and len(taken) < depth:
        best = max(left, key=lambda passage: sum(0.5 ** met[question] for question in case.answers(passage)))
        left.remove(best)
        taken.append(best)
        for question in case.answers(best):
            met[question] += 1
    return taken


def alpha_ndcg(case, depth):
    def discount(place):
        return 1 / math.log2(place + 1)

    best = novelty(case, greedy_ranking(case, depth), discount)
    return novelty(case, case.ranking[:depth], discount) / best if best else 0.0


def err_ia(case, depth):
    most = sum(0.5 ** (place - 1) / place for place in range(1, depth + 1))
    answerable = case.answered_by(case.grades)
    gained = novelty(case, case.ranking[:depth], lambda place: 1 / place)
    return gained / (len(answerable) * most) if answerable else 0.0


SLOW = {
    "Cover": cover,
    "nCover": ncover,
    "wCover": wcover,
    "P": precision,
    "AP": average_precision,
    "nDCG": ndcg,
    "Rprec": r_precision,
    "RR": reciprocal_rank,
    "R": recall,
    "Bpref": bpref,
    "Success": success,
    "Judged": judged,
    "SetP": set_precision,
    "SetR": lambda case, _depth: recall(case, None),
    "SetF": set_f,
    "alpha_nDCG": alpha_ndcg,
    "ERR_IA": err_ia,
    "StRecall": ncover,
}
"""By the name of the measure; each takes a case and the measure's depth, None for all that is read."""


def slow_values(book, measures, *, taus, label_rank=1, label_map=None):
    """(M, T, R, Q) what `sweep` gives; NaN where a query has no enabled question."""
    cases = [
        [
            [case_of(book, run, query, tau, label_rank, label_map) for query in range(len(book.query_ids))]
            for run in range(len(book.run_ids))
        ]
        for tau in taus
    ]
    return [[[[slow_value(measure, case) for case in row] for row in rows] for rows in cases] for measure in measures]


def slow_value(measure, case):
    """A measure's value; NaN without an enabled question."""
    return SLOW[measure.name](case, measure.depth) if case.questions else math.nan


def case_of(book, run, query, tau, label_rank=1, label_map=None):
    """One run on one query of a gradebook; passages and questions are named by their numbers."""
    enabled = {question for question, on in enumerate(book.enabled[query]) if on}
    grades = {
        pair: {
            question: int(book.grades[pair, question])
            for question in enabled
            if book.grades[pair, question] > UNREADABLE
        }
        for pair in range(len(book.grades))
        if book.pair_query[pair] == query
    }
    labels = {pair: nth_label(own.values(), label_rank, label_map) for pair, own in grades.items()}
    return Case(
        ranking=[int(slot) for slot in book.slots[:, run, query] if slot != NOTHING],
        grades=grades,
        labels={pair: label for pair, label in labels.items() if label is not None},
        questions=enabled,
        tau=tau,
        weights=dict(enumerate(book.weights[query].tolist())),
    )
