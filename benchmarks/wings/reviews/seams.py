"""Where texts and bytes enter reviews."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from benchmarks import seams
from benchmarks.seams import Seam, json_of, of_kind
from exam_core.wings.reviews import review_rows
from exam_core.wings.reviews.queue import Item, Queue, review_id_of, review_in
from exam_core.wings.reviews.records import QUEUE as QUEUES
from exam_core.wings.reviews.records import REVIEW
from exam_core.wings.reviews.review_rows import ReviewRows

QUEUE = Queue(
    queue_id="0" * 32,
    created="2026-01-31T12:00:00.000+00:00",
    author="Ann",
    task="grade",
    sampler="uniform",
    seed=1,
    population=2,
    items=(Item("q1", "d1", "a"), Item("q1", "d2", "a")),
)
ANSWERED = QUEUE.review(QUEUE.items[0], "Ann", 3, note="so", seconds=2.5)
TOLD = (
    '{"id":"0123456789abcdef0123456789abcdef","item":1,"kind":"answer","answer":3,"note":"so","seconds":2.5}',
    '{"id":"0123456789abcdef0123456789abcdef","item":0,"kind":"skip","reason":"odd","shown":true}',
)
ROWS = (
    b'{"reviewer":"Ann","query_id":"q1","doc_id":"d1","question_id":"a","task":"grade","answer":3,"created":'
    b'"2026-01-31T12:00:00Z","seed":1,"probability":0.5,"extra":{"a":[1]},"note":"so","seconds":2}',
    b'{"annotator":"Ann","qid":"q1","docno":"d1","answer":"2","skipped":null,"shown":"yes","drawn":2.0,"more":1}',
)
CELLS = (review_rows.flag, review_rows.name, review_rows.number, review_rows.plain_text, review_rows.whole_number)


def told(text: str) -> None:
    said = json_of(text)
    review_id_of(said)
    msgspec.json.encode(review_in(QUEUE, "Ann", said))


def review_row(content: bytes) -> None:
    with suppress(msgspec.MsgspecError, ValueError, RecursionError):
        said = msgspec.json.decode(content, type=dict[str, Any])
        rows = ReviewRows(Path("reviews.jsonl"))
        rows.add(1, said)
        rows.problems.raise_if_any()


def cell(text: str) -> None:
    """A cell as every table has it, and as one of reviews."""
    seams.cell(text)
    for read in (review_rows.time, *(lambda value, of=of: of("field", value) for of in CELLS)):
        with suppress(review_rows.BadCell):
            read(text)


SEAMS = {
    "review of a browser": Seam(told, TOLD),
    "row of reviews": Seam(review_row, ROWS),
    "cell of a table": Seam(cell, ("2.5", "2026-01-31T12:00:00+01:00", "yes", "-1", "1e3")),
    "review": of_kind(REVIEW, ANSWERED),
    "queue": of_kind(QUEUES, QUEUE),
}
