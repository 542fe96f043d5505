"""Reviews: a queue drawn, answers written down."""

from __future__ import annotations

from collections.abc import Sequence

from exam_core.errors import StoreError
from exam_core.reviews.review import Review
from exam_core.store import Store
from exam_core.store.journals import add_reviews


def record_reviews(store: Store, collection: str, reviews: Sequence[Review]) -> None:
    """Write reviews down; when this returns they are on disk, and nothing that was written before is changed.

    Raises
    ------
    UsageError : there is no such collection
    StoreError : the store can't be written, or is a single file
    """
    if store.is_file:
        raise StoreError(f"{store.path} is a single-file store and read only; review in a folder.")
    store.snapshot(collection)
    add_reviews(store, collection, reviews)
