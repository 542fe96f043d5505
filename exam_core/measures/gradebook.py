"""The gradebook: one evaluation's grades and rankings as arrays, read once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from exam_core.tables import UNGRADED

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

HOLE, NOTHING = -1, -2
"""In `slots`: a passage that was never graded, and a place where the run returned nothing."""


@dataclass(frozen=True)
class Gradebook:
    """Grades of pairs x questions and rankings of runs x queries x places.

    Parameters
    ----------
    run_ids, query_ids : names of R runs and Q queries
    question_ids : for each query, the names of its questions, in column order; empty for labels
    docs : (P,) doc_id of each pair; a pair is a passage under a query
    pair_query : (P,) index of the pair's query, ascending
    grades : (P, S) int16; S is the largest number of questions of a query
    enabled : (Q, S) which columns hold a question that counts
    slots : (R, Q, K) index of the pair at a place of a ranking, or HOLE or NOTHING
    missing : (R, Q) places within depth that the source file left out
    ungraded_pairs : distinct passages of a query within depth that were never graded
    ungraded_queries : queries of the bank or the collection of which nothing was graded; not among the Q
    depth : K as asked for; None if rankings are uncut
    """

    run_ids: list[str]
    query_ids: list[str]
    question_ids: list[list[str]]
    docs: npt.NDArray[np.object_]
    pair_query: Ints
    grades: npt.NDArray[np.int16]
    enabled: Bools
    slots: npt.NDArray[np.int32]
    missing: Ints
    ungraded_pairs: int
    ungraded_queries: list[str]
    depth: int | None

    @property
    def has_questions(self) -> bool:
        """False for labels that a grader gave to whole passages."""
        return bool(self.question_ids)

    @cached_property
    def pair_starts(self) -> Ints:
        """(Q,) index of each query's first pair; every query has one."""
        return np.flatnonzero(np.r_[True, self.pair_query[1:] != self.pair_query[:-1]])

    @cached_property
    def returned(self) -> Bools:
        """(R, Q) whether the run returned anything within depth."""
        found: Bools = (self.slots != NOTHING).any(axis=2)
        return found

    def labels(self, label_rank: int = 1) -> npt.NDArray[np.int16]:
        """(P,) each passage's label: its N-th best grade over the enabled questions.

        Label rank 1 is the best grade (EXAM, eq. 3; EXAM++, eq. 2); label rank 2 asks that two
        questions reach a grade. UNGRADED where the query has fewer questions than that.
        """
        if label_rank > self.grades.shape[1]:
            return np.full(len(self.grades), UNGRADED, np.int16)
        counted = np.where(self.enabled[self.pair_query], self.grades, np.int16(UNGRADED))
        if label_rank == 1:
            best: npt.NDArray[np.int16] = counted.max(axis=1)
            return best
        place = counted.shape[1] - label_rank
        nth: npt.NDArray[np.int16] = np.partition(counted, place, axis=1)[:, place]
        return nth

    def ranked_only(self) -> Gradebook:
        """The same gradebook with the grades of passages that no run ranks within depth left out."""
        ranked = np.zeros(len(self.grades), bool)
        ranked[self.slots[self.slots >= 0]] = True
        return replace(self, grades=np.where(ranked[:, None], self.grades, np.int16(UNGRADED)))

    def without(self, switched_off: set[str]) -> Gradebook:
        """The same gradebook with some questions switched off; nothing is read again."""
        enabled = self.enabled.copy()
        for query, names in enumerate(self.question_ids):
            for slot, name in enumerate(names):
                enabled[query, slot] &= name not in switched_off
        return replace(self, enabled=enabled)
