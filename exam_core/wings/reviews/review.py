"""A review: what somebody answered about a passage, a grade or a question, and how they came to be asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal, NamedTuple, get_args

import msgspec

from exam_core.people import Time

Task = Literal["relevance", "grade", "question"]
"""What is asked: how relevant a passage is to its query; what a passage is worth on a question; whether a question is
good."""
TASKS: tuple[Task, ...] = get_args(Task)
IDS: dict[Task, tuple[str, ...]] = {
    "relevance": ("query_id", "doc_id"),
    "grade": ("query_id", "doc_id", "question_id"),
    "question": ("query_id", "question_id"),
}
"""What a task is about."""
Sampler = Literal["uniform", "runs", "disagreement", "gain"]
SCALES: dict[Task, range] = {"relevance": range(4), "grade": range(6), "question": range(2)}
"""The answers that a task takes: TREC's relevance 0 to 3, the grader's grades 0 to 5, no and yes."""

Whole = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
Probability = Annotated[float, msgspec.Meta(gt=0, le=1)]
"""What a record can say: a whole number that tables take, a probability."""


class ReviewedItem(NamedTuple):
    """What a review is about: the task, and the query, passage and question that it names."""

    task: Task
    query_id: str
    doc_id: str | None
    question_id: str | None


class Review(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A review; its fields are the columns of the table `reviews`.

    Parameters
    ----------
    answer : None where the item was skipped, or an answer taken back
    shown : whether the model's grade was shown before the answer
    probability : with which the item came into the queue; None: nobody drew it
    drawn : how many items the queue has
    extra : the column's JSON text
    """

    review_id: str
    reviewer: str
    created: Time
    task: Task
    query_id: str
    doc_id: str | None = None
    question_id: str | None = None
    answer: int | None = None
    skipped: str | None = None
    note: str | None = None
    instruction: str | None = None
    shown: bool = False
    seconds: Annotated[float, msgspec.Meta(ge=0)] | None = None
    queue_id: str | None = None
    sampler: str | None = None
    seed: Whole | None = None
    drawn: Whole | None = None
    stratum: str | None = None
    probability: Probability | None = None
    extra: str | None = None

    def __post_init__(self) -> None:
        if self.answer is not None and self.answer not in SCALES[self.task]:
            raise ValueError(f"{self.answer} is not an answer to the task {self.task}")

    @property
    def about(self) -> ReviewedItem:
        """What it is about."""
        return ReviewedItem(self.task, self.query_id, self.doc_id, self.question_id)


def standing(reviews: Iterable[Review]) -> list[Review]:
    """The reviews that count: the `newest`, but none where it was skipped or taken back."""
    return [review for review in newest(reviews) if review.answer is not None]


def newest(reviews: Iterable[Review]) -> list[Review]:
    """Of each reviewer, item and queue the newest; of equal times the one that is given last."""
    latest: dict[Any, Review] = {}
    for review in sorted(reviews, key=lambda item: item.created):
        latest[review.reviewer, review.queue_id, review.about] = review
    return list(latest.values())
