"""What can be reviewed: the passages of the runs' lists, their grades, or the questions; and where graders disagree."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from exam_core.analysis.evaluation.books import gradebook, pair_labels
from exam_core.analysis.evaluation.choice import Evaluation, Grading, LabelRule
from exam_core.analysis.evaluation.grade_scales import scale_of
from exam_core.asked import RELEVANT_FROM
from exam_core.errors import UsageError
from exam_core.measures.gradebook import Gradebook
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.store import Snapshot
from exam_core.store.pairs import NAMED
from exam_core.store.snapshot_cache import kept
from exam_core.store.summary import graded_banks
from exam_core.tables import OFFICIAL
from exam_core.wings.reviews.review import Task
from exam_core.wording import counted, texts_come

MOST_GRADERS = 12
"""Graders that are looked at for disagreement, the first by name."""
FLOOR = 0.1
"""What an item counts on which nobody disagrees: each must be able to come, or no figure would be without bias."""


@dataclass(frozen=True, eq=False)
class Population:
    """N items that reviews are about.

    Parameters
    ----------
    pairs : (N,) index of each item's pair in the gradebook; -1 for a question
    columns : (N,) index of its question among those of its query; -1 for the relevance of a passage
    queries : (N,) index of its query
    runs : (N,) how many runs hold the passage within depth; 1 for a question
    largest : where the scale of the grades ends
    """

    task: Task
    book: Gradebook
    pairs: Ints
    columns: Ints
    queries: Ints
    runs: Floats
    largest: int

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def stratum(self) -> str:
        """Which passages it has, for whoever reads a review."""
        if self.task == "question":
            return "questions"
        depth = self.book.depth
        return f"{'all' if depth is None else f'first {depth}'} of {counted({'runs': len(self.book.run_ids)})}"

    def named(self, at: int) -> tuple[str, str | None, str | None]:
        """Query_id, doc_id and question_id of an item."""
        query, pair, column = int(self.queries[at]), int(self.pairs[at]), int(self.columns[at])
        doc_id = str(self.book.docs[pair]) if pair >= 0 else None
        return self.book.query_ids[query], doc_id, self.book.question_ids[query][column] if column >= 0 else None


def population(snapshot: Snapshot, choice: Evaluation, task: Task) -> Population:
    """What can be reviewed of a choice's lists, down to its depth.

    Passages without a text are left out: nobody can read them. Raises UsageError where there is nothing to review.
    """
    book = gradebook(snapshot, choice.labelling)
    if task != "relevance" and not book.has_questions:
        raise UsageError(f"{choice.grading.grader} labels whole passages: only their relevance can be reviewed.")
    grader = choice.grading.grader
    largest = scale_of(snapshot, grader) if grader else int(book.grades.max(initial=1))
    if task == "question":
        queries, columns = np.nonzero(book.enabled)
        found = Population(task, book, np.full(len(queries), -1), columns, queries, np.ones(len(queries)), largest)
    else:
        found = _passages(snapshot, book, task, largest)
    if not len(found):
        raise UsageError(
            f"{snapshot.collection} has nothing to review: no run holds a graded or judged passage with a text.\n"
            f"{texts_come(snapshot.collection)}"
        )
    return found


def _passages(snapshot: Snapshot, book: Gradebook, task: Task, largest: int) -> Population:
    runs = book.held_by.astype(float)
    pairs = np.flatnonzero((runs > 0) & readable(snapshot, book))
    if task == "relevance":
        columns, queries = np.full(len(pairs), -1), book.pair_query[pairs].astype(int)
        return Population(task, book, pairs, columns, queries, runs[pairs], largest)
    asked = book.enabled[book.pair_query[pairs]] & (book.grades[pairs] >= 0)
    at, columns = np.nonzero(asked)
    queries = book.pair_query[pairs[at]].astype(int)
    return Population(task, book, pairs[at], columns, queries, runs[pairs[at]], largest)


@kept(8)
def _texts(snapshot: Snapshot) -> frozenset[str]:
    """The named passages that have no text."""
    found = snapshot.query(
        f"SELECT DISTINCT doc_id FROM ({NAMED}) LEFT JOIN passages USING (doc_id) WHERE coalesce(passage_text, '') = ''"
    )
    return frozenset(found["doc_id"])


def readable(snapshot: Snapshot, book: Gradebook) -> Bools:
    """(P,) which passages have a text: nobody can review the others."""
    silent = _texts(snapshot)
    if not silent:
        return np.ones(len(book.grades), bool)
    return np.array([str(doc_id) not in silent for doc_id in book.docs], bool)


def disagreement(
    snapshot: Snapshot, choice: Evaluation, found: Population, relevant_from: int = RELEVANT_FROM
) -> Floats:
    """(N,) how much graders and judges differ on each item, from `FLOOR` to 1.

    Each says yes or no: a grader by tau, the judgments `official` by theirs. It is 4 p (1 - p) of the share p that says
    yes. Questions have no judges, so theirs is over the passages: how evenly they part them. Raises UsageError where
    there is one grader alone and no judgment: nobody to disagree.
    """
    book = found.book
    if found.task == "question":
        asked = (book.grades >= choice.tau).astype(float)
        share = np.array([asked[book.pair_query == query].mean(axis=0) for query in range(len(book.query_ids))])
        return _spread(share[found.queries, found.columns])
    votes = np.stack(list(_votes(snapshot, choice, found, relevant_from)))
    if len(votes) < 2:
        raise UsageError(
            "There is one grader and no judgment, so nobody disagrees. Draw by gain, by runs or uniformly instead."
        )
    known = ~np.isnan(votes)
    said = np.nansum(votes, axis=0) / np.maximum(known.sum(axis=0), 1)
    return _spread(said)


def _spread(share: Floats) -> Floats:
    return np.maximum(4 * share * (1 - share), FLOOR)


def _votes(snapshot: Snapshot, choice: Evaluation, found: Population, relevant_from: int) -> Any:
    """(N,) yes (1), no (0) or nothing (NaN) of each grader and of the judges."""
    mine = choice.grading
    for grader, banks in list(graded_banks(snapshot).items())[:MOST_GRADERS]:
        if found.task == "grade" and mine.bank_id not in banks:
            continue
        bank = mine.bank if mine.bank_id in banks else None
        if grader != mine.grader and bank is None and banks != [None]:
            continue
        labelling = replace(choice.labelling, grading=Grading(grader, bank), label_rank=1)
        yield _vote(snapshot, labelling, choice.tau if bank else 1, found)
    if found.task == "relevance":
        yield from _judged(snapshot, found, relevant_from)


def _vote(snapshot: Snapshot, labelling: LabelRule, tau: int, found: Population) -> Floats:
    book = gradebook(snapshot, labelling)
    values = pair_labels(snapshot, labelling).astype(int)
    pairs = found.pairs
    if book is not found.book:
        keys = list(keys_of(found.book))
        place = places(book, {keys[pair] for pair in pairs})
        pairs = np.array([place.get(keys[pair], -1) for pair in pairs], int)
    if found.task == "grade":
        same = book.question_ids == found.book.question_ids
        at = found.columns if same else np.full(len(pairs), -1)
        values = np.where(at >= 0, book.grades[pairs, at], -1)
    else:
        values = values[pairs]
    return np.where((pairs >= 0) & (values >= 0), values >= tau, np.nan)


def _judged(snapshot: Snapshot, found: Population, cut: int) -> Any:
    """The judgments `official`, where there are some."""
    rows = snapshot.query("SELECT query_id, doc_id, relevance FROM judgments WHERE qrels_id = ?", [OFFICIAL])
    if not len(rows):
        return
    said = dict(zip(zip(rows["query_id"], rows["doc_id"], strict=True), rows["relevance"], strict=True))
    keys = list(keys_of(found.book))
    values = [said.get(keys[pair]) for pair in found.pairs]
    yield np.array([np.nan if value is None else float(value >= cut) for value in values])


def keys_of(book: Gradebook) -> Iterator[tuple[str, str]]:
    """Query and passage of each pair."""
    return zip((book.query_ids[query] for query in book.pair_query), book.docs.to_pylist(), strict=True)


def places(book: Gradebook, wanted: Set[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """Index of the pair of each query and passage that is wanted and there."""
    number = {name: at for at, name in enumerate(book.query_ids)}
    ends = np.r_[book.pair_starts[1:], len(book.pair_query)]
    found: dict[tuple[str, str], int] = {}
    for query in {query for query, _ in wanted} & number.keys():
        begin, end = int(book.pair_starts[number[query]]), int(ends[number[query]])
        docs = enumerate(book.docs[begin:end].to_pylist(), begin)
        found |= {(query, doc): pair for pair, doc in docs if (query, doc) in wanted}
    return found
