"""A review: somebody's answer about a passage, a grade or a question, and the sampling of its item; and their table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal, NamedTuple, get_args

import msgspec

from exam_core.people import Time
from exam_core.results import count
from exam_core.schema import EXTRA, QUERY, Column, Table

Task = Literal["relevance", "grade", "question"]
"""The relevance of a passage to its query; its grade on a question; whether a question is good."""
TASKS: tuple[Task, ...] = get_args(Task)
IDS: dict[Task, tuple[str, ...]] = {
    "relevance": ("query_id", "doc_id"),
    "grade": ("query_id", "doc_id", "question_id"),
    "question": ("query_id", "question_id"),
}
"""The ids that a task is about."""
Sampler = Literal["uniform", "runs", "disagreement", "gain"]
SCALES: dict[Task, range] = {"relevance": range(4), "grade": range(6), "question": range(2)}
"""The answers to a task: TREC's relevance 0 to 3, the grader's grades 0 to 5, no and yes."""

Whole = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
Probability = Annotated[float, msgspec.Meta(gt=0, le=1)]
"""Values of a record: a whole number that tables take, a probability."""


class ReviewedItem(NamedTuple):
    """The item of a review: the task, and the query, passage and question that it names."""

    task: Task
    query_id: str
    doc_id: str | None
    question_id: str | None


class Review(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A review; its fields are the columns of the table `reviews`, and `extra` is that column's JSON text."""

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
        """The item of the review."""
        return ReviewedItem(self.task, self.query_id, self.doc_id, self.question_id)


def standing(reviews: Iterable[Review]) -> list[Review]:
    """Return the reviews that count: the `newest`, without those that were skipped or taken back."""
    return [review for review in newest(reviews) if review.answer is not None]


def newest(reviews: Iterable[Review]) -> list[Review]:
    """Return the newest review of each reviewer, item and queue; of equal times the last one."""
    latest: dict[Any, Review] = {}
    for review in sorted(reviews, key=lambda review: review.created):
        latest[review.reviewer, review.queue_id, review.about] = review
    return list(latest.values())


REVIEWS = Table(
    "reviews",
    "People's answers about passages, grades and questions",
    ("review_id", "reviewer"),
    (
        Column(
            "review_id",
            "text",
            "the review among those of its reviewer; a later one of the same item by the same reviewer takes its place",
        ),
        Column("reviewer", "text", "who answered"),
        Column("created", "text", "time (UTC, ISO 8601)"),
        Column(
            "task",
            "text",
            "what was asked: relevance of a passage, grade of a passage on a question, or whether a question is good",
        ),
        QUERY,
        Column("doc_id", "text", "the passage; null for a question", nullable=True),
        Column("question_id", "text", "the question; null for the relevance of a passage", nullable=True),
        Column("answer", "integer", "null: skipped, or taken back", nullable=True),
        Column("skipped", "text", "why there is no answer", nullable=True),
        Column("note", "text", "in the reviewer's words", nullable=True),
        Column("instruction", "text", "what the reviewer was told to do", nullable=True),
        Column("shown", "flag", "true if the model's grade was shown before the answer"),
        Column("seconds", "number", "from seeing the item to the answer", nullable=True),
        Column("queue_id", "text", "the drawn sample that the item is of; null: chosen by hand", nullable=True),
        Column("sampler", "text", "how it was drawn: uniform, runs, disagreement or gain", nullable=True),
        Column("seed", "integer", "of the draw", nullable=True),
        Column("drawn", "integer", "how many items the queue has", nullable=True),
        Column("stratum", "text", "the part of the population that it was drawn from", nullable=True),
        Column("probability", "number", "with which the item came into the queue", nullable=True),
        EXTRA,
    ),
)
TABLES = (REVIEWS,)
COMPARED = (("reviews", "answer", "IS DISTINCT FROM"),)
"""What two imports must not say differently of one key: the table, its column, and what differing means."""
COUNTED = (count("reviews", "Reviews", "People's answers about the grader's work.", "reviews"),)
