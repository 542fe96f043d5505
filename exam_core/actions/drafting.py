"""Drafts of banks: begun, edited, undone, redone, thrown away; each edit is on disk before anything is shown of it.

Where people sign in, a draft is of whoever began it, and nobody else sees or changes it.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from exam_core.actions.banking import Edited, edit_bank
from exam_core.actions.committing import refuse_version
from exam_core.analysis.bank.versions import questions_of
from exam_core.banks.draft import Begun, Draft, Line, Move, Put, read_draft, rewording, step
from exam_core.banks.merging import Conflicting, Settle
from exam_core.banks.question import Bank, Key
from exam_core.errors import StoreError, UsageError
from exam_core.rights import is_own, signed, visitor
from exam_core.store import Store
from exam_core.store.commits import importer
from exam_core.store.drafts import begin, draft_path, draft_paths, gone, growing, lines_of, remove
from exam_core.store.summary import bank_version


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
    UsageError : there is no such version, or there is a bank of the new one's name already
    StoreError : the store can't be written, or is a single file
    """
    if store.is_file:
        raise StoreError(f"{store.path} is a single-file store and read only; edit banks in a folder.")
    refuse_version(bank)
    newest = bank_version(store.snapshot(collection), bank)
    if base is None and newest:
        raise UsageError(f"There is a bank {bank} already. Edit that one, or choose another name.")
    if base is not None and not 1 <= base <= newest:
        raise UsageError(f"{collection} has no version {base} of bank {bank}.")
    now = dt.datetime.now(dt.UTC)
    draft_id = f"{now:%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:6]}"
    begun = Begun(bank, base, signed(author) or importer() or "unknown", now.isoformat(timespec="seconds"))
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
    for path, edited in ({} if store.is_file else draft_paths(store.path, collection)).items():
        with suppress(UsageError, StoreError):  # it is gone meanwhile, or can't be read
            if (draft := read_draft(lines_of(path))) and is_own(draft.begun.author):
                when = dt.datetime.fromtimestamp(edited / 1e9, dt.UTC).isoformat(timespec="seconds")
                found.append(Open(path.stem, when, draft))
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


def commit_draft(
    store: Store, collection: str, draft_id: str, *, reason: str, author: str = "", settle: Settle = "refuse"
) -> Edited:
    """Make a version of a draft, together with what others did meanwhile; then the draft is gone.

    Killed in between, the draft is still there, and committing it again changes nothing.

    Parameters
    ----------
    settle : how edits of the same questions are settled

    Raises
    ------
    Conflicting : others edited the same questions meanwhile, and it is not said how to settle that
    BadInput, UsageError : as `edit_bank`
    """
    draft = open_draft(store, collection, draft_id)
    bank, base = draft.begun.bank, draft.begun.base
    if base is None and (there := _newest(store, collection, bank)) and there[1] == draft.bank:
        done = Edited(bank, there[0])
    else:
        try:
            done = edit_bank(store, collection, bank, draft.bank, base=base, reason=reason, author=author)
        except Conflicting as conflict:
            settled = conflict.settled(settle)
            done = edit_bank(store, collection, bank, settled, base=conflict.version, reason=reason, author=author)
    drop_draft(store, collection, draft_id)
    return done


def _newest(store: Store, collection: str, bank: str) -> tuple[int, Bank] | None:
    snapshot = store.snapshot(collection)
    version = bank_version(snapshot, bank)
    return (version, questions_of(snapshot, bank, version)) if version else None


def drop_draft(store: Store, collection: str, draft_id: str) -> None:
    """Throw a draft away; also one that is gone already, or damaged where nobody signs in."""
    path = draft_path(store.path, collection, draft_id)
    if path.exists() and visitor() is not None:
        _refuse_others(path, read_draft(lines_of(path)))
    remove(path)


def _refuse_others(path: Path, found: Draft | None) -> None:
    """Somebody else's draft is as good as gone: that it is there is told to nobody."""
    if not is_own(found.begun.author if found else ""):
        raise gone(path)


def _whole(store: Store, collection: str, draft_id: str, lines: Sequence[bytes]) -> Draft:
    found = read_draft(lines)
    _refuse_others(draft_path(store.path, collection, draft_id), found)
    if found is None:
        raise StoreError(f"Draft {draft_id} of {collection} is damaged: its first line can't be read.")
    begun = found.begun
    old = {} if begun.base is None else questions_of(store.snapshot(collection), begun.bank, begun.base)
    return replace(found, base=old)
