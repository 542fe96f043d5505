"""Drafts of banks: begun, edited, undone, redone, thrown away; each edit is on disk before anything is shown of it."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from exam_core.banks.draft import Begun, Draft, Line, Move, Put, read_draft, rewording, step
from exam_core.banks.question import Bank, Key, bank_of
from exam_core.errors import StoreError, UsageError
from exam_core.store import Store
from exam_core.store.commits import importer
from exam_core.store.drafts import begin, draft_path, draft_paths, growing, lines_of


@dataclass(frozen=True)
class Open:
    """A draft that is open: its id, when it was edited last (UTC, ISO 8601), and itself, without its questions."""

    draft_id: str
    edited: str
    draft: Draft


def begin_draft(store: Store, collection: str, bank: str, base: int | None, *, author: str = "") -> str:
    """A new draft of a version of a bank, or of a new bank.

    Returns
    -------
    its id

    Raises
    ------
    StoreError : the store can't be written, or is a single file
    """
    if store.is_file:
        raise StoreError(f"{store.path} is a single-file store and read only; edit banks in a folder.")
    now = dt.datetime.now(dt.UTC)
    draft_id = f"{now:%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:6]}"
    begun = Begun(bank, base, author or importer() or "unknown", now.isoformat(timespec="seconds"))
    begin(draft_path(store.path, collection, draft_id), msgspec.json.encode(begun))
    return draft_id


def open_draft(store: Store, collection: str, draft_id: str) -> Draft:
    """A draft as it is now, with its questions.

    Raises
    ------
    UsageError : it was committed or thrown away
    StoreError : it can't be read
    """
    path = draft_path(store.path, collection, draft_id)
    return _whole(store, collection, draft_id, lines_of(path))


def open_drafts(store: Store, collection: str) -> list[Open]:
    """The drafts of a collection, the one that was edited last first; one that can't be read is left out."""
    found = []
    for path in [] if store.is_file else draft_paths(store.path, collection):
        if draft := read_draft(lines_of(path)):
            edited = dt.datetime.fromtimestamp(path.stat().st_mtime, dt.UTC).isoformat(timespec="seconds")
            found.append(Open(path.stem, edited, draft))
    return found


def edit_draft(store: Store, collection: str, draft_id: str, puts: Sequence[Put], said: str) -> None:
    """Do something in a draft.

    Parameters
    ----------
    said : what is done, in words, for undo and redo

    Raises
    ------
    UsageError : the draft is gone, or what is done does not go with what there is
    """
    path = draft_path(store.path, collection, draft_id)
    with growing(path) as (lines, new):
        new.append(msgspec.json.encode(step(_whole(store, collection, draft_id, lines), puts, said)))


def reword_in_draft(store: Store, collection: str, draft_id: str, key: Key, text: str) -> None:
    """Give a question of a draft other words; while somebody types on, that is one thing to undo.

    Errors as `edit_draft`.
    """
    path = draft_path(store.path, collection, draft_id)
    with growing(path) as (lines, new):
        if line := rewording(_whole(store, collection, draft_id, lines), key, text):
            new.append(msgspec.json.encode(line))


def move_draft(store: Store, collection: str, draft_id: str, move: Move) -> None:
    """Undo the last thing that was done in a draft, or do again what was undone; nothing where there is nothing."""
    path = draft_path(store.path, collection, draft_id)
    with growing(path) as (lines, new):
        draft = _whole(store, collection, draft_id, lines)
        if draft.can_undo if move == "undo" else draft.can_redo:
            new.append(msgspec.json.encode(Line(move=move)))


def drop_draft(store: Store, collection: str, draft_id: str) -> None:
    """Throw a draft away; also one that is gone already."""
    draft_path(store.path, collection, draft_id).unlink(missing_ok=True)


def _whole(store: Store, collection: str, draft_id: str, lines: Sequence[bytes]) -> Draft:
    found = read_draft(lines)
    if found is None:
        raise StoreError(f"Draft {draft_id} of {collection} is damaged: its first line can't be read.")
    return replace(found, base=version_of(store, collection, found.begun.bank, found.begun.base))


def version_of(store: Store, collection: str, bank: str, version: int | None) -> Bank:
    """The questions of a version; none of a bank that is new."""
    if version is None:
        return {}
    snapshot = store.snapshot(collection)
    rows = snapshot.query("SELECT * FROM questions WHERE bank_id = ? AND version = ?", [bank, version])
    if not len(rows):
        raise UsageError(f"{collection} has no version {version} of bank {bank}.")
    return bank_of(rows)
