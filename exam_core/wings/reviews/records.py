"""Reviews and queues in the store: records of people, and rows of imports; and how far each reviewer is.

A person's answer on a page is a record, on disk before it is acknowledged, and no part of the collection's
fingerprint: after an answer only reviews are read again. Reviews of a file are a table of an import,
like any other.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

import msgspec
import pandas as pd

from exam_core.errors import StoreError, UsageError
from exam_core.results import ResultTable, attributes, count, number, text
from exam_core.store.catalogue import RecordKind
from exam_core.store.evidence import passage_texts, query_texts
from exam_core.store.names import BankRef, page_of
from exam_core.store.pairs import KNOWN
from exam_core.store.snapshot import Snapshot, cached_by_snapshot
from exam_core.store.store import Store
from exam_core.store.version_1 import OldFiles
from exam_core.wings.reviews.queue import Item, ItemTexts, Queue, answered_by
from exam_core.wings.reviews.review import REVIEWS, Review

REVIEW = RecordKind("review", Review, "A review is not counted.")
QUEUE = RecordKind("queue", Queue, "Nobody can go on with this queue; its reviews count as before.")
KINDS = (REVIEW, QUEUE)
BEFORE = (
    OldFiles("queue", "*/reviews/queues/*.json", 0, lambda path: path.stem[11:]),
    OldFiles("review", "*/reviews/*.jsonl", 0, lines=lambda line: _id(msgspec.json.decode(line, type=Review))),
)


@dataclass(frozen=True)
class Reviews:
    """All reviews of a collection at one moment, in order of arrival; hashed by their fingerprint.

    `damaged` has a sentence for each record that is no review, or where some are missing.
    """

    fingerprint: str
    rows: tuple[Review, ...] = field(repr=False, compare=False)
    damaged: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.rows)


def reviews_of(store: Store, snapshot: Snapshot) -> Reviews:
    """Return the reviews of a collection: those of imports, then those made here, each reviewer's id once.

    Times of those made here never go back, whatever the clock did. Raises StoreError where they can't be read.
    """
    reviews, stamps = list(_imported(snapshot)), [snapshot.fingerprint]
    # Each has its time, or that of the same reviewer's review before it if the clock went back.
    latest: dict[tuple[str, str | None], str] = {}
    for row in store.catalogue.read(REVIEW, snapshot.collection).values.values():
        key = row.reviewer, row.queue_id
        latest[key] = max(latest.get(key, ""), row.created)
        reviews.append(row if row.created == latest[key] else msgspec.structs.replace(row, created=latest[key]))
    stamps.append(str(store.catalogue.stamp(snapshot.collection, REVIEW)))
    fingerprint = hashlib.sha256("\n".join(stamps).encode()).hexdigest()[:16]
    # An export may have been imported again where it was made; acknowledged reviews are not replaced by it.
    each = {(review.reviewer, review.review_id): review for review in reviews}
    return Reviews(fingerprint, tuple(each.values()), tuple(store.damaged(REVIEW, snapshot.collection)))


def review_frame(reviews: Iterable[Review]) -> pd.DataFrame:
    """Return reviews as rows of the table `reviews`."""
    rows = list(reviews)
    return REVIEWS.frame({name: [getattr(row, name) for row in rows] for name in REVIEWS.names})


def reviews_in(frame: pd.DataFrame) -> list[Review]:
    """Return the reviews of rows of the table `reviews`."""
    return [msgspec.convert(row, Review) for row in REVIEWS.arrow(frame).to_pylist()]


def queues_of(store: Store, collection: str) -> list[Queue]:
    """Return the queues of a collection, the newest first; unreadable ones are left out."""
    queues = store.catalogue.read(QUEUE, collection).values.values()
    return sorted(queues, key=lambda queue: queue.created, reverse=True)


def queue_named(store: Store, collection: str, queue_id: str) -> Queue:
    """Return a queue by its id, or by the beginning of it. Raises UsageError where there is none, or several."""
    existing = queues_of(store, collection)
    queues = [queue for queue in existing if queue_id and queue.queue_id.startswith(queue_id)]
    if len(queues) == 1:
        return queues[0]
    listed = ", ".join(queue.queue_id[:8] for queue in existing[:20]) or "none; draw one with review queue"
    raise UsageError(
        f"{collection} has {'several queues' if queues else 'no queue'} {queue_id[:80]!r}. There: {listed}."
    )


@cached_by_snapshot(4)
def _imported(snapshot: Snapshot) -> tuple[Review, ...]:
    if "reviews" not in snapshot.tables:
        return ()
    try:
        return tuple(reviews_in(snapshot.frame("reviews")))
    except msgspec.ValidationError as error:
        raise StoreError(
            f"{snapshot.collection}: the table reviews holds a row that is no review ({error}).\n"
            "It is not as this version of Examboard writes it: undo that import."
        ) from None


def _whole(store: Store, snapshot: Snapshot) -> tuple[pd.DataFrame, str] | None:
    """Return all reviews of a collection with those made here, and their fingerprint; None if imports brought all."""
    reviews = reviews_of(store, snapshot)
    return (review_frame(reviews.rows), reviews.fingerprint) if len(reviews) > len(snapshot.frame("reviews")) else None


COUNTS = (("reviews", lambda store, snapshot: len(reviews_of(store, snapshot))),)
"""The count of `list`."""
WHOLE = (("reviews", _whole),)
"""Tables that a shared file has whole, with the reviews made here, which are no part of the fingerprint."""


def add_reviews(store: Store, collection: str, reviews: Sequence[Review]) -> None:
    """Write reviews to disk before this returns. Raises StoreError where they can't be written."""
    with store.locked(collection):
        for review in reviews:
            store.catalogue.put(REVIEW, _id(review), review, collection)


def save_queue(store: Store, collection: str, queue: Queue) -> None:
    """Keep a queue for reviewers to work on. Raises StoreError where it can't be written."""
    with store.locked(collection):
        store.catalogue.put(QUEUE, queue.queue_id, queue, collection)


def _id(review: Review) -> str:
    """Return the name of a review's record; a person's name may have any character."""
    return f"{hashlib.sha256(review.reviewer.encode()).hexdigest()[:12]} {review.review_id}"


# A question may be in several banks and versions: the bank that the queue was drawn of, then the newest words.
_QUESTIONS = """
SELECT query_id, question_id,
    arg_max(question_text, (bank_id IS NOT DISTINCT FROM $bank)::INTEGER * 1000000 + version) AS text
FROM questions WHERE question_text IS NOT NULL AND question_id IN (SELECT unnest($ids::VARCHAR[]))
GROUP BY query_id, question_id
"""
_UNKNOWN = f"""
WITH named AS (SELECT unnest($query) AS query_id, unnest($doc) AS doc_id, unnest($question) AS question_id),
asked AS (SELECT query_id FROM queries UNION SELECT query_id FROM ({KNOWN}) UNION SELECT query_id FROM rankings),
there AS (SELECT doc_id FROM passages UNION SELECT doc_id FROM ({KNOWN}) UNION SELECT doc_id FROM rankings)
SELECT CASE
    WHEN query_id NOT IN (SELECT query_id FROM asked) THEN 'query ' || query_id
    WHEN doc_id IS NOT NULL AND doc_id NOT IN (SELECT doc_id FROM there) THEN 'passage ' || doc_id
    WHEN question_id IS NOT NULL AND question_id NOT IN (SELECT question_id FROM questions)
        AND question_id NOT IN (SELECT question_id FROM grades WHERE question_id IS NOT NULL)
        THEN 'question ' || question_id
END AS unknown
FROM named
"""


def texts_of(snapshot: Snapshot, queue: Queue, items: Sequence[Item]) -> list[ItemTexts]:
    """Return the texts of some of a queue's items; empty where only an id is known."""
    bank = queue.evaluation.get("bank")
    named = BankRef.parse(bank).name if isinstance(bank, str) else None
    queries = query_texts(snapshot)
    passages = passage_texts(snapshot, sorted({item.doc_id for item in items if item.doc_id}))
    ids = sorted({item.question_id for item in items if item.question_id})
    rows = snapshot.query(_QUESTIONS, {"ids": ids, "bank": named})
    questions = {(query, name): text for query, name, text in rows.itertuples(index=False)}
    return [
        ItemTexts(
            queries.get(item.query_id) or queries.get(page_of(item.query_id), ""),
            questions.get((item.query_id, item.question_id), ""),
            passages.get(item.doc_id or "", ""),
        )
        for item in items
    ]


def unknown_to(snapshot: Snapshot, reviews: pd.DataFrame) -> list[str]:
    """Return for each review that names an unknown query, passage or question the first of these.

    `reviews` are rows of the table `reviews`.
    """
    ids = {
        name: [value if isinstance(value, str) else None for value in reviews[f"{name}_id"]]
        for name in ("query", "doc", "question")
    }
    frame = snapshot.query(_UNKNOWN, ids)["unknown"]
    return [str(text) for text in frame[frame.notna()]]


@dataclass(frozen=True)
class ReviewerProgress:
    """Progress of a reviewer in a queue.

    `left` counts shared items that the reviewer has not had, and others that nobody has answered. `seconds` is the
    median of an item; None where no time was taken.
    """

    reviewer: str
    answered: int
    skipped: int
    left: int
    seconds: float | None


def progress_of(queue: Queue, reviews: Iterable[Review], reviewer: str, left: int) -> ReviewerProgress:
    """Return a reviewer's progress, of whom the number of items left is known."""
    by_item = answered_by(queue, (review for review in reviews if review.reviewer == reviewer))
    return _progress(reviewer, [by[reviewer] for by in by_item.values() if reviewer in by], left)


def progress_of_all(queue: Queue, reviews: Iterable[Review]) -> list[ReviewerProgress]:
    """Return the progress of everybody who has reviewed something of a queue, by name.

    The reviews are read once, and not for each reviewer: there may be hundreds.
    """
    rows = [review for review in reviews if review.queue_id == queue.queue_id]
    done = answered_by(queue, rows)
    theirs: dict[str, list[Review]] = {name: [] for name in sorted({row.reviewer for row in rows})}
    for by in done.values():
        for name, review in by.items():
            theirs[name].append(review)
    had = Counter(name for item in queue.items if item.shared for name in done.get(queue.reviewed_item(item), ()))
    free = sum(item.shared or not done.get(queue.reviewed_item(item)) for item in queue.items)
    return [_progress(name, own, free - had[name]) for name, own in theirs.items()]


def _progress(reviewer: str, own: Sequence[Review], left: int) -> ReviewerProgress:
    times = [review.seconds for review in own if review.seconds is not None]
    answered = sum(review.answer is not None for review in own)
    return ReviewerProgress(reviewer, answered, len(own) - answered, left, median(times) if times else None)


ROWS = ResultTable(
    "review list: rows",
    "Queues for review with what each reviewer did, the newest queue first",
    text("queue_id", "Queue", "Names the queue; its beginning is enough.", pinned=True),
    text("created", "Drawn"),
    text("author", "By", "Who drew it."),
    text("task", "Task", "Task: relevance, grade or question."),
    text("sampler", "Sampler", "Sampling: uniform, runs, disagreement or gain."),
    count("items", "Items", unit="items"),
    count("shared", "For everybody", "Items that every reviewer gets.", "items"),
    text("reviewer", "Reviewer", "Empty if nobody has begun."),
    count("answered", "Answered", "Items that this reviewer answered.", "items"),
    count("skipped", "Skipped", "Items that this reviewer skipped.", "items"),
    count(
        "left", "Left", "Items that this reviewer can still get; others may take those that are not shared.", "items"
    ),
    number("seconds", "Each", "Median, without time in which the tab was hidden.", "s", form="%.1f"),
)


@dataclass(frozen=True)
class QueueProgress:
    """Progress of all queues of a collection: `rows` as `ROWS`, all reviews, and those of none of these queues."""

    rows: pd.DataFrame
    reviews: int
    elsewhere: int


def progress(queues: Iterable[Queue], reviews: Sequence[Review]) -> QueueProgress:
    """Return the progress of each reviewer in each queue."""
    by_queue: dict[str | None, list[Review]] = {}
    for review in reviews:
        by_queue.setdefault(review.queue_id, []).append(review)
    rows: list[dict[str, Any]] = []
    for queue in queues:
        about = attributes(queue, "queue_id", "created", "author", "task", "sampler")
        about |= {"items": len(queue.items), "shared": sum(item.shared for item in queue.items)}
        reviewed = progress_of_all(queue, by_queue.pop(queue.queue_id, []))
        nobody = ReviewerProgress("", answered=0, skipped=0, left=len(queue.items), seconds=None)
        rows += [about | asdict(reviewer_progress) for reviewer_progress in reviewed or [nobody]]
    elsewhere = sum(map(len, by_queue.values()))
    return QueueProgress(ROWS.of(pd.DataFrame(rows, columns=ROWS.names)), len(reviews), elsewhere)
