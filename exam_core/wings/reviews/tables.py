"""The table of reviews."""

from __future__ import annotations

from exam_core.results import count
from exam_core.schema import EXTRA, QUERY, Column, Table

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
