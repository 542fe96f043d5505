"""What can be reviewed, and how items are drawn: passages of runs' lists, their grades, questions, disagreements."""

from __future__ import annotations

import math
from collections.abc import Iterator, Set
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from exam_core.analysis.choice import Evaluation, Grading, LabelRule
from exam_core.analysis.choosing import choose
from exam_core.analysis.grade_scales import scale_of
from exam_core.analysis.values import gradebook, pair_labels, query_values
from exam_core.errors import UsageError
from exam_core.measures.gradebook import Gradebook
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.people import new_id, now
from exam_core.request import RELEVANT_FROM, Request
from exam_core.store import Snapshot
from exam_core.store.pairs import NAMED
from exam_core.store.snapshot import kept
from exam_core.store.summary import graded_banks
from exam_core.tables import OFFICIAL
from exam_core.wings.reviews.estimates import (
    LEAST_OPEN,
    Calibration,
    MeanParts,
    Sampled,
    calibrate,
    inclusion_probabilities,
    pivotal,
)
from exam_core.wings.reviews.queue import Draw, Item, Queue
from exam_core.wings.reviews.review import Sampler, Task
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
        result = Population(task, book, np.full(len(queries), -1), columns, queries, np.ones(len(queries)), largest)
    else:
        result = _passages(snapshot, book, task, largest)
    if not len(result):
        raise UsageError(
            f"{snapshot.collection} has nothing to review: no run holds a graded or judged passage with a text.\n"
            f"{texts_come(snapshot.collection)}"
        )
    return result


def _passages(snapshot: Snapshot, book: Gradebook, task: Task, largest: int) -> Population:
    runs = book.held_by.astype(float)
    pairs = np.flatnonzero((runs > 0) & readable(snapshot, book))
    if task == "relevance":
        columns, queries = np.full(len(pairs), -1), book.pair_query[pairs].astype(int)
        return Population(task, book, pairs, columns, queries, runs[pairs], largest)
    mask = book.enabled[book.pair_query[pairs]] & (book.grades[pairs] >= 0)
    at, columns = np.nonzero(mask)
    queries = book.pair_query[pairs[at]].astype(int)
    return Population(task, book, pairs[at], columns, queries, runs[pairs[at]], largest)


@kept(8)
def _texts(snapshot: Snapshot) -> frozenset[str]:
    """The named passages that have no text."""
    frame = snapshot.query(
        f"SELECT DISTINCT doc_id FROM ({NAMED}) LEFT JOIN passages USING (doc_id) WHERE coalesce(passage_text, '') = ''"
    )
    return frozenset(frame["doc_id"])


def readable(snapshot: Snapshot, book: Gradebook) -> Bools:
    """(P,) which passages have a text: nobody can review the others."""
    silent = _texts(snapshot)
    if not silent:
        return np.ones(len(book.grades), bool)
    return np.array([str(doc_id) not in silent for doc_id in book.docs], bool)


def disagreement(
    snapshot: Snapshot, choice: Evaluation, population: Population, relevant_from: int = RELEVANT_FROM
) -> Floats:
    """(N,) how much graders and judges differ on each item, from `FLOOR` to 1.

    Each says yes or no: a grader by tau, the judgments `official` by theirs. It is 4 p (1 - p) of the share p that says
    yes. Questions have no judges, so theirs is over the passages: how evenly they part them. Raises UsageError where
    there is one grader alone and no judgment: nobody to disagree.
    """
    book = population.book
    if population.task == "question":
        values = (book.grades >= choice.tau).astype(float)
        share = np.array([values[book.pair_query == query].mean(axis=0) for query in range(len(book.query_ids))])
        return _spread(share[population.queries, population.columns])
    votes = np.stack(list(_votes(snapshot, choice, population, relevant_from)))
    if len(votes) < 2:
        raise UsageError(
            "There is one grader and no judgment, so nobody disagrees. Draw by gain, by runs or uniformly instead."
        )
    known = ~np.isnan(votes)
    text = np.nansum(votes, axis=0) / np.maximum(known.sum(axis=0), 1)
    return _spread(text)


def _spread(share: Floats) -> Floats:
    return np.maximum(4 * share * (1 - share), FLOOR)


def _votes(snapshot: Snapshot, choice: Evaluation, population: Population, relevant_from: int) -> Any:
    """(N,) yes (1), no (0) or nothing (NaN) of each grader and of the judges."""
    mine = choice.grading
    for grader, banks in list(graded_banks(snapshot).items())[:MOST_GRADERS]:
        if population.task == "grade" and mine.bank_id not in banks:
            continue
        bank = mine.bank if mine.bank_id in banks else None
        if grader != mine.grader and bank is None and banks != [None]:
            continue
        labelling = replace(choice.labelling, grading=Grading(grader, bank), label_rank=1)
        yield _vote(snapshot, labelling, choice.tau if bank else 1, population)
    if population.task == "relevance":
        yield from _judged(snapshot, population, relevant_from)


def _vote(snapshot: Snapshot, labelling: LabelRule, tau: int, population: Population) -> Floats:
    book = gradebook(snapshot, labelling)
    values = pair_labels(snapshot, labelling).astype(int)
    pairs = population.pairs
    if book is not population.book:
        keys = list(keys_of(population.book))
        place = places(book, {keys[pair] for pair in pairs})
        pairs = np.array([place.get(keys[pair], -1) for pair in pairs], int)
    if population.task == "grade":
        same = book.question_ids == population.book.question_ids
        at = population.columns if same else np.full(len(pairs), -1)
        values = np.where(at >= 0, book.grades[pairs, at], -1)
    else:
        values = values[pairs]
    return np.where((pairs >= 0) & (values >= 0), values >= tau, np.nan)


def _judged(snapshot: Snapshot, population: Population, cut: int) -> Any:
    """The judgments `official`, where there are some."""
    rows = snapshot.query("SELECT query_id, doc_id, relevance FROM judgments WHERE qrels_id = ?", [OFFICIAL])
    if not len(rows):
        return
    fields = dict(zip(zip(rows["query_id"], rows["doc_id"], strict=True), rows["relevance"], strict=True))
    keys = list(keys_of(population.book))
    values = [fields.get(keys[pair]) for pair in population.pairs]
    yield np.array([np.nan if value is None else float(value >= cut) for value in values])


def keys_of(book: Gradebook) -> Iterator[tuple[str, str]]:
    """Query and passage of each pair."""
    return zip((book.query_ids[query] for query in book.pair_query), book.docs.to_pylist(), strict=True)


def places(book: Gradebook, wanted: Set[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """Index of the pair of each query and passage that is wanted and there."""
    number = {name: at for at, name in enumerate(book.query_ids)}
    ends = np.r_[book.pair_starts[1:], len(book.pair_query)]
    counts: dict[tuple[str, str], int] = {}
    for query in {query for query, _ in wanted} & number.keys():
        begin, end = int(book.pair_starts[number[query]]), int(ends[number[query]])
        docs = enumerate(book.docs[begin:end].to_pylist(), begin)
        counts |= {(query, doc): pair for pair, doc in docs if (query, doc) in wanted}
    return counts


LEAST_SURE = 0.3
"""The smallest standard deviation of an answer that is reckoned with: grades may be sure and wrong."""


def drawn(snapshot: Snapshot, request: Request, draw: Draw, author: str) -> Queue:
    """A queue of items of the runs' lists, in random order.

    Raises UsageError where there is nothing to review, or nobody who disagrees.
    """
    # Lists are read down to the depth; what is measured on them does not matter.
    choice = choose(snapshot, request.but(measure="P@1"))
    result = population(snapshot, choice, draw.task)
    # No run holds a question: all are alike, unless passages part them.
    by: Sampler = "uniform" if draw.task == "question" and draw.by != "disagreement" else draw.by
    probabilities = inclusion_probabilities(sizes(snapshot, choice, result, by, request.relevant_from), draw.n)
    rng = np.random.default_rng(draw.seed)
    sample = pivotal(probabilities, rng)
    shared = math.ceil(len(sample) * draw.shared / 100)
    items = []
    for place, at in enumerate(sample):
        query_id, doc_id, question_id = result.named(int(at))
        chance = min(float(probabilities[at]), 1.0)
        items.append(Item(query_id, doc_id, question_id, chance, result.stratum, place < shared))
    return Queue(
        queue_id=new_id(),
        created=now(),
        author=author,
        task=draw.task,
        sampler=by,
        seed=draw.seed,
        population=len(result),
        items=tuple(items),
        instruction=draw.instruction.strip(),
        evaluation={name: value for name, value in asdict(request).items() if name not in ("measure", "reference")},
    )


def sizes(
    snapshot: Snapshot, choice: Evaluation, population: Population, by: Sampler, relevant_from: int = RELEVANT_FROM
) -> Floats:
    """(N,) what probabilities are in proportion to.

    - uniform: all alike
    - runs: the square root of how many runs hold the passage. Its error counts in each of them, and the sum of the
      runs' variances is smallest by the root (Neyman 1934), not by the number
    - disagreement: see `disagreement`
    - gain: as runs, times how unsure an answer is by the grades

    Raises UsageError where nobody disagrees.
    """
    if by == "disagreement":
        return disagreement(snapshot, choice, population, relevant_from)
    if by == "uniform":
        return np.ones(len(population))
    spread = unsure(population) if by == "gain" else 1.0
    return np.sqrt(population.runs) * spread


def unsure(population: Population) -> Floats:
    """(N,) standard deviation of a yes or no as far as grades tell."""
    chance = chance_by_grades(population)
    return np.maximum(np.sqrt(chance * (1 - chance)), LEAST_SURE)


def chance_by_grades(population: Population) -> Floats:
    """(N,) an item's mean grade as a share of the scale: a first guess of how likely a human says yes."""
    book = population.book
    if population.task == "grade":
        grades = book.grades[population.pairs, population.columns][:, None].astype(float)
        values = np.ones_like(grades, bool)
    else:
        grades = book.grades[population.pairs].astype(float)
        values = book.enabled[population.queries] & (grades >= 0)
    mean = np.where(values, grades, 0).sum(axis=1) / np.maximum(values.sum(axis=1), 1)
    return np.minimum(mean / population.largest, 1.0)


@dataclass(frozen=True, eq=False)
class Lists:
    """The runs' first passages, ready to be corrected.

    Parameters
    ----------
    features : (P, F) of each pair, about 0 with a spread of about 1
    slots : (k, R, Q) the first passages; R are the runs that have a mean
    adds : (R, Q) what a relevant passage adds to a run's mean
    grader : (R,) the grader's means
    """

    book: Gradebook
    features: Floats
    slots: npt.NDArray[np.int32]
    adds: Floats
    grader: Floats

    def calibrated(self, sampled: Sampled) -> Calibration:
        """How likely a human finds each pair relevant, by what was answered."""
        return calibrate(self.features, self.book.pair_query.astype(int), sampled)

    def parts(self, items: Ints, predicted: Floats) -> MeanParts:
        """What items add to the runs' means."""
        runs = self.slots.shape[1]
        place = np.full(len(self.features) + 2, -1)
        names, back = np.unique(items, return_inverse=True)
        place[names] = np.arange(len(names))
        at = place[self.slots]
        _, run, query = arrays = np.nonzero(at >= 0)
        places = run * len(names) + at[arrays]
        answered = np.bincount(places, self.adds[run, query], runs * len(names)).astype(float)
        mask = self.slots >= 0
        values = np.r_[predicted, 0.0, 0.0][self.slots] * mask
        unsure = np.maximum(predicted * (1 - predicted), LEAST_OPEN)
        unsure[names] = 0
        return MeanParts(
            answered.reshape(runs, len(names))[:, back],
            np.einsum("krq,rq->r", values, self.adds),
            np.einsum("krq,rq->r", mask, self.adds),
            np.einsum("krq,rq->r", np.r_[unsure, 0.0, 0.0][self.slots], self.adds**2),
        )


@kept(8)
def lists_of(snapshot: Snapshot, choice: Evaluation) -> Lists:
    """The lists of a choice. Raises UsageError where the measure is no sum over passages, or no run has a mean."""
    info = choice.measure.info
    if choice.grading.judgments:
        raise UsageError("Human judgments are not grades that can be corrected. Leave out --judgments.")
    if info.adds is None or choice.measure.judged_only:
        raise UsageError(f"Reviews can't correct {choice.measure}: {_why_not(info.of, info.name)}")
    values = query_values(snapshot, choice)
    has_mean = np.asarray(~np.isnan(values).all(axis=1))
    book, values = gradebook(snapshot, choice.labelling).of_runs(has_mean), values[has_mean]
    if not book.run_ids:
        raise UsageError(f"{snapshot.collection} has no run with a mean of {choice.measure} that could be corrected.")
    counts = ~np.isnan(values)
    adds = info.adds(book, choice.measure.depth) * counts / counts.sum(axis=1, keepdims=True)
    return Lists(book, _features(book, choice), book.slots[: choice.measure.depth], adds, np.nanmean(values, axis=1))


def _why_not(of: str, name: str) -> str:
    if of == "questions":
        return (
            "one unseen passage can decide whether a question is covered, so a sample gives no unbiased estimate. Take "
            "P@20 or SetP."
        )
    if of == "labels":
        return f"{name} is not a sum over passages: what one adds depends on other passages. Take P@20 or SetP."
    return "it uses no labels. Take P@20 or SetP."


def _features(book: Gradebook, choice: Evaluation) -> Floats:
    """What an answer is predicted from: the label by tau, the passage's grades, and how many runs hold it."""
    mask = book.enabled[book.pair_query] & (book.grades >= 0)
    grades = np.where(mask, book.grades, 0).astype(float)
    ordered = np.sort(grades, axis=1)[:, ::-1]
    columns = [
        book.labels(choice.labelling.label_rank) >= choice.tau,
        grades.sum(axis=1) / np.maximum(mask.sum(axis=1), 1),
        ordered[:, 0],
        ordered[:, min(1, grades.shape[1] - 1)],
        (grades >= choice.tau).sum(axis=1),
        np.log1p(book.held_by),
    ]
    values = np.column_stack(columns).astype(float)
    spread = values.std(axis=0)
    return (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1)
