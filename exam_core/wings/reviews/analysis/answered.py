"""The passages that people answered, with what each stands for: what a correction is made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.measures.gradebook import Gradebook
from exam_core.numbers.arrays import Bools
from exam_core.wings.reviews.analysis.population import places
from exam_core.wings.reviews.numbers.corrected_means import Sampled
from exam_core.wings.reviews.review import Review, standing
from exam_core.wording import counted, plain_number


def countable(book: Gradebook, choice: Evaluation, rows: Iterable[Review]) -> tuple[list[Review], list[str]]:
    """The reviews that a correction can use, and what is left out."""
    relevance = [review for review in standing(rows) if review.task == "relevance"]
    drawn = [review for review in relevance if review.probability and review.drawn]
    needed = choice.measure.depth or book.depth
    deep = [review for review in drawn if _reaches(review.stratum, needed)]
    notes = []
    if lost := len(relevance) - len(drawn):
        notes.append(
            f"{counted({'reviews have': lost})} no probability, or no number of items that were drawn: "
            "they are left out here, and count for agreement."
        )
    if lost := len(drawn) - len(deep):
        notes.append(
            f"{counted({'reviews were': lost})} drawn from shorter lists than {choice.measure} looks at: left out."
        )
    if shown := sum(review.shown for review in deep):
        notes.append(f"{shown:,} of {len(deep):,} reviews were made with the model's grade in view.")
    return deep, notes


def _reaches(stratum: str | None, needed: int | None) -> bool:
    """Whether reviews were drawn from lists that are long enough; what is not known is believed."""
    words = (stratum or "").split()
    length = plain_number(words[1]) if len(words) > 1 and words[0] == "first" else None
    return length is None or (needed is not None and length >= needed)


def sampled_by(book: Gradebook, reviews: Sequence[Review], relevant_from: int) -> Sampled:
    """The answered passages: each queue's share of a passage, its reviewers' answers as one."""
    at = places(book, {(review.query_id, review.doc_id or "") for review in reviews})
    answers: dict[tuple[str, str, str], list[bool]] = defaultdict(list)
    chances: dict[tuple[str, str, str], float] = {}
    for review in reviews:
        key = (queue_of(review), review.query_id, review.doc_id or "")
        answers[key].append((review.answer or 0) >= relevant_from)
        chances[key] = (review.probability or 1.0) / (review.drawn or 1)
    # A passage that no run holds any more adds nothing, and its place in the sample is kept.
    known = [(at.get((query, doc), -1), key) for key in answers for _, query, doc in [key]]
    items = np.array([place for place, _ in known], int)
    # m of n: whoever stopped early answered a random part. Several queues are as one of all their answers.
    weights = np.array([1 / (chances[key] * len(known)) for _, key in known])
    shares = np.array([np.mean(answers[key]) for _, key in known])
    people = np.array([len(answers[key]) for _, key in known], int)
    inside: Bools = items >= 0
    return Sampled(items[inside], shares[inside], np.maximum(weights[inside], 1.0), people[inside])


def queue_of(review: Review) -> str:
    """The draw that a review is of; of one whose queue has no name, what is known of it."""
    return review.queue_id or f"{review.sampler} {review.seed} {review.drawn}"
