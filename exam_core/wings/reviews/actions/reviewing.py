"""Reviews: a queue drawn, answers written down."""

from __future__ import annotations

from collections.abc import Sequence

from exam_core.actions.verbs import verb
from exam_core.asked import Asked
from exam_core.errors import StoreError
from exam_core.rights import signed
from exam_core.store import Store
from exam_core.store.commits import importer
from exam_core.wings.reviews.analysis.queue_sampling import drawn
from exam_core.wings.reviews.draw import Draw
from exam_core.wings.reviews.queue import Queue
from exam_core.wings.reviews.review import Review
from exam_core.wings.reviews.store.review_records import add_reviews, save_queue


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
    _refuse_single_file(store)
    queue = drawn(store.snapshot(collection), asked, draw, signed(author) or importer() or "unknown")
    save_queue(store, collection, queue)
    return queue


@verb("edit")
def record_reviews(store: Store, collection: str, reviews: Sequence[Review]) -> None:
    """Write reviews down; when this returns they are on disk, and nothing that was written before is changed.

    Raises StoreError where the store can't be written, or is a single file.
    """
    _refuse_single_file(store)
    store.snapshot(collection)
    add_reviews(store, collection, reviews)


def _refuse_single_file(store: Store) -> None:
    if store.is_file:
        raise StoreError(f"{store.path} is a single-file store and read only; review in a folder.")
