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
from exam_core.asked import Asked
from exam_core.errors import BadInput, StoreError, UsageError, visible
from exam_core.formats.registry import reader
from exam_core.formats.writing import content_of, write_lines
from exam_core.people import reviewer_name
from exam_core.progress import Progress, no_progress
from exam_core.rights import signed
from exam_core.store import Snapshot, Store
from exam_core.store.commits import Origin, importer
from exam_core.tables import UNKNOWN_TIME
from exam_core.wings.reviews.queue import Draw, Queue, review_id_of, review_told
from exam_core.wings.reviews.records import (
    Reviews,
    add_reviews,
    queues_of,
    review_frame,
    reviews_in,
    reviews_of,
    save_queue,
    texts_of,
    unknown_to,
)
from exam_core.wings.reviews.review import Review, standing
from exam_core.wings.reviews.review_files import FORMS, write_queue
from exam_core.wings.reviews.sampling import drawn
from exam_core.wording import counted

_LISTED = 3
_Key = tuple[str, str]
"""Who reviewed, and the id of the review among theirs."""


@verb("edit")
def import_reviews(
    store: Store, collection: str, path: Path, *, reviewer: str | None = None, progress: Progress = no_progress
) -> ImportResult:
    """Import reviews of what a collection holds; each file is an import of its own, and what it brings stays.

    How an item was drawn is taken from its queue, where the store has it: a spreadsheet rounds probabilities.

    Parameters
    ----------
    reviewer : who reviewed where the file does not say it

    Raises
    ------
    BadInput : a line is wrong, or a review is here already with another content, or of none of its queue's items
    UsageError : there is no such collection
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
    found = _as_drawn(path, reviews_in(reading.frames["reviews"]), queues_of(store, collection))
    known: Mapping[_Key, Review] = {}
    with suppress(StoreError):  # what is damaged is compared by nobody, and healed by its file
        known = {_key(review): review for review in reviews_of(store, snapshot).rows}
    _refuse_changed(path, found, known)
    reading.frames["reviews"] = review_frame(found)
    reading.notes += [*_ids_of_others(found, known), *_strangers(path, snapshot, reading.frames["reviews"])]
    rows = b"\n".join(sorted(msgspec.json.encode(review) for review in found))
    source = f"reviews:{hashlib.sha256(rows).hexdigest()[:16]}"
    is_import = any(old["source"] == source for old in snapshot.sources)
    if not is_import and all(_key(review) in known for review in found):
        return ImportResult(collection, changed=False, counts=reading.counts, notes=reading.notes)
    return commit_all(store, collection, [new_import(path, reading, Origin(source))])


def _as_drawn(path: Path, reviews: Iterable[Review], queues: Iterable[Queue]) -> list[Review]:
    known = {queue.queue_id: (queue, {queue.asked(item): item for item in queue.items}) for queue in queues}
    found = []
    for review in reviews:
        queue, items = known.get(review.queue_id or "", (None, {}))
        if queue and review.about not in items:
            raise BadInput(
                f"{path}: the review of {_about(review)} by {review.reviewer} belongs to no item of the queue "
                f"{queue.queue_id[:8]}.\nDid a spreadsheet change an id? Save ids as text. Or empty queue_id, if "
                "nobody drew the item. Nothing was stored."
            )
        found.append(msgspec.structs.replace(review, **queue.design(items[review.about])) if queue else review)
    return found


def _about(review: Review) -> str:
    named = ("query", review.query_id), ("passage", review.doc_id), ("question", review.question_id)
    return ", ".join(f"{what} {visible(value, line_ends=False)[:80]}" for what, value in named if value is not None)


def _key(review: Review) -> _Key:
    """What no two reviews share: an id is chosen by whoever reviews, and means nothing of others."""
    return review.reviewer, review.review_id


def _ids_of_others(found: Iterable[Review], known: Mapping[_Key, Review]) -> list[str]:
    """A note on ids that are here as another reviewer's: that of a file in which somebody changed a name, say."""
    there = {review_id for _, review_id in known}
    theirs = sum(one.review_id in there and _key(one) not in known for one in found)
    if not theirs:
        return []
    return [f"With the id of another reviewer's stored review: {counted({'reviews': theirs})}. Both reviews count."]


def _refuse_changed(path: Path, found: Iterable[Review], known: Mapping[_Key, Review]) -> None:
    """Raise BadInput for reviews that are here under the same name and id with another content."""
    changed = [(known[_key(one)], one) for one in found if known.get(_key(one), one) != one]
    if not changed:
        return
    old, new = changed[0]
    fields = [name for name in Review.__struct_fields__ if getattr(old, name) != getattr(new, name)]
    said = ", ".join(
        f"{name} {getattr(old, name)!r} there and {getattr(new, name)!r} here" for name in fields[:_LISTED]
    )
    raise BadInput(
        f"{path}: {counted({'reviews': len(changed)})} of it differ from the collection, the first is "
        f"{visible(new.review_id)} by {new.reviewer} of {_about(new)}: {visible(said, line_ends=False)[:300]}.\nA "
        "review is never changed. To correct one, give it a later time under created and empty its review_id. Nothing "
        "was stored."
    )


def _strangers(path: Path, snapshot: Snapshot, frame: pd.DataFrame) -> list[str]:
    """A note on reviews of what the collection does not have; if that is all of them, it is another's file."""
    try:
        unknown = unknown_to(snapshot, frame)
    except StoreError as error:
        return str(error).splitlines()  # what is damaged elsewhere keeps no reviews out
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
    """Write the reviews of a collection, those of imports and those that were made here; returns how many.

    Parameters
    ----------
    form : one of `forms.ReviewForm`
    only_standing : of each reviewer, item and queue the newest answer alone

    Raises
    ------
    UsageError : there are none
    BadInput : the file can't be written
    """
    reviews = _all_reviews(store, snapshot, only_standing)
    write_lines(path, FORMS[form](reviews))
    return len(reviews)


@verb("read", has_line=False)
def reviews_text(store: Store, snapshot: Snapshot, form: str, *, only_standing: bool = False) -> bytes:
    """The reviews of a collection as the content of a file; arguments and errors as `export_reviews`."""
    return content_of(FORMS[form](_all_reviews(store, snapshot, only_standing)))


def _all_reviews(store: Store, snapshot: Snapshot, only_standing: bool) -> list[Review]:
    rows = reviews_of(store, snapshot).rows
    found = standing(rows) if only_standing else list(rows)
    if not found:
        raise UsageError(f"{snapshot.collection} has no reviews. Draw a queue for them: examboard review queue --help")
    return [msgspec.structs.replace(one, created="") if one.created == UNKNOWN_TIME else one for one in found]


@verb("read")
def export_queue(snapshot: Snapshot, queue: Queue, path: Path, form: str) -> None:
    """Write a queue as a file in which people review, with the texts of its items.

    Parameters
    ----------
    form : one of `forms.QueueForm`
    """
    write_lines(path, write_queue(queue, texts_of(snapshot, queue, queue.items), form))


@verb("read", has_line=False)
def queue_text(snapshot: Snapshot, queue: Queue, form: str) -> bytes:
    """A queue as the content of a file; arguments as `export_queue`."""
    return content_of(write_queue(queue, texts_of(snapshot, queue, queue.items), form))


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
