"""The gradebook: one evaluation's grades and rankings as arrays, read once."""

from __future__ import annotations

import mmap
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from exam_core.measures.bit_words import Words, pack
from exam_core.numbers.arrays import Bools, Floats, Ints, slices
from exam_core.tables import AVOID, UNGRADED, UNREADABLE, VITAL

Labels = npt.NDArray[np.int8]
Ids = Any
"""Texts that can be indexed by an array of numbers: a pyarrow array, which holds millions of them."""

LAST = np.iinfo(np.int64).max
"""In `of_bank`: a question that the bank does not have yet."""
HOLE, NOTHING = -1, -2
"""In `slots`: a passage that was never graded, and a place where the run returned nothing."""


class Counting(NamedTuple):
    """How a question of a query counts: importance is VITAL, OKAY, OTHER or AVOID."""

    query_id: str
    question_id: str
    enabled: bool
    weight: float
    importance: int


@dataclass(frozen=True)
class Gradebook:
    """Grades of pairs x questions and rankings of places x runs x queries.

    Parameters
    ----------
    run_ids, query_ids : names of R runs and Q queries
    question_ids : for each query, the names of its questions, in column order; empty for labels
    docs : (P,) doc_id of each pair; a pair is a passage under a query; ascending within a query
    pair_query : (P,) index of the pair's query, ascending
    grades : (P, S) int8; S is the largest number of questions of a query
    enabled : (Q, S) which columns hold a question that counts; none that is to be avoided, which move to `avoided`
    weights : (Q, S) what each question weighs; for question-weighted Cover only
    slots : (K, R, Q) index of the pair at a place of a ranking, or HOLE or NOTHING
    missing : (R, Q) places within depth that the source file left out
    ungraded_pairs : distinct passages of a query within depth that were never graded
    ungraded_queries : queries of the bank or the collection of which nothing was graded; not among the Q
    depth : K as asked for; None if rankings are uncut
    importance : (Q, S) VITAL, OKAY, OTHER or AVOID; for nugget scores only. None where all questions are vital
    avoided : (Q, S) which columns hold a question to avoid that is switched on; for rubrics only. None where none does
    of_bank : (Q, S) where each question stands in its bank; for lists only. None where columns are in the bank's order
    decimals : (P, S) grades with their decimals, UNGRADED and UNREADABLE as in `grades`; for gains only. None where
        grades are whole, or a measure looks at whole ones
    """

    run_ids: list[str]
    query_ids: list[str]
    question_ids: Sequence[list[str]]
    docs: Ids
    pair_query: npt.NDArray[np.int32]
    grades: Labels
    enabled: Bools
    weights: Floats
    slots: npt.NDArray[np.int32]
    missing: Ints
    ungraded_pairs: int
    ungraded_queries: list[str]
    depth: int | None
    importance: Labels | None = None
    avoided: Bools | None = None
    of_bank: Ints | None = None
    decimals: Floats | None = None

    def __post_init__(self) -> None:
        """Take questions to avoid out of those that count, so that no measure can gain by them."""
        if self.importance is not None and (avoided := self.enabled & (self.importance == AVOID)).any():
            known = avoided if self.avoided is None else self.avoided | avoided
            object.__setattr__(self, "avoided", known)
            object.__setattr__(self, "enabled", self.enabled & ~avoided)

    @property
    def has_questions(self) -> bool:
        """False for labels that a grader gave to whole passages."""
        return len(self.question_ids) > 0

    @cached_property
    def asked(self) -> Ints:
        """(N, 2) query and column of the enabled questions of queries that count, by query in the bank's order."""
        enabled = self.enabled & self.counted[:, None]
        counts: Ints = np.argwhere(enabled)
        if self.of_bank is None:
            return counts
        return counts[np.lexsort((self.of_bank[enabled], counts[:, 0]))]

    def columns(self, query: int) -> Ints:
        """Columns of a query's enabled questions, in the bank's order; none where the query does not count."""
        return self.asked[self.asked[:, 0] == query, 1]

    @cached_property
    def words(self) -> Words:
        """The grades as bit words."""
        return pack(self.grades)

    @cached_property
    def asked_words(self) -> Words:
        """Which questions each passage has a grade on, readable or not: 1 where it has, as bit words."""
        return pack((self.grades != UNGRADED).astype(np.int8))

    @cached_property
    def graded_questions(self) -> Bools:
        """(Q, S) the questions, enabled or not, on which some passage of the query has a grade, readable or not."""
        graded = np.zeros_like(self.enabled)
        for part in slices(len(self.grades)):
            query = self.pair_query[part]
            starts = np.flatnonzero(np.r_[True, query[1:] != query[:-1]])
            graded[query[starts]] |= np.logical_or.reduceat(self.grades[part] != UNGRADED, starts, axis=0)
        return graded

    @property
    def counted(self) -> Bools:
        """(Q,) the queries that count: those with a grade, readable or not, on an enabled question.

        The one rule of which queries have grades: what was graded on questions that are switched off, or that are to
        be avoided, is as if it were not there.
        """
        return np.asarray((self.enabled & self.graded_questions).any(axis=1))

    @cached_property
    def pair_starts(self) -> Ints:
        """(Q,) index of each query's first pair; every query has one."""
        return np.flatnonzero(np.r_[True, self.pair_query[1:] != self.pair_query[:-1]])

    @cached_property
    def held_by(self) -> Ints:
        """(P,) how many runs hold each pair within depth; no run ranks one twice."""
        return np.bincount(self.slots[self.slots >= 0], minlength=len(self.grades))

    def by_query(self, cells: Bools) -> Ints:
        """(Q, ...) how many pairs of each query, of (P, ...) flags."""
        return np.add.reduceat(cells, self.pair_starts, axis=0, dtype=np.int64)

    def queries_of(self, pairs: Any) -> npt.NDArray[np.object_]:
        """query_id of each pair of some (P,) places or flags."""
        return np.asarray(self.query_ids, object)[self.pair_query[pairs]]

    @cached_property
    def returned(self) -> Ints:
        """(R, Q) how many passages the run returned within depth."""
        counts = np.zeros(self.slots.shape[1:], np.int64)
        for slots in self.slots:
            counts += slots != NOTHING
        return counts

    @cached_property
    def answerable(self) -> npt.NDArray[np.uint64]:
        """(W, Q) words of the questions, enabled or not, that some graded passage of the query answers."""
        return self.together(self.words)

    def together(self, words: Words) -> npt.NDArray[np.uint64]:
        """(W, Q) words of all graded passages of each query."""
        return np.bitwise_or.reduceat(words.bits[:, :-2], self.pair_starts, axis=1)

    @cached_property
    def has_unreadable(self) -> bool:
        """Whether some answer can't be read, be its question enabled or not."""
        return any(UNREADABLE in self.grades[part] for part in slices(len(self.grades)))

    @cached_property
    def best(self) -> Labels:
        """(P,) each passage's best grade over the enabled questions: its label of label rank 1, read-only.

        UNGRADED where it has no answer on them, UNREADABLE where it has some and none can be read.
        """
        best = self._nth_best(1)
        best.flags.writeable = False
        return best

    @cached_property
    def labellings(self) -> dict[Any, Any]:
        """Labels that were asked for, kept by `marks.labelling`."""
        return {}

    def important(self, importance: int) -> Bools:
        """(Q, S) the enabled questions of an importance."""
        if self.importance is None:
            return self.enabled if importance == VITAL else np.zeros_like(self.enabled)
        return self.enabled & (self.importance == importance)

    def labels(self, label_rank: int = 1) -> Labels:
        """(P,) each passage's label: its N-th best grade over the enabled questions.

        Label rank 1 is the best grade (EXAM, eq. 3; EXAM++, eq. 2); label rank 2 asks that two
        questions reach a grade. UNGRADED where the query has fewer questions than that.
        """
        return self.best if label_rank == 1 else self._nth_best(label_rank)

    def _nth_best(self, label_rank: int) -> Labels:
        if label_rank > self.grades.shape[1]:
            return np.full(len(self.grades), UNGRADED, np.int8)
        if self.grades.shape[1] == 1:
            return np.where(self.enabled[self.pair_query, 0], self.grades[:, 0], np.int8(UNGRADED))
        # By bit words where the label is 0 or more; the few others are looked up grade by grade.
        enabled = self.words.columns(self.enabled)
        labels = np.full(len(self.grades), -1, np.int8)
        for part in slices(len(labels)):
            bits, columns = self.words.bits[:, part], enabled[:, self.pair_query[part]]
            for level in range(self.words.levels):
                labels[part] += self.words.count(bits, level, columns) >= label_rank
        others = np.flatnonzero(labels < 0)
        counted = np.where(self.enabled[self.pair_query[others]], self.grades[others], np.int8(UNGRADED))
        place = counted.shape[1] - label_rank
        labels[others] = np.partition(counted, place, axis=1)[:, place]
        return labels

    def decimal_labels(self, label_rank: int = 1) -> Floats:
        """(P,) `labels` with their decimals."""
        if self.decimals is None or label_rank > self.grades.shape[1]:
            return self.labels(label_rank).astype(float)
        labels = np.empty(len(self.grades))
        for part in slices(len(labels)):
            counted = np.where(self.enabled[self.pair_query[part]], self.decimals[part], UNGRADED)
            place = counted.shape[1] - label_rank
            labels[part] = np.partition(counted, place, axis=1)[:, place]
        return labels

    def ranked_only(self) -> Gradebook:
        """The same gradebook with the grades of passages that no run ranks within depth left out.

        Its queries count as they did: they were graded.
        """
        ranked = np.zeros(len(self.grades), bool)
        ranked[self.slots[self.slots >= 0]] = True
        decimals = None if self.decimals is None else np.where(ranked[:, None], self.decimals, UNGRADED)
        book = replace(self, grades=np.where(ranked[:, None], self.grades, np.int8(UNGRADED)), decimals=decimals)
        vars(book)["graded_questions"] = self.graded_questions
        return book

    def condensed(self, stays: Bools) -> Gradebook:
        """The same gradebook with some passages taken out of the rankings: (P,) those that stay move up.

        Source: Sakai 2007 (condensed lists); trec_eval -J.
        """
        staying = np.r_[stays, False, False][self.slots]
        order = np.argsort(~staying, axis=0, kind="stable")
        slots = np.take_along_axis(np.where(staying, self.slots, NOTHING), order, axis=0)
        return self._asking(slots=slots.astype(np.int32))

    @property
    def answering(self) -> Bools:
        """(R, Q) queries that count, and for which a run returned something."""
        return (self.returned > 0) & self.counted

    def without_strangers(self) -> Gradebook:
        """The same gradebook without the runs that returned nothing for any of its queries."""
        return self.of_runs(np.asarray(self.answering.any(axis=1)))

    def of_runs(self, stays: Bools) -> Gradebook:
        """The same gradebook with some of its runs: (R,) those that stay."""
        if stays.all():
            return self
        runs = np.flatnonzero(stays)
        together = len(runs) and runs[-1] - runs[0] + 1 == len(runs)
        place = slice(runs[0], runs[-1] + 1) if together else runs  # a slice needs no copy
        names = [self.run_ids[run] for run in runs]
        return self._changed(["best"], run_ids=names, slots=self.slots[:, place], missing=self.missing[place])

    def pairs_of(self, queries: slice) -> slice:
        """The pairs of some queries, one after the other."""
        places = range(len(self.query_ids))[queries]
        return slice(*np.searchsorted(self.pair_query, np.array([places.start, places.stop], np.int32)).tolist())

    def of_queries(self, stays: slice, runs: slice = slice(None)) -> Gradebook:
        """The same gradebook with some of its queries, one after the other: those that stay, at least one; of runs."""
        pairs, start = self.pairs_of(stays), range(len(self.query_ids))[stays].start
        slots = self.slots[:, runs, stays]
        book = replace(
            self,
            run_ids=self.run_ids[runs],
            query_ids=self.query_ids[stays],
            question_ids=self.question_ids[stays],
            docs=self.docs[pairs],
            pair_query=self.pair_query[pairs] - np.int32(start),
            grades=self.grades[pairs],
            enabled=self.enabled[stays],
            weights=self.weights[stays],
            slots=np.where(slots < 0, slots, slots - np.int32(pairs.start)),
            missing=self.missing[runs, stays],
            importance=None if self.importance is None else self.importance[stays],
            avoided=None if self.avoided is None else self.avoided[stays],
            of_bank=None if self.of_bank is None else self.of_bank[stays],
            decimals=None if self.decimals is None else self.decimals[pairs],
        )
        if "words" in vars(self):
            vars(book)["words"] = self.words.of_pairs(pairs)
        return book

    def let_go(self) -> None:
        """Give the memory of a gradebook in a file back to the system: what is needed later is read again."""
        base: Any = self.slots
        while isinstance(base, np.ndarray):
            base = base.base
        if isinstance(base, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            base.madvise(mmap.MADV_DONTNEED)

    def without(self, switched_off: Collection[str]) -> Gradebook:
        """The same gradebook with some questions switched off; nothing is read again."""
        return self._staying(~self._columns(switched_off))

    def only(self, switched_on: Collection[str]) -> Gradebook:
        """The same gradebook with none but some of the enabled questions switched on."""
        return self._staying(self._columns(switched_on))

    def asked_only(self, groups: Mapping[str, Collection[str]]) -> Gradebook:
        """The same gradebook with only those enabled questions that a grading pass asks, of the queries named."""
        stays = np.ones_like(self.enabled)
        for query, (unit, names) in enumerate(zip(self.query_ids, self.question_ids, strict=True)):
            # A facet's questions are asked under its page.
            wanted = next((set(groups[page]) for page in (unit, unit.partition("/")[0]) if page in groups), None)
            if wanted is not None:
                stays[query, : len(names)] = [name in wanted for name in names]
        return self._staying(stays)

    def enabling(self, enabled: Bools) -> Gradebook:
        """The same gradebook with only these (Q, S) columns switched on."""
        return self._asking(enabled=enabled)

    def counting(self, changed: Iterable[Counting]) -> Gradebook:
        """The same gradebook with some questions counting otherwise; a facet's questions may be named by its page."""
        named = {(item.question_id, item.query_id): item for item in changed}
        wanted = {question_id for question_id, _ in named}
        enabled, weights = self.enabled.copy(), self.weights.copy()
        avoided = None if self.avoided is None else self.avoided.copy()
        importance = np.full_like(enabled, VITAL, np.int8) if self.importance is None else self.importance.copy()
        for query, (unit, names) in enumerate(zip(self.query_ids, self.question_ids, strict=True)):
            for slot in [slot for slot, name in enumerate(names) if name in wanted]:
                pages = (unit, unit.rpartition("/")[0])
                if count := next((named[names[slot], page] for page in pages if (names[slot], page) in named), None):
                    enabled[query, slot], weights[query, slot] = count.enabled, count.weight
                    importance[query, slot] = count.importance
                    if avoided is not None:
                        avoided[query, slot] = False
        importances = None if (importance == VITAL).all() else importance
        return self._asking(enabled=enabled, weights=weights, importance=importances, avoided=avoided)

    def asking_more(self, added: Iterable[Counting]) -> Gradebook:
        """The same gradebook with questions that nobody has graded, each of one query.

        Those of queries that the gradebook does not have are left out.
        """
        places = {unit: query for query, unit in enumerate(self.query_ids)}
        names = [list(listed) for listed in self.question_ids]
        new = [(places[count.query_id], count) for count in added if count.query_id in places]
        for query, counting in new:
            names[query].append(counting.question_id)
        width = max(map(len, names), default=0) - self.grades.shape[1]
        wider = [(0, 0), (0, max(width, 0))]
        enabled, weights = np.pad(self.enabled, wider), np.pad(self.weights, wider, constant_values=1)
        known = np.full_like(self.enabled, VITAL, np.int8) if self.importance is None else self.importance
        importance = np.pad(known, wider, constant_values=VITAL)
        for query, counting in new:
            slot = names[query].index(counting.question_id)
            enabled[query, slot], weights[query, slot] = counting.enabled, counting.weight
            importance[query, slot] = counting.importance
        return replace(
            self,
            question_ids=names,
            grades=np.pad(self.grades, wider, constant_values=UNGRADED),
            enabled=enabled,
            weights=weights,
            importance=None if (importance == VITAL).all() else importance,
            avoided=None if self.avoided is None else np.pad(self.avoided, wider),
            of_bank=None if self.of_bank is None else np.pad(self.of_bank, wider, constant_values=LAST),
            decimals=None if self.decimals is None else np.pad(self.decimals, wider, constant_values=UNGRADED),
        )

    def _columns(self, wanted: Collection[str]) -> Bools:
        """(Q, S) the columns whose question is among some."""
        columns, wanted = np.zeros_like(self.enabled), set(wanted)
        for query, names in enumerate(self.question_ids):
            columns[query, : len(names)] = [name in wanted for name in names]
        return columns

    def _staying(self, stays: Bools) -> Gradebook:
        """The same gradebook with the other (Q, S) columns switched off."""
        return self._asking(
            enabled=self.enabled & stays, avoided=None if self.avoided is None else self.avoided & stays
        )

    def _asking(self, **changed: Any) -> Gradebook:
        return self._changed([] if "slots" in changed else ["returned"], **changed)

    def _changed(self, names: list[str], **changed: Any) -> Gradebook:
        """The same gradebook changed; cached properties of the grades alone stay, and those that `names` adds."""
        book = replace(self, **changed)
        names = ["words", "asked_words", "graded_questions", "pair_starts", "answerable", "has_unreadable", *names]
        vars(book).update({name: vars(self)[name] for name in names if name in vars(self)})
        return book
