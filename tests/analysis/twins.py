"""The slow, obvious twins of the fast path: plain loops, dictionaries and sets over the store's frames."""

import math
import struct
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, cached_property
from typing import Any

import pandas as pd

from exam_core.analysis.agreement import Agreement, agreement
from exam_core.analysis.choice import Evaluation
from exam_core.store import Snapshot
from exam_core.store.names import BankRef
from tests.measures.slow import nth_label, values_of_run
from tests.measures.twin import Case

RANKS_COUNT = ("Cover", "nCover", "wCover", "StRecall")
"""By the files' ranks, these read all whose rank is at most k; a run that counts from 0 has one more place."""


@cache
def rows_of(snapshot: Snapshot, name: str) -> list[Any]:
    """The rows of a table of the store."""
    return list(snapshot.frame(name).itertuples())


class Twin:
    """One evaluation, computed the slow way."""

    def __init__(self, snapshot: Snapshot, choice: Evaluation) -> None:
        self.choice = choice
        self.rankings = rows_of(snapshot, "rankings")
        self.runs = sorted({row.run_id for row in self.rankings})
        self.enabled: dict[str, set[str]] = {}
        self.weights: dict[str, dict[str, float]] = {}
        self.grades: dict[str, dict[str, dict[str, int | None]]] = {}
        self.facets: dict[str, list[str]] = {}
        for unit in sorted({row.query_id for row in self.rankings}):
            self.facets.setdefault(unit.rpartition("/")[0], []).append(unit)
        grading = choice.grading
        if grading.judgments:
            for row in self._pages_first(snapshot, "judgments"):
                if row.qrels_id == grading.judgments:
                    self._add_label(row, row.relevance)
        elif grading.bank is None:
            for row in self._pages_first(snapshot, "grades"):
                if row.grader_id == grading.grader and not isinstance(row.question_id, str):
                    self._add_label(row, row.grade)
        else:
            self._read_question_grades(snapshot)
        self.units = sorted(self.grades)

    def _read_question_grades(self, snapshot: Snapshot) -> None:
        grading = self.choice.grading
        bank = {}
        for row in rows_of(snapshot, "questions"):
            if BankRef(row.bank_id, row.version) == grading.bank:
                units = self.facets.get(row.query_id, [])
                if isinstance(row.facet_id, str):
                    units = [unit for unit in units if unit == f"{row.query_id}/{row.facet_id}"]
                bank[row.question_id, row.query_id] = (units or [row.query_id], row.enabled, row.weight)
        for row in rows_of(snapshot, "grades"):
            if row.grader_id == grading.grader and (row.question_id, row.query_id) in bank:
                units, enabled, _ = bank[row.question_id, row.query_id]
                for unit in units:
                    self._add(unit, row.doc_id, row.question_id, row.grade, enabled)
        for (question, _), (units, enabled, weight) in bank.items():
            for unit in units:
                self.weights.setdefault(unit, {})[question] = weight
                if enabled:
                    self.enabled.setdefault(unit, set()).add(question)

    def _pages_first(self, snapshot: Snapshot, table: str) -> list[Any]:
        """Rows with a page's before a facet's own, which replace them."""
        return sorted(rows_of(snapshot, table), key=lambda row: row.query_id not in self.facets)

    def _add_label(self, row: Any, label: Any) -> None:
        for unit in self.facets.get(row.query_id, [row.query_id]):
            self._add(unit, row.doc_id, "label", label, True)

    def _add(self, unit: str, doc: str, question: str, grade: Any, enabled: bool) -> None:
        readable = None if pd.isna(grade) else int(grade)
        self.grades.setdefault(unit, {}).setdefault(doc, {})[question] = readable
        if enabled:
            self.enabled.setdefault(unit, set()).add(question)

    @cache  # noqa: B019 - a twin lives as long as its test
    def first(self, run: str, unit: str) -> list[str]:
        """The passages of a ranking that are read, best first."""
        mine = [row for row in self.rankings if row.run_id == run and row.query_id == unit]
        # Descending by score as a 32-bit float, then by doc_id.
        mine.sort(key=lambda row: (as_float32(row.score), row.doc_id), reverse=True)
        depth = math.inf if self.choice.labelling.depth is None else self.choice.labelling.depth
        if self.choice.labelling.order == "rank":
            mine.sort(key=lambda row: row.source_rank)
            return [row.doc_id for row in mine if row.source_rank <= depth]
        return [row.doc_id for place, row in enumerate(mine, 1) if place <= depth]

    def up_to_rank(self, run: str, unit: str, depth: int) -> list[str]:
        """The passages whose rank in the file is at most `depth`."""
        mine = [row for row in self.rankings if row.run_id == run and row.query_id == unit]
        return [row.doc_id for row in mine if row.source_rank <= depth]

    def answered_by(self, unit: str, docs: Iterable[str], tau: int) -> set[str]:
        """The enabled questions that some of the passages answer."""
        return {
            question
            for doc in docs
            for question, grade in self.grades[unit].get(doc, {}).items()
            if question in self.enabled.get(unit, set()) and grade is not None and grade >= tau
        }

    def answers(self, unit: str, doc: str) -> int:
        """How many answers there are of a passage on the enabled questions."""
        return len(self.readable(unit, doc)) + len(self.unreadable(unit, doc))

    def counts(self, unit: str) -> bool:
        """Whether some passage of a query has an answer on an enabled question."""
        return any(self.answers(unit, doc) for doc in self.grades[unit])

    def is_unreadable(self, unit: str) -> bool:
        """Whether a query has passages with answers, and none that can be read."""
        docs = self.grades[unit]
        return any(self.unreadable(unit, doc) for doc in docs) and not any(self.readable(unit, doc) for doc in docs)

    def readable(self, unit: str, doc: str) -> dict[str, int]:
        """The readable grades of a passage on the enabled questions."""
        return {
            question: grade
            for question, grade in self.grades[unit].get(doc, {}).items()
            if question in self.enabled.get(unit, set()) and grade is not None
        }

    def unreadable(self, unit: str, doc: str) -> set[str]:
        """The enabled questions on which a passage has a grade that can't be read."""
        return self.grades[unit].get(doc, {}).keys() & self.enabled.get(unit, set()) - self.readable(unit, doc).keys()

    def label(self, unit: str, doc: str) -> int | None:
        """The N-th best readable grade over the enabled questions, mapped."""
        return nth_label(
            self.readable(unit, doc).values(), self.choice.labelling.label_rank, self.choice.labelling.label_map
        )

    @cached_property
    def largest(self) -> int:
        """The largest label of any passage."""
        return max((self.label(unit, doc) or 0 for unit, docs in self.grades.items() for doc in docs), default=0)

    @cache  # noqa: B019 - a twin lives as long as its test
    def pool(self, unit: str, ranked_only: bool) -> tuple[dict[str, dict[str, int]], dict[str, int]]:
        """The passages of a query that count beside the ranked ones: their grades, and their labels."""
        docs = list(self.grades[unit])
        if ranked_only:
            ranked = {doc for run in self.runs for doc in self.first(run, unit)}
            docs = [doc for doc in docs if doc in ranked]
        labels = {doc: self.label(unit, doc) for doc in self.grades[unit]}
        grades = {doc: self.readable(unit, doc) for doc in docs}
        return grades, {doc: label for doc, label in labels.items() if label is not None}

    def of_run(self, run: str, tau: int) -> list[float]:
        """The measure of a run on each query; NaN where it is undefined."""
        measure = self.choice.measure
        depth = measure.depth if self.choice.labelling.order == "rank" and measure.name in RANKS_COUNT else None
        cases = []
        for unit in self.units:
            grades, labels = self.pool(unit, self.choice.pool == "ranked" and measure.info.of == "questions")
            case = Case(
                ranking=self.up_to_rank(run, unit, depth) if depth else self.first(run, unit),
                grades=grades,
                labels=labels,
                questions=self.enabled.get(unit, set()) if self.counts(unit) else set(),
                tau=tau,
                top=max(self.largest, 4 if self.choice.grading.is_direct else 5),
                weights=self.weights.get(unit, {}),
                unreadable={doc: self.unreadable(unit, doc) for doc in grades},
            )
            cases.append(case)
        return values_of_run(replace(measure, depth=None) if depth else measure, cases)

    def values(self, tau: int) -> list[list[float]]:
        """By run and query; NaN where undefined."""
        return [self.of_run(run, tau) for run in self.runs]

    def means(self, tau: int) -> dict[str, tuple[float, float, int]]:
        """Mean, standard error and n of each run."""
        actual = {}
        for run in self.runs:
            kept = [
                value
                for unit, value in zip(self.units, self.of_run(run, tau), strict=True)
                if not math.isnan(value) and (self.choice.missing == "zero" or self.first(run, unit))
            ]
            actual[run] = (*mean_and_error(kept), len(kept))
        return actual

    def overall(self, tau: int) -> tuple[float, float]:
        """Cover of everything graded, with its standard error."""
        shares = [
            len(self.answered_by(unit, self.grades[unit], tau)) / len(self.enabled[unit])
            for unit in self.units
            if self.counts(unit) and not self.is_unreadable(unit)
        ]
        return mean_and_error(shares)

    def read_pairs(self, answers: int | None) -> int:
        """Distinct passages of a query that are read, without an answer (0), or with some and none readable (None)."""
        return sum(
            (self.answers(*pair) == 0) if answers == 0 else (self.answers(*pair) > 0 and not self.readable(*pair))
            for pair in self._read()
        )

    def answers_read(self) -> tuple[int, int]:
        """How many answers the passages that are read have and can't be read, and how many they have."""
        every = sum(self.answers(*pair) for pair in self._read())
        return every - sum(len(self.readable(*pair)) for pair in self._read()), every

    def _read(self) -> set[tuple[str, str]]:
        return {(unit, doc) for run in self.runs for unit in self.units for doc in self.first(run, unit)}

    def slots_missing(self) -> int:
        """Places within depth that the source files left out."""
        depth, total = self.choice.labelling.depth or math.inf, 0
        for run in self.runs:
            # A run's places count from its smallest rank, 0 or 1.
            start = min([1, *(row.source_rank for row in self.rankings if row.run_id == run)])
            for unit in self.units:
                rows = [row for row in self.rankings if row.run_id == run and row.query_id == unit]
                places = {row.source_rank - start + 1 for row in rows}
                last = max(places, default=0)
                if any(row.cut for row in rows) and self.choice.labelling.depth:
                    last = self.choice.labelling.depth
                total += sum(place <= depth and place not in places for place in range(1, last + 1))
        return total

    def graded_matrix(self, judgments: pd.DataFrame) -> Counter[tuple[int, int]]:
        """Number of passages by (label, relevance) that have both."""
        rows = list(judgments.itertuples())
        of_pages = {(unit, row.doc_id): row.relevance for row in rows for unit in self.facets.get(row.query_id, [])}
        relevance = of_pages | {(row.query_id, row.doc_id): row.relevance for row in rows}
        actual: Counter[tuple[int, int]] = Counter()
        for unit, doc in relevance:
            if doc in self.grades.get(unit, {}):
                label = self.label(unit, doc)
                if label is not None:
                    actual[label, relevance[unit, doc]] += 1
        return actual


def as_float32(score: float) -> float:
    """What a 32-bit float keeps of a score."""
    (kept,) = struct.unpack("f", struct.pack("f", score))
    return float(kept)


def mean_and_error(values: list[float]) -> tuple[float, float]:
    """Mean and standard error; NaN where there are too few values."""
    n = len(values)
    if n == 0:
        return math.nan, math.nan
    mean = math.fsum(values) / n
    if n == 1:
        return mean, math.nan
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1)
    return mean, math.sqrt(variance / n)


def agreement_of(snapshot: Snapshot, choice: Evaluation, **options: Any) -> Agreement:
    """The agreement of an evaluation's labels at its tau."""
    return agreement(snapshot, choice.labelling, tau=choice.tau, **options)
