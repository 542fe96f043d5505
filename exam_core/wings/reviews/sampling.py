"""Items that can be reviewed (passages of runs' lists, their grades, questions), and how they are drawn."""

from __future__ import annotations

import math
from collections.abc import Iterator, Set
from dataclasses import asdict, dataclass, replace

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
from exam_core.store.snapshot import cached_by_snapshot
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
"""Graders whose disagreement counts, the first by name."""
FLOOR = 0.1
"""Size of an item without disagreement: each must have a chance, or every figure would be biased."""


@dataclass(frozen=True, eq=False)
class Population:
    """N items that can be reviewed.

    Parameters
    ----------
    pairs : (N,) index of each item's pair in the gradebook; -1 for a question
    columns : (N,) index of its question among those of its query; -1 for the relevance of a passage
    queries : (N,) index of its query
    runs : (N,) number of runs that hold the passage within depth; 1 for a question
    largest : end of the scale of the grades
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
        """The passages it has, in words for readers of a review."""
        if self.task == "question":
            return "questions"
        depth = self.book.depth
        return f"{'all' if depth is None else f'first {depth}'} of {counted({'runs': len(self.book.run_ids)})}"

    def ids(self, place: int) -> tuple[str, str | None, str | None]:
        """Return query_id, doc_id and question_id of an item."""
        query, pair, column = int(self.queries[place]), int(self.pairs[place]), int(self.columns[place])
        doc_id = str(self.book.docs[pair]) if pair >= 0 else None
        return self.book.query_ids[query], doc_id, self.book.question_ids[query][column] if column >= 0 else None


def population(snapshot: Snapshot, choice: Evaluation, task: Task) -> Population:
    """Return the items of a choice's lists, down to its depth, without passages that have no text to read.

    Raises UsageError where there are none.
    """
    book = gradebook(snapshot, choice.labelling)
    if task != "relevance" and not book.has_questions:
        raise UsageError(f"{choice.grading.grader} labels whole passages: only their relevance can be reviewed.")
    grader = choice.grading.grader
    largest = scale_of(snapshot, grader) if grader else int(book.grades.max(initial=1))
    if task == "question":
        queries, columns = np.nonzero(book.enabled)
        items = Population(task, book, np.full(len(queries), -1), columns, queries, np.ones(len(queries)), largest)
    else:
        runs = book.held_by.astype(float)
        pairs = np.flatnonzero((runs > 0) & readable(snapshot, book))
        columns = np.full(len(pairs), -1)
        if task == "grade":
            graded = book.enabled[book.pair_query[pairs]] & (book.grades[pairs] >= 0)
            rows, columns = np.nonzero(graded)
            pairs = pairs[rows]
        items = Population(task, book, pairs, columns, book.pair_query[pairs].astype(int), runs[pairs], largest)
    if not len(items):
        raise UsageError(
            f"{snapshot.collection} has nothing to review: no run holds a graded or judged passage with a text.\n"
            f"{texts_come(snapshot.collection)}"
        )
    return items


@cached_by_snapshot(8)
def _without_text(snapshot: Snapshot) -> frozenset[str]:
    """Return the named passages that have no text."""
    frame = snapshot.query(
        f"SELECT DISTINCT doc_id FROM ({NAMED}) LEFT JOIN passages USING (doc_id) WHERE coalesce(passage_text, '') = ''"
    )
    return frozenset(frame["doc_id"])


def readable(snapshot: Snapshot, book: Gradebook) -> Bools:
    """(P,) which passages have a text: the others can't be reviewed."""
    silent = _without_text(snapshot)
    if not silent:
        return np.ones(len(book.grades), bool)
    return np.array([str(doc_id) not in silent for doc_id in book.docs], bool)


def disagreement(
    snapshot: Snapshot, choice: Evaluation, population: Population, relevant_from: int = RELEVANT_FROM
) -> Floats:
    """(N,) how much graders and judges differ on each item, from `FLOOR` to 1.

    It is 4 p (1 - p) of the share p of votes that are yes: a grader votes by tau, the judgments `official` by their
    cut. Questions have no judges: p is over the passages, so it shows how evenly a question divides them.

    Raises UsageError where there is one grader alone and no judgment.
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
    return _spread(np.nansum(votes, axis=0) / np.maximum(known.sum(axis=0), 1))


def _spread(share: Floats) -> Floats:
    return np.maximum(4 * share * (1 - share), FLOOR)


def _votes(snapshot: Snapshot, choice: Evaluation, population: Population, relevant_from: int) -> Iterator[Floats]:
    """Yield (N,) yes (1), no (0) or nothing (NaN) of each grader and of the judgments `official`."""
    own = choice.grading
    for grader, banks in list(graded_banks(snapshot).items())[:MOST_GRADERS]:
        if population.task == "grade" and own.bank_id not in banks:
            continue
        bank = own.bank if own.bank_id in banks else None
        if grader != own.grader and bank is None and banks != [None]:
            continue
        labelling = replace(choice.labelling, grading=Grading(grader, bank), label_rank=1)
        yield _vote(snapshot, labelling, choice.tau if bank else 1, population)
    rows = snapshot.query("SELECT query_id, doc_id, relevance FROM judgments WHERE qrels_id = ?", [OFFICIAL])
    if population.task == "relevance" and len(rows):
        relevance = dict(zip(zip(rows["query_id"], rows["doc_id"], strict=True), rows["relevance"], strict=True))
        keys = list(keys_of(population.book))
        values = [relevance.get(keys[pair]) for pair in population.pairs]
        yield np.array([np.nan if value is None else float(value >= relevant_from) for value in values])


def _vote(snapshot: Snapshot, labelling: LabelRule, tau: float, population: Population) -> Floats:
    book = gradebook(snapshot, labelling)
    values = pair_labels(snapshot, labelling).astype(int)
    pairs = population.pairs
    if book is not population.book:
        keys = list(keys_of(population.book))
        place = places(book, {keys[pair] for pair in pairs})
        pairs = np.array([place.get(keys[pair], -1) for pair in pairs], int)
    if population.task == "grade":
        same = book.question_ids == population.book.question_ids
        columns = population.columns if same else np.full(len(pairs), -1)
        values = np.where(columns >= 0, book.grades[pairs, columns], -1)
    else:
        values = values[pairs]
    return np.where((pairs >= 0) & (values >= 0), values >= tau, np.nan)


def keys_of(book: Gradebook) -> Iterator[tuple[str, str]]:
    """Yield query and passage of each pair."""
    return zip((book.query_ids[query] for query in book.pair_query), book.docs.to_pylist(), strict=True)


def places(book: Gradebook, wanted: Set[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """Return the pair's index of each wanted query and passage that the gradebook has."""
    number = {name: place for place, name in enumerate(book.query_ids)}
    ends = np.r_[book.pair_starts[1:], len(book.pair_query)]
    pairs: dict[tuple[str, str], int] = {}
    for query in {query for query, _ in wanted} & number.keys():
        begin, end = int(book.pair_starts[number[query]]), int(ends[number[query]])
        docs = enumerate(book.docs[begin:end].to_pylist(), begin)
        pairs |= {(query, doc): pair for pair, doc in docs if (query, doc) in wanted}
    return pairs


LEAST_SURE = 0.3
"""The smallest standard deviation of an answer: grades may be sure and wrong."""


def draw_items(snapshot: Snapshot, request: Request, draw: Draw, author: str) -> Queue:
    """Return a queue of items of the runs' lists, in random order.

    Raises UsageError where there is nothing to review, or no grader or judge who disagrees.
    """
    # Lists are read down to the depth; what is measured on them does not matter.
    choice = choose(snapshot, request.but(measure="P@1"))
    items = population(snapshot, choice, draw.task)
    # No run holds a question: all are alike, unless passages divide them.
    by: Sampler = "uniform" if draw.task == "question" and draw.by != "disagreement" else draw.by
    probabilities = inclusion_probabilities(sizes(snapshot, choice, items, by, request.relevant_from), draw.n)
    sample = pivotal(probabilities, np.random.default_rng(draw.seed))
    shared = math.ceil(len(sample) * draw.shared / 100)
    chances = [min(float(probabilities[place]), 1.0) for place in sample]
    return Queue(
        queue_id=new_id(),
        created=now(),
        author=author,
        task=draw.task,
        sampler=by,
        seed=draw.seed,
        population=len(items),
        items=tuple(
            Item(*items.ids(int(place)), chance, items.stratum, number < shared)
            for number, (place, chance) in enumerate(zip(sample, chances, strict=True))
        ),
        instruction=draw.instruction.strip(),
        evaluation={name: value for name, value in asdict(request).items() if name not in ("measure", "reference")},
    )


def sizes(
    snapshot: Snapshot, choice: Evaluation, population: Population, by: Sampler, relevant_from: int = RELEVANT_FROM
) -> Floats:
    """(N,) sizes to which probabilities are proportional.

    - uniform: all alike
    - runs: the square root of the number of runs that hold the passage. Its error counts in each of them, and the sum
      of the runs' variances is smallest by the root (Neyman 1934), not by the number
    - disagreement: see `disagreement`
    - gain: as runs, times the standard deviation of an answer, as far as grades show it

    Raises UsageError where no grader or judge disagrees.
    """
    if by == "disagreement":
        return disagreement(snapshot, choice, population, relevant_from)
    if by == "uniform":
        return np.ones(len(population))
    if by == "runs":
        return np.sqrt(population.runs)
    # An item's mean grade as a share of the scale is a first guess of the chance of a yes.
    book = population.book
    if population.task == "grade":
        grades = book.grades[population.pairs, population.columns][:, None].astype(float)
        counts = np.ones_like(grades, bool)
    else:
        grades = book.grades[population.pairs].astype(float)
        counts = book.enabled[population.queries] & (grades >= 0)
    mean = np.where(counts, grades, 0).sum(axis=1) / np.maximum(counts.sum(axis=1), 1)
    chance = np.minimum(mean / population.largest, 1.0)
    return np.sqrt(population.runs) * np.maximum(np.sqrt(chance * (1 - chance)), LEAST_SURE)


@dataclass(frozen=True, eq=False)
class Lists:
    """The runs' first passages, with all that a correction needs, for the R runs that have a mean.

    `features` are (P, F) of each pair, about 0 with a spread of about 1; `slots` (k, R, Q) the first passages; `adds`
    (R, Q) the part of a relevant passage in a run's mean; `grader` (R,) the grader's means.
    """

    book: Gradebook
    features: Floats
    slots: npt.NDArray[np.int32]
    adds: Floats
    grader: Floats

    def calibrated(self, sampled: Sampled) -> Calibration:
        """Return the chance that a human judges each pair relevant, by the answers of a sample."""
        return calibrate(self.features, self.book.pair_query.astype(int), sampled)

    def parts(self, items: Ints, predicted: Floats) -> MeanParts:
        """Return the items' parts in the runs' means."""
        place = np.full(len(self.features) + 2, -1)
        names, back = np.unique(items, return_inverse=True)
        place[names] = np.arange(len(names))
        columns = place[self.slots]
        _, run, query = arrays = np.nonzero(columns >= 0)
        runs, cells = self.slots.shape[1], run * len(names) + columns[arrays]
        answered = np.bincount(cells, self.adds[run, query], runs * len(names)).astype(float)
        filled = self.slots >= 0
        values = np.r_[predicted, 0.0, 0.0][self.slots] * filled
        unsure = np.maximum(predicted * (1 - predicted), LEAST_OPEN)
        unsure[names] = 0
        return MeanParts(
            answered.reshape(runs, len(names))[:, back],
            np.einsum("krq,rq->r", values, self.adds),
            np.einsum("krq,rq->r", filled, self.adds),
            np.einsum("krq,rq->r", np.r_[unsure, 0.0, 0.0][self.slots], self.adds**2),
        )


@cached_by_snapshot(8)
def lists_of(snapshot: Snapshot, choice: Evaluation) -> Lists:
    """Return the lists of a choice; UsageError where the measure is no sum over passages, or no run has a mean."""
    info = choice.measure.info
    if choice.grading.judgments:
        raise UsageError("Human judgments are not grades that can be corrected. Leave out --judgments.")
    if info.adds is None or choice.measure.judged_only:
        reason = "it uses no labels. Take P@20 or SetP."
        if info.of == "questions":
            reason = (
                "one unseen passage can decide whether a question is covered, so a sample gives no unbiased estimate. "
                "Take P@20 or SetP."
            )
        elif info.of == "labels":
            reason = (
                f"{info.name} is not a sum over passages: what one adds depends on other passages. Take P@20 or SetP."
            )
        raise UsageError(f"Reviews can't correct {choice.measure}: {reason}")
    values = query_values(snapshot, choice)
    has_mean = np.asarray(~np.isnan(values).all(axis=1))
    book, values = gradebook(snapshot, choice.labelling).of_runs(has_mean), values[has_mean]
    if not book.run_ids:
        raise UsageError(f"{snapshot.collection} has no run with a mean of {choice.measure} that could be corrected.")
    counts = ~np.isnan(values)
    adds = info.adds(book, choice.measure.depth) * counts / counts.sum(axis=1, keepdims=True)
    # An answer is predicted from the label by tau, the passage's grades, and the number of runs that hold it.
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
    features = np.column_stack(columns).astype(float)
    spread = features.std(axis=0)
    features = (features - features.mean(axis=0)) / np.where(spread > 0, spread, 1)
    return Lists(book, features, book.slots[: choice.measure.depth], adds, np.nanmean(values, axis=1))
