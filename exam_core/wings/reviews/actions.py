"""Verbs of reviews: queues are drawn and exported, answers recorded, reviews imported and exported."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec
import pandas as pd
from msgspec.structs import replace

from exam_core.actions.committing import ImportResult, commit_all, new_import, refuse_blank, refuse_nothing
from exam_core.actions.verbs import verb
from exam_core.errors import BadInput, StoreError, UsageError, visible
from exam_core.formats.registry import reader
from exam_core.formats.writing import content_of, write_lines
from exam_core.people import reviewer_name
from exam_core.progress import Progress, no_progress
from exam_core.request import Request
from exam_core.rights import signed
from exam_core.store import Snapshot, Store
from exam_core.store.commits import Origin, importer
from exam_core.tables import UNKNOWN_TIME
from exam_core.wings.reviews import records
from exam_core.wings.reviews.queue import Draw, Queue, review_id_of, review_in
from exam_core.wings.reviews.review import Review, standing
from exam_core.wings.reviews.review_files import FORMS, write_queue
from exam_core.wings.reviews.sampling import draw_items
from exam_core.wording import counted

_Key = tuple[str, str]
"""The reviewer, and the id of the review among theirs: ids are chosen by reviewers, and may be the same by chance."""


@verb("edit")
def import_reviews(
    store: Store, collection: str, path: Path, *, reviewer: str | None = None, progress: Progress = no_progress
) -> ImportResult:
    """Import reviews of a collection's items; each file is an import of its own, and none replaces another.

    The sampling of an item is taken from its queue, where the store has it: a spreadsheet rounds probabilities.
    `reviewer` is the name of the reviewer for rows that have none.

    Raises BadInput where a line is wrong, or a review is stored with another content, or is of none of its queue's
    items; UsageError where there is no such collection.
    """
    if reviewer is not None:
        refuse_blank("--reviewer", reviewer)
    reading = reader("reviews", path)(path, reviewer=reviewer, progress=progress)
    if not len(reading.frames["reviews"]) and reading.notes:
        raise BadInput(f"{path}: {reading.notes[0]}\nFill in the column answer. Nothing was stored.")
    refuse_nothing(path, reading)
    try:
        snapshot = store.snapshot(collection)
    except UsageError as error:
        raise UsageError(
            f"{path}: reviews need the collection that they are about. {error}\nName the reviewed collection, or "
            "import its data first. Nothing was stored."
        ) from None
    reviews = _as_drawn(path, records.reviews_in(reading.frames["reviews"]), records.queues_of(store, collection))
    known: Mapping[_Key, Review] = {}
    with suppress(StoreError):  # a damaged review is compared with nothing, and healed by its file
        known = {_key(review): review for review in records.reviews_of(store, snapshot).rows}
    _refuse_changed(path, reviews, known)
    reading.frames["reviews"] = records.review_frame(reviews)
    ids = {review_id for _, review_id in known}
    # For instance where somebody changed the name of the reviewer in a file.
    if others := sum(review.review_id in ids and _key(review) not in known for review in reviews):
        reading.notes.append(
            f"With the id of another reviewer's stored review: {counted({'reviews': others})}. Both reviews count."
        )
    reading.notes += _notes_on_unknown(path, snapshot, reading.frames["reviews"])
    rows = b"\n".join(sorted(msgspec.json.encode(review) for review in reviews))
    source = f"reviews:{hashlib.sha256(rows).hexdigest()[:16]}"
    is_import = any(stored["source"] == source for stored in snapshot.sources)
    if not is_import and all(_key(review) in known for review in reviews):
        return ImportResult(collection, changed=False, counts=reading.counts, notes=reading.notes)
    return commit_all(store, collection, [new_import(path, reading, Origin(source))])


def _as_drawn(path: Path, reviews: Iterable[Review], queues: Iterable[Queue]) -> list[Review]:
    """Return the reviews with the sampling of their queue's items. Raises BadInput for a review of no item."""
    known = {queue.queue_id: (queue, {queue.reviewed_item(item): item for item in queue.items}) for queue in queues}
    drawn = []
    for review in reviews:
        queue, items = known.get(review.queue_id or "", (None, {}))
        if queue and review.about not in items:
            raise BadInput(
                f"{path}: the review of {_about(review)} by {review.reviewer} belongs to no item of the queue "
                f"{queue.queue_id[:8]}.\nDid a spreadsheet change an id? Save ids as text. Or empty queue_id, if "
                "nobody drew the item. Nothing was stored."
            )
        drawn.append(replace(review, **queue.design(items[review.about])) if queue else review)
    return drawn


def _about(review: Review) -> str:
    named = ("query", review.query_id), ("passage", review.doc_id), ("question", review.question_id)
    return ", ".join(f"{what} {visible(value, line_ends=False)[:80]}" for what, value in named if value is not None)


def _key(review: Review) -> _Key:
    return review.reviewer, review.review_id


def _refuse_changed(path: Path, reviews: Iterable[Review], known: Mapping[_Key, Review]) -> None:
    """Raise BadInput for reviews that are stored under the same name and id with another content."""
    changed = [(known[_key(review)], review) for review in reviews if known.get(_key(review), review) != review]
    if not changed:
        return
    old, new = changed[0]
    fields = [name for name in Review.__struct_fields__ if getattr(old, name) != getattr(new, name)]
    text = ", ".join(f"{name} {getattr(old, name)!r} there and {getattr(new, name)!r} here" for name in fields[:3])
    raise BadInput(
        f"{path}: {counted({'reviews': len(changed)})} of it differ from the collection, the first is "
        f"{visible(new.review_id)} by {new.reviewer} of {_about(new)}: {visible(text, line_ends=False)[:300]}.\nA "
        "review is never changed. To correct one, give it a later time under created and empty its review_id. Nothing "
        "was stored."
    )


def _notes_on_unknown(path: Path, snapshot: Snapshot, frame: pd.DataFrame) -> list[str]:
    """Return a note on reviews of items that the collection lacks; BadInput if it lacks all of them."""
    try:
        unknown = records.unknown_to(snapshot, frame)
    except StoreError as error:
        return str(error).splitlines()  # damage elsewhere keeps no reviews out
    if not unknown:
        return []
    first = visible(unknown[0], line_ends=False)[:80]
    if len(unknown) == len(frame):
        raise BadInput(
            f"{path}: {snapshot.collection} has nothing that is reviewed here; the first names {first}.\n"
            "Check the collection's name, and the columns query_id, doc_id and question_id. Nothing was stored."
        )
    return [
        f"{counted({'reviews': len(unknown)})} of items that {snapshot.collection} lacks, the first of {first}: kept, "
        "but not counted."
    ]


@verb("read")
def export_reviews(store: Store, snapshot: Snapshot, path: Path, form: str, *, only_standing: bool = False) -> int:
    """Write the reviews of a collection, imported and made here, to a file; returns how many.

    `form` is a key of `FORMS`; `only_standing` leaves out all but the newest answer of each reviewer, item and queue.

    Raises UsageError where there are none; BadInput where the file can't be written.
    """
    reviews = _all_reviews(store, snapshot, only_standing)
    write_lines(path, FORMS[form](reviews))
    return len(reviews)


@verb("read", has_line=False)
def reviews_text(store: Store, snapshot: Snapshot, form: str, *, only_standing: bool = False) -> bytes:
    """Return the reviews of a collection as the content of a file; arguments and errors as `export_reviews`."""
    return content_of(FORMS[form](_all_reviews(store, snapshot, only_standing)))


def _all_reviews(store: Store, snapshot: Snapshot, only_standing: bool) -> list[Review]:
    rows = records.reviews_of(store, snapshot).rows
    reviews = standing(rows) if only_standing else list(rows)
    if not reviews:
        raise UsageError(f"{snapshot.collection} has no reviews. Draw a queue for them: examboard review queue --help")
    return [replace(review, created="") if review.created == UNKNOWN_TIME else review for review in reviews]


@verb("read")
def export_queue(snapshot: Snapshot, queue: Queue, path: Path, form: str) -> None:
    """Write a queue as a file in which people review, with the texts of its items; `form` is one of `cli.QueueForm`."""
    write_lines(path, write_queue(queue, records.texts_of(snapshot, queue, queue.items), form))


@verb("read", has_line=False)
def queue_text(snapshot: Snapshot, queue: Queue, form: str) -> bytes:
    """Return a queue as the content of a file; arguments as `export_queue`."""
    return content_of(write_queue(queue, records.texts_of(snapshot, queue, queue.items), form))


MOST = 1000
"""Reviews of a message that are read; a browser sends the others with the next."""
_writing = Lock()
"""A browser sends again what was not acknowledged, also from two tabs: comparing and writing are one step."""


@dataclass(frozen=True)
class Recorded:
    """Reviews after a browser's message.

    `on_disk` are ids of the message's reviews that are stored, now or before; `refused` has the reasons of others by
    their ids; `reviews` are all of the collection.
    """

    on_disk: tuple[str, ...]
    refused: dict[str, str] = field(default_factory=dict)
    reviews: records.Reviews = field(default_factory=lambda: records.Reviews("", ()))


@verb("edit")
def draw_queue(store: Store, collection: str, request: Request, draw: Draw, *, author: str = "") -> Queue:
    """Draw items for review, and keep them for reviewers to work on.

    `request` names the bank, the grader and the depth of the runs' lists; its measure does not matter. Without an
    author, it is the account and machine.

    Raises UsageError where there is nothing to review, or no grader or judge who disagrees; StoreError where the store
    can't be written, or is a single file.
    """
    store.refuse_file("review in a folder")
    queue = draw_items(store.snapshot(collection), request, draw, signed(author) or importer() or "unknown")
    records.save_queue(store, collection, queue)
    return queue


@verb("edit")
def record_reviews(store: Store, collection: str, reviews: Sequence[Review]) -> None:
    """Write reviews to disk, before this returns; nothing that was written before is changed.

    Raises StoreError where the store can't be written, or is a single file.
    """
    store.refuse_file("review in a folder")
    store.snapshot(collection)
    records.add_reviews(store, collection, reviews)


@verb("review")
def record_answers(store: Store, collection: str, queue: Queue, reviewer: str, sent: Any) -> Recorded:
    """Write the answers of a browser; a review that is known as this reviewer's by its id is not written twice.

    A reviewer who has answered an item saw the model's grade then: their next answer to it is one with the grade shown.
    The name of a signed-in reviewer replaces `reviewer`. `sent` are messages as `review_told` takes them, in order,
    perhaps with some that were sent before.

    Raises UsageError where the reviewer's name is none, or there is no such collection; StoreError where the store
    can't be written, or is a single file: nothing is acknowledged then.
    """
    reviewer = reviewer_name(signed(reviewer))
    messages = [message for message in sent[:MOST] if review_id_of(message)] if isinstance(sent, Sequence) else []
    snapshot = store.snapshot(collection)
    if not messages:
        return Recorded((), {}, records.reviews_of(store, snapshot))
    with _writing:
        rows = records.reviews_of(store, snapshot).rows
        known = {row.review_id: row for row in rows if row.reviewer == reviewer}
        own = (review for review in known.values() if review.queue_id == queue.queue_id)
        answered = {review.about for review in own if review.answer is not None}
        new: list[Review] = []
        refused: dict[str, str] = {}
        for message in messages:
            try:
                review = review_in(queue, reviewer, message)
            except UsageError as error:
                refused[str(review_id_of(message))] = str(error)
                continue
            before = known.setdefault(review.review_id, review)
            if before is not review:
                if _content(before) != _content(review):
                    refused[review.review_id] = "This answer has the id of another one of yours; reload the page."
                continue
            visited = review.answer is not None and review.about in answered
            new.append(replace(review, shown=True) if visited else review)
        record_reviews(store, collection, new)
    reviews = records.reviews_of(store, snapshot)
    ids = (str(review_id_of(message)) for message in messages)
    return Recorded(tuple(name for name in ids if name not in refused), refused, reviews)


def _content(review: Review) -> tuple[Any, ...]:
    """Return the fields that stay the same when a review is sent again."""
    return review.queue_id, review.about, review.answer, review.skipped
