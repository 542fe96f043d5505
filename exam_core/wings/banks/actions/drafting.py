"""Drafts of banks: begun, edited, undone, redone, thrown away; each edit is on disk before anything is shown of it.

Where people sign in, a draft is of whoever began it, and nobody else sees or changes it.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import msgspec

from exam_core.actions.committing import refuse_version
from exam_core.actions.verbs import verb
from exam_core.errors import StoreError, UsageError
from exam_core.question import Key
from exam_core.rights import is_own, signed, visitor
from exam_core.store import Snapshot, Store
from exam_core.store.commits import importer
from exam_core.store.snapshot_cache import kept
from exam_core.store.summary import bank_version
from exam_core.wings.banks.actions.banking import IN_A_FOLDER, Edited, edit_bank
from exam_core.wings.banks.analysis.versions import questions_of
from exam_core.wings.banks.draft import (
    Begun,
    Draft,
    Line,
    Move,
    Put,
    lines_of,
    read_begun,
    read_draft,
    rewording,
    step,
)
from exam_core.wings.banks.merging import Conflicting, Settle
from exam_core.wings.banks.store.drafts import (
    DraftFile,
    begin,
    draft_path,
    draft_paths,
    gone,
    growing,
    reading,
    remove,
)


@dataclass(frozen=True)
class Open:
    """A draft that is open: its id and its first line."""

    draft_id: str
    begun: Begun


@verb("edit")
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
    store.refuse_file(IN_A_FOLDER)
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


@verb("edit", has_line=False)
def open_draft(store: Store, collection: str, draft_id: str) -> Draft:
    """A draft as it is now, with its questions.

    Raises UsageError where it was committed or thrown away, and StoreError where it can't be read.
    """
    with reading(draft_path(store.path, collection, draft_id)) as file:
        return _whole(store, collection, file)


@verb("edit", has_line=False)
def open_drafts(store: Store, collection: str) -> list[Open]:
    """The drafts of a collection, the one that was edited last first; without those that can't be read."""
    found = []
    for path in [] if store.is_file else draft_paths(store.path, collection):
        with suppress(UsageError, StoreError):  # it is gone meanwhile, or can't be read
            if (begun := _begun(path)) and is_own(begun.author):
                found.append(Open(path.stem, begun))
    return found


@verb("edit")
def edit_draft(store: Store, collection: str, draft_id: str, puts: Sequence[Put], said: str) -> None:
    """Do something in a draft.

    Raises UsageError where the draft is gone, what is done does not go with what there is, or no more fits into it.

    Parameters
    ----------
    said : what is done, in words, for undo and redo
    """
    _add(store, collection, draft_id, lambda draft: step(draft, puts, said))


@verb("edit")
def reword_in_draft(store: Store, collection: str, draft_id: str, key: Key, text: str) -> None:
    """Give a question of a draft other words; while somebody types on, that is one thing to undo.

    Errors as `edit_draft`.
    """
    _add(store, collection, draft_id, lambda draft: rewording(draft, key, text))


@verb("edit")
def move_draft(store: Store, collection: str, draft_id: str, move: Move) -> None:
    """Undo the last thing that was done in a draft, or do again what was undone; nothing where there is nothing."""

    def line(draft: Draft) -> Line | None:
        return Line(move=move) if (draft.can_undo if move == "undo" else draft.can_redo) else None

    _add(store, collection, draft_id, line)


def _add(store: Store, collection: str, draft_id: str, line_of: Callable[[Draft], Line | None]) -> None:
    """Write down what is done in a draft as it is now; nothing where that is nothing."""
    with growing(draft_path(store.path, collection, draft_id)) as file:
        draft = _whole(store, collection, file)
        if line := line_of(draft):
            file.add(msgspec.json.encode(line), partial(lines_of, draft))


@verb("edit")
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
    snapshot = store.snapshot(collection)
    newest = bank_version(snapshot, bank) if base is None else 0
    if newest and questions_of(snapshot, bank, newest) == draft.bank:
        done = Edited(bank, newest)
    else:
        said = {"reason": reason, "author": author}
        try:
            done = edit_bank(store, collection, bank, draft.bank, base=base, **said)
        except Conflicting as conflict:
            done = edit_bank(store, collection, bank, conflict.settled(settle), base=conflict.version, **said)
    drop_draft(store, collection, draft_id)
    return done


@verb("edit")
def drop_draft(store: Store, collection: str, draft_id: str) -> None:
    """Throw a draft away; also one that is gone already, or damaged where nobody signs in."""
    path = draft_path(store.path, collection, draft_id)
    if path.exists() and visitor() is not None:
        _refuse_others(path, _begun(path))
    remove(path)


def _begun(path: Path) -> Begun | None:
    with reading(path) as file:
        return read_begun(next(iter(file), b""))


def _refuse_others(path: Path, begun: Begun | None) -> None:
    """Somebody else's draft is as good as gone: that it is there is told to nobody."""
    if not is_own(begun.author if begun else ""):
        raise gone(path)


def _whole(store: Store, collection: str, file: DraftFile) -> Draft:
    """A draft as its file says it."""
    begun = read_begun(next(iter(file), b""))
    _refuse_others(file.path, begun)
    if begun is None:
        raise StoreError(f"Draft {file.path.stem} of {collection} is damaged: its first line can't be read.")
    return _read(store.snapshot(collection), begun, file)


@kept(4)
def _read(snapshot: Snapshot, begun: Begun, file: DraftFile) -> Draft:
    base = {} if begun.base is None else questions_of(snapshot, begun.bank, begun.base)
    return read_draft(begun, islice(file, 1, None), base)
