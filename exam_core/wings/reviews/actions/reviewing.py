"""Queues drawn, and answers written down: those that a browser sends are checked, written once, acknowledged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from msgspec.structs import replace

from exam_core.actions.verbs import verb
from exam_core.asked import Asked
from exam_core.errors import UsageError
from exam_core.people import reviewer_name
from exam_core.rights import signed
from exam_core.store import Store
from exam_core.store.commits import importer
from exam_core.wings.reviews.analysis.queue_sampling import drawn
from exam_core.wings.reviews.draw import Draw
from exam_core.wings.reviews.queue import Queue
from exam_core.wings.reviews.review import Review
from exam_core.wings.reviews.store.review_records import Reviews, add_reviews, reviews_of, save_queue
from exam_core.wings.reviews.told import review_id_of, review_told

MOST = 1000
"""Reviews of a message that are looked at; a browser sends the others with the next."""
_writing = Lock()
"""A browser sends anew what was not acknowledged, also from two tabs: looking and writing are one step."""


@dataclass(frozen=True)
class Recorded:
    """What became of what a browser sent.

    Parameters
    ----------
    on_disk : ids of the reviews that are written down, now or before
    refused : why others are none, by their ids
    reviews : all of the collection, after it
    """

    on_disk: tuple[str, ...]
    refused: dict[str, str] = field(default_factory=dict)
    reviews: Reviews = field(default_factory=lambda: Reviews("", ()))


@verb("edit")
def draw_queue(store: Store, collection: str, asked: Asked, draw: Draw, *, author: str = "") -> Queue:
    """Draw items for review, and keep them for reviewers to work on.

    Parameters
    ----------
    asked : of which bank and grader, and how deep the runs' lists are read; its measure does not matter
    author : empty for the account and machine

    Raises
    ------
    UsageError : there is nothing to review, or nobody who disagrees
    StoreError : the store can't be written, or is a single file
    """
    store.refuse_file("review in a folder")
    queue = drawn(store.snapshot(collection), asked, draw, signed(author) or importer() or "unknown")
    save_queue(store, collection, queue)
    return queue


@verb("edit")
def record_reviews(store: Store, collection: str, reviews: Sequence[Review]) -> None:
    """Write reviews down; when this returns they are on disk, and nothing that was written before is changed.

    Raises StoreError where the store can't be written, or is a single file.
    """
    store.refuse_file("review in a folder")
    store.snapshot(collection)
    add_reviews(store, collection, reviews)


@verb("review")
def record_answers(store: Store, collection: str, queue: Queue, reviewer: str, sent: Any) -> Recorded:
    """Write down what a browser says was answered; what is known as this reviewer's by its id is not written twice.

    Whoever has answered an item was told the model's grade then: their next answer to it is one with the grade shown.

    Parameters
    ----------
    reviewer : the name of somebody who signed in counts instead
    sent : as `review_told` takes them, in order; also reviews that were sent before

    Raises
    ------
    UsageError : the reviewer's name is none, or there is no such collection
    StoreError : the store can't be written, or is a single file; nothing is acknowledged then
    """
    reviewer = reviewer_name(signed(reviewer))
    told = [one for one in sent[:MOST] if review_id_of(one)] if isinstance(sent, Sequence) else []
    snapshot = store.snapshot(collection)
    if not told:
        return Recorded((), {}, reviews_of(store, snapshot))
    with _writing:
        rows = reviews_of(store, snapshot).rows
        known = {one.review_id: one for one in rows if one.reviewer == reviewer}
        mine = (one for one in known.values() if one.queue_id == queue.queue_id)
        answered = {one.about for one in mine if one.answer is not None}
        new: list[Review] = []
        refused: dict[str, str] = {}
        for one in told:
            try:
                review = review_told(queue, reviewer, one)
            except UsageError as error:
                refused[str(review_id_of(one))] = str(error)
                continue
            before = known.setdefault(review.review_id, review)
            if before is not review:
                if _said(before) != _said(review):
                    refused[review.review_id] = "This answer has the id of another one of yours; reload the page."
                continue
            seen = review.answer is not None and review.about in answered
            new.append(replace(review, shown=True) if seen else review)
        record_reviews(store, collection, new)
    there = reviews_of(store, snapshot)
    ids = (str(review_id_of(one)) for one in told)
    return Recorded(tuple(one for one in ids if one not in refused), refused, there)


def _said(review: Review) -> tuple[Any, ...]:
    """What is the same when it is sent again."""
    return review.queue_id, review.about, review.answer, review.skipped
