"""Reviews and queues as the store holds them: a file of lines for each reviewer of a queue, and what imports brought.

What people answer on a page is a line at the end of a file, on disk before it is acknowledged, and no part of the
collection's fingerprint: an answer makes nothing be read again but reviews. Reviews that a file brings are a table of
an import, like any other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pandas as pd

from exam_core.errors import StoreError, UsageError
from exam_core.store.append_only import grown
from exam_core.store.checking import UNCOUNTED, of_line
from exam_core.store.files import BACK, files_in, folder_name, once, read_record, sealed, sound, write_once
from exam_core.store.journals import append, hashed
from exam_core.store.layout import refuse_later
from exam_core.store.snapshot import Snapshot
from exam_core.store.snapshot_cache import kept
from exam_core.store.store import Store
from exam_core.wings.reviews.queue import Queue
from exam_core.wings.reviews.review import Review
from exam_core.wings.reviews.tables import REVIEWS

FOLDER, QUEUES = "reviews", "queues"


@dataclass(frozen=True)
class Reviews:
    """All reviews of a collection at one moment, as they came; a key of what is kept of them.

    Attributes
    ----------
    damaged : a sentence for each line that is no review, or above which lines are missing
    """

    fingerprint: str
    rows: tuple[Review, ...] = field(repr=False, compare=False)
    damaged: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.rows)


def reviews_of(store: Store, snapshot: Snapshot) -> Reviews:
    """The reviews of a collection: those of imports, then those that were made here, each reviewer's id once.

    In a file of answers that were given here a line is later than those above it, whatever the clock said. Raises
    StoreError where a file of them can't be read.
    """
    found = list(_imported(snapshot))
    told, damaged = [snapshot.fingerprint], []
    for path in [] if store.is_file else _journals(store, snapshot.collection):
        rows, size, faults = grown(path, Review)
        found += _never_before(rows)
        damaged += [of_line(path, number, what).sentence for number, what in faults]
        told.append(f"{path.name} {size}")
    fingerprint = hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]
    # What was exported may have been imported again where it was made; what was acknowledged here stays what it is.
    each = {(review.reviewer, review.review_id): review for review in found}
    return Reviews(fingerprint, tuple(each.values()), tuple(damaged))


def _never_before(rows: Iterable[Review]) -> Iterator[Review]:
    """The lines of a file in their order, each with its time, or that of the line above if the clock went back."""
    latest = ""
    for row in rows:
        latest = max(latest, row.created)
        yield row if row.created == latest else msgspec.structs.replace(row, created=latest)


def review_frame(reviews: Iterable[Review]) -> pd.DataFrame:
    """Reviews as rows of the table `reviews`."""
    rows = list(reviews)
    return REVIEWS.frame({name: [getattr(row, name) for row in rows] for name in REVIEWS.names})


def reviews_in(frame: pd.DataFrame) -> list[Review]:
    """The reviews of rows of the table `reviews`."""
    return [msgspec.convert(row, Review) for row in REVIEWS.arrow(frame).to_pylist()]


def queues_of(store: Store, collection: str) -> list[Queue]:
    """The queues of a collection, the newest first; one that can't be read is left out."""
    found, _ = sound(queue_files(store, collection), queue_in)
    return sorted(found.values(), key=lambda queue: queue.created, reverse=True)


def damaged_queues(store: Store, collection: str) -> list[str]:
    """A sentence for each queue that can't be read: what of it is lost, and what to do."""
    return sound(queue_files(store, collection), queue_in)[1]


def queue_named(store: Store, collection: str, queue_id: str) -> Queue:
    """A queue by its id, or by how its id begins. Raises UsageError where there is none, or several."""
    there = queues_of(store, collection)
    found = [queue for queue in there if queue_id and queue.queue_id.startswith(queue_id)]
    if len(found) == 1:
        return found[0]
    listed = ", ".join(queue.queue_id[:8] for queue in there[:20]) or "none; draw one with review queue"
    raise UsageError(
        f"{collection} has {'several queues' if found else 'no queue'} {queue_id[:80]!r}. There: {listed}."
    )


def queue_files(store: Store, collection: str) -> list[Path]:
    """The files of the queues of a collection."""
    return [] if store.is_file else files_in(store.path / folder_name(collection) / FOLDER / QUEUES, "*.json")


@once
def queue_in(path: Path) -> Queue:
    """The queue that a file holds. Raises FileNotFoundError where it is gone, and StoreError where it can't be read."""
    lost = "Nobody can go on with it; its reviews count as before, each holding how it was drawn."
    return read_record(path, Queue, "queue", f"{lost} {BACK}")


def _journals(store: Store, collection: str) -> list[Path]:
    """The files, as they are named where they are: a rehearsal of an import sees them through links."""
    return sorted(path.resolve() for path in files_in(store.path / folder_name(collection) / FOLDER, "*.jsonl"))


@kept(4)
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
    """All reviews of a collection with those made here, and their fingerprint; None if imports brought all."""
    found = reviews_of(store, snapshot)
    return (review_frame(found.rows), found.fingerprint) if len(found) > len(snapshot.frame("reviews")) else None


COUNTS = (("reviews", lambda store, snapshot: len(reviews_of(store, snapshot))),)
"""What `list` counts of a collection."""
WHOLE = (("reviews", _whole),)
"""Tables that a shared file has whole: what people made here too, which is no part of the fingerprint."""
RECORDS = ((queue_files, queue_in, "Nobody can go on with this queue; its reviews count as before."),)
"""What `check` reads: the files of a collection, how one is read, and what is lost with it."""
LINES = ((lambda store, collection: files_in(store.folder(collection) / FOLDER, "*.jsonl"), Review, UNCOUNTED),)
"""What `check` reads line by line: the files of a collection, what a line says, and what is lost with one."""


def add_reviews(store: Store, collection: str, reviews: Sequence[Review]) -> None:
    """Write reviews down; when this returns they are on disk. Raises StoreError where they can't be written."""
    refuse_later(store.path)
    by_file: dict[Path, list[bytes]] = {}
    for review in reviews:
        by_file.setdefault(_path(store, collection, review), []).append(msgspec.json.encode(review))
    for path, lines in by_file.items():
        append(path, lines)


def save_queue(store: Store, collection: str, queue: Queue) -> None:
    """Keep a queue for reviewers to work on. Raises StoreError where it can't be written."""
    refuse_later(store.path)
    path = store.path / folder_name(collection) / FOLDER / QUEUES / f"{queue.created[:10]}-{queue.queue_id}.json"
    write_once(path, sealed(msgspec.json.encode(queue)))


def _path(store: Store, collection: str, review: Review) -> Path:
    who = hashed(review.reviewer)
    return store.path / folder_name(collection) / FOLDER / f"{folder_name(review.queue_id or 'by-hand')}.{who}.jsonl"
