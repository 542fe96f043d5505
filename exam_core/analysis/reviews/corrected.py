"""The leaderboard as humans would have found it, from some hundred reviews drawn at known probabilities."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from exam_core.analysis.columns import RUN
from exam_core.analysis.evaluation.books import gradebook
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.values import query_values
from exam_core.analysis.reviews.population import held_by, readable
from exam_core.asked import RELEVANT_FROM
from exam_core.errors import UsageError
from exam_core.measures.corrected import (
    LEAST_OPEN,
    Calibration,
    CorrectedMeans,
    Parts,
    Sampled,
    calibrate,
    corrected_means,
)
from exam_core.measures.correlation import mean_rank
from exam_core.measures.gradebook import Bools, Floats, Gradebook, Ints
from exam_core.results import ResultTable, decimal, number
from exam_core.reviews.review import Review, standing
from exam_core.store import Snapshot
from exam_core.store.reviews import Reviews

FEWEST = 30
"""Answers below which nothing is corrected: intervals of fewer hold the truth less often than they say."""
UNSETTLED = 0.25
"""From how far on corrections are pulled to the common one, reviews don't settle the order, and it is the grader's.

On DL19 that is where the order by best guess begins to be nearer to the humans' than the grader's: between 200 and 400
reviews (`bench reviews`)."""
ROWS = ResultTable(
    "reviews: corrected leaderboard",
    "Runs with what humans would have found, best first",
    RUN,
    decimal("mean", "By the grader", "The mean by the grader's labels, as on the leaderboard.", "score"),
    decimal(
        "corrected",
        "Corrected",
        "What humans would have found: the mean by calibrated grades plus the weighted mean of human minus grade.",
        "score",
        source="Angelopoulos et al. 2023 (PPI++); Särndal, Swensson & Wretman 1992, chapter 6",
    ),
    decimal("corrected_low", "From", "Where the 95% interval of the corrected mean begins.", "score"),
    decimal("corrected_high", "To", "Where the 95% interval of the corrected mean ends.", "score"),
    decimal(
        "shrunk",
        "Best guess",
        "The grader's mean plus a correction that is pulled towards the common one as far as it is noise. Nearer to "
        "the truth than the corrected mean while reviews are few.",
        "score",
        source="Efron & Morris 1975",
    ),
    number(
        "rank",
        "Rank",
        "By the best guess where reviews settle the order, else by the grader's mean; ties share their mean rank.",
        "rank",
    ),
    number("grader_rank", "Rank by the grader", "Of the mean by the grader's labels.", "rank"),
)


@dataclass(frozen=True)
class Corrected:
    """A leaderboard that reviews correct.

    Parameters
    ----------
    rows : `ROWS`, best first
    n : passages that were answered
    n_reviews : answers; several people may have answered one passage
    reviewers : how many people
    design : how the passages were drawn, in words
    pulled : from 0 to 1, how far corrections are pulled to the common one
    tuning : from 0 to 1, how much of the grades is used
    settled : whether reviews say more of the order than the grader does
    level : common correction: what the grader's means are off by on average
    """

    measure: str
    rows: pd.DataFrame = field(repr=False)
    n: int
    n_reviews: int
    reviewers: int
    design: str
    pulled: float
    tuning: float
    settled: bool
    level: float
    notes: tuple[str, ...] = ()

    @property
    def half_width(self) -> float:
        """Half the intervals' mean width."""
        return float((self.rows["corrected_high"] - self.rows["corrected_low"]).mean() / 2)

    def as_object(self) -> dict[str, Any]:
        """What JSON says of the reviews."""
        return {
            "n": self.n,
            "n_reviews": self.n_reviews,
            "reviewers": self.reviewers,
            "design": self.design,
            "tuning": self.tuning,
            "pulled": self.pulled,
            "order_settled": self.settled,
            "correction": self.level,
            "half_width": self.half_width,
        }


@dataclass(frozen=True, eq=False)
class Lists:
    """The runs' first passages, ready to be corrected.

    Parameters
    ----------
    features : (P, F) of each pair, about 0 with a spread of about 1
    slots : (k, R, Q) the first passages
    adds : (R, Q) what a relevant passage adds to a run's mean
    grader : (R,) the grader's means
    """

    book: Gradebook
    features: Floats
    slots: npt.NDArray[np.int32]
    adds: Floats
    grader: Floats

    def parts(self, items: Ints, predicted: Floats) -> Parts:
        """What items add to the runs' means."""
        runs = self.slots.shape[1]
        place = np.full(len(self.features) + 2, -1)
        names, back = np.unique(items, return_inverse=True)
        place[names] = np.arange(len(names))
        at = place[self.slots]
        _, run, query = found = np.nonzero(at >= 0)
        places = run * len(names) + at[found]
        answered = np.bincount(places, self.adds[run, query], runs * len(names)).astype(float)
        held = self.slots >= 0
        values = np.r_[predicted, 0.0, 0.0][self.slots] * held
        unsure = np.maximum(predicted * (1 - predicted), LEAST_OPEN)
        unsure[names] = 0
        return Parts(
            answered.reshape(runs, len(names))[:, back],
            np.einsum("krq,rq->r", values, self.adds),
            np.einsum("krq,rq->r", held, self.adds),
            np.einsum("krq,rq->r", np.r_[unsure, 0.0, 0.0][self.slots], self.adds**2),
        )


def corrected(
    snapshot: Snapshot, choice: Evaluation, reviews: Reviews, relevant_from: int = RELEVANT_FROM
) -> Corrected:
    """A choice's leaderboard as humans would have found it.

    Parameters
    ----------
    relevant_from : smallest answer that counts as relevant

    Raises
    ------
    UsageError : the measure is no sum over passages, or there are too few reviews of known probability
    """
    return _kept(snapshot, choice, reviews, relevant_from)


@lru_cache(maxsize=32)
def _kept(snapshot: Snapshot, choice: Evaluation, reviews: Reviews, relevant_from: int) -> Corrected:
    lists = lists_of(snapshot, choice)
    counted, notes = _countable(lists.book, choice, reviews.rows)
    sampled = _sampled(lists.book, counted, relevant_from)
    if len(sampled.items) < FEWEST:
        raise UsageError(
            f"{len(sampled.items)} passages of {snapshot.collection} were drawn and reviewed for relevance; a "
            f"corrected leaderboard needs {FEWEST}. Draw some on the page Reviews, or with: "
            f"python -m exam_core review queue {snapshot.collection}"
        )
    means = correct(lists, sampled)
    settled = settles(means)
    return Corrected(
        str(choice.measure),
        _rows(lists, means, order_by(lists, means)),
        len(np.unique(sampled.items)),
        len(counted),
        len({review.reviewer for review in counted}),
        _design(counted),
        means.pulled,
        means.tuning,
        settled,
        float((means.shrunk - lists.grader).mean()),
        (*notes, *_about(lists, settled, len(sampled.items)), *_silent(snapshot, lists)),
    )


def correct(lists: Lists, sampled: Sampled) -> CorrectedMeans:
    """Corrected means of lists by a sample."""
    queries = lists.book.pair_query.astype(int)
    calibration: Calibration = calibrate(lists.features, queries, sampled)
    return corrected_means(lists.parts(sampled.items, calibration.everywhere), calibration, sampled, lists.grader)


@lru_cache(maxsize=8)
def lists_of(snapshot: Snapshot, choice: Evaluation) -> Lists:
    """The lists of a choice.

    Raises
    ------
    UsageError : the measure is no sum over passages
    """
    info = choice.measure.info
    if choice.grading.judgments:
        raise UsageError("Human judgments are no grades to correct. Leave out --judgments.")
    if info.adds is None:
        raise UsageError(f"{choice.measure} can't be corrected by reviews: {_why_not(info.of, info.name)}")
    book = gradebook(snapshot, choice.labelling)
    values = query_values(snapshot, choice)
    counts = ~np.isnan(values)
    adds = info.adds(book, choice.measure.depth) * counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return Lists(book, _features(book, choice), book.slots[: choice.measure.depth], adds, np.nanmean(values, axis=1))


def _why_not(of: str, name: str) -> str:
    if of == "questions":
        return (
            "what a list covers is a union over its passages and no sum, so that a question counts as soon as one "
            "passage answers it; no sample of answers tells without bias how often none would. Take P@20 or SetP."
        )
    if of == "labels":
        return (
            f"{name} is no sum over passages of how relevant each is: what one answer adds depends on others, or on "
            "something else. Take P@20 or SetP."
        )
    return "it looks at no labels. Take P@20 or SetP."


def _features(book: Gradebook, choice: Evaluation) -> Floats:
    """What an answer is predicted from: the label by tau, the passage's grades, and how many runs hold it."""
    asked = book.enabled[book.pair_query] & (book.grades >= 0)
    grades = np.where(asked, book.grades, 0).astype(float)
    ordered = np.sort(grades, axis=1)[:, ::-1]
    columns = [
        book.labels(choice.labelling.label_rank) >= choice.tau,
        grades.sum(axis=1) / np.maximum(asked.sum(axis=1), 1),
        ordered[:, 0],
        ordered[:, min(1, grades.shape[1] - 1)],
        (grades >= choice.tau).sum(axis=1),
        np.log1p(held_by(book)),
    ]
    found = np.column_stack(columns).astype(float)
    spread = found.std(axis=0)
    features: Floats = (found - found.mean(axis=0)) / np.where(spread > 0, spread, 1)
    return features


def _countable(book: Gradebook, choice: Evaluation, rows: Iterable[Review]) -> tuple[list[Review], list[str]]:
    """The reviews that a correction can use, and what is left out."""
    relevance = [review for review in standing(rows) if review.task == "relevance"]
    drawn = [review for review in relevance if review.probability and review.drawn]
    needed = choice.measure.depth or book.depth
    deep = [review for review in drawn if _reaches(review.stratum, needed)]
    notes = []
    if lost := len(relevance) - len(drawn):
        notes.append(
            f"{lost:,} reviews have no probability of having been drawn: they are left out here, and count for "
            "agreement."
        )
    if lost := len(drawn) - len(deep):
        notes.append(f"{lost:,} reviews were drawn from shorter lists than {choice.measure} looks at: left out.")
    if shown := sum(review.shown for review in deep):
        notes.append(f"{shown:,} of {len(deep):,} reviews were made with the model's grade in view.")
    return deep, notes


def _reaches(stratum: str | None, needed: int | None) -> bool:
    """Whether reviews were drawn from lists that are long enough; what is not known is believed."""
    words = (stratum or "").split()
    if len(words) < 2 or words[0] != "first" or not words[1].isdecimal():
        return True
    return needed is not None and int(words[1]) >= needed


def sampled_of(
    book: Gradebook, choice: Evaluation, rows: Iterable[Review], relevant_from: int = RELEVANT_FROM
) -> Sampled:
    """The answered passages of all reviews that a correction can use."""
    return _sampled(book, _countable(book, choice, rows)[0], relevant_from)


def _sampled(book: Gradebook, reviews: Sequence[Review], relevant_from: int) -> Sampled:
    """The answered passages: each queue's share of a passage, its reviewers' answers as one."""
    at = _places(book, {(review.query_id, review.doc_id or "") for review in reviews})
    answers: dict[tuple[str, str, str], list[bool]] = defaultdict(list)
    chances: dict[tuple[str, str, str], float] = {}
    for review in reviews:
        key = (_queue(review), review.query_id, review.doc_id or "")
        answers[key].append((review.answer or 0) >= relevant_from)
        chances[key] = (review.probability or 1.0) / (review.drawn or 1)
    # A passage that no run holds any more adds nothing, and its place in the sample is kept.
    known = [(at.get((query, doc), -1), key) for key in answers for _, query, doc in [key]]
    items = np.array([place for place, _ in known], int)
    # m of n: whoever stopped early answered a random part. Several queues are as one of all their answers.
    weights = np.array([1 / (chances[key] * len(known)) for _, key in known])
    shares = np.array([np.mean(answers[key]) for _, key in known])
    inside: Bools = items >= 0
    return Sampled(items[inside], shares[inside], np.maximum(weights[inside], 1.0))


def _queue(review: Review) -> str:
    return review.queue_id or f"{review.sampler} {review.seed} {review.drawn}"


def _places(book: Gradebook, wanted: set[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """Index of the pair of each query and passage that is wanted."""
    queries = {name: at for at, name in enumerate(book.query_ids)}
    by_query: dict[str, list[str]] = defaultdict(list)
    for query, doc in wanted:
        by_query[query].append(doc)
    found: dict[tuple[str, str], int] = {}
    starts = np.r_[book.pair_starts, len(book.pair_query)]
    for query, docs in by_query.items():
        if (number := queries.get(query)) is None:
            continue
        begin, end = int(starts[number]), int(starts[number + 1])
        place = {doc: begin + at for at, doc in enumerate(book.docs[begin:end].to_pylist())}
        found |= {(query, doc): place[doc] for doc in docs if doc in place}
    return found


def settles(means: CorrectedMeans) -> bool:
    """Whether reviews say more of the runs' order than the grader does."""
    return means.pulled < UNSETTLED


def order_by(lists: Lists, means: CorrectedMeans) -> Floats:
    """(R,) what runs are ordered by: the best guess, or the grader's means where reviews don't settle the order."""
    return means.shrunk if settles(means) else lists.grader


def _rows(lists: Lists, means: CorrectedMeans, scores: Floats) -> pd.DataFrame:
    rows = pd.DataFrame(
        {
            "run_id": lists.book.run_ids,
            "mean": lists.grader,
            "corrected": means.mean,
            "corrected_low": means.low,
            "corrected_high": means.high,
            "shrunk": means.shrunk,
            "rank": mean_rank(scores),
            "grader_rank": mean_rank(lists.grader),
        }
    )
    return rows.sort_values(["rank", "run_id"], ignore_index=True)


def _design(reviews: Sequence[Review]) -> str:
    """How passages were drawn, in words."""
    queues: dict[str, Review] = {}
    counts: Counter[str] = Counter()
    for review in reviews:
        queues.setdefault(_queue(review), review)
        counts[_queue(review)] += 1
    return "; ".join(
        f"{one.drawn:,} drawn {one.sampler or 'by known probabilities'}"
        f"{'' if one.seed is None else f' (seed {one.seed})'}, {counts[key]:,} answers"
        for key, one in queues.items()
    )


def _silent(snapshot: Snapshot, lists: Lists) -> list[str]:
    """That some passages can't be reviewed."""
    held = np.unique(lists.slots[lists.slots >= 0])
    silent = int((~readable(snapshot, lists.book)[held]).sum())
    if not silent:
        return []
    return [f"{silent:,} passages of the lists have no text, so nobody can review them: they count as predicted."]


def _about(lists: Lists, settled: bool, n: int) -> list[str]:
    """What a reader must know."""
    notes = []
    if not settled:
        notes.append(
            f"{n:,} answers don't settle the order: too much of what the runs' corrections differ by is chance. "
            "So the order is the grader's, and the levels are corrected."
        )
    held = float((lists.slots >= 0).mean(axis=(0, 2)).mean())
    if held < 1:
        notes.append(
            f"{1 - held:.0%} of the lists' places hold no graded passage: they count as not relevant, as on the "
            "leaderboard."
        )
    return notes
