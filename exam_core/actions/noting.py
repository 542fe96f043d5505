"""Notes on passages: written, taken away, brought back."""

from __future__ import annotations

import msgspec

from exam_core.actions.verbs import verb
from exam_core.analysis.judges.passage_evidence import offered, passage
from exam_core.errors import UsageError
from exam_core.note import Note, new_note
from exam_core.rights import is_own, require, signed
from exam_core.store import Snapshot, Store
from exam_core.store import journals as written
from exam_core.store.notes import note_named


@verb("review")
def add_note(store: Store, collection: str, about: tuple[str, str], *, author: str, text: str) -> Note:
    """Write a note on a passage; when this returns it is on disk.

    Parameters
    ----------
    about : ids of the query and the passage
    author : the name of somebody who signed in counts instead

    Raises
    ------
    UsageError : no such collection or passage, no author or text, or one that is too long
    StoreError : the store can't be written, or is a single file
    """
    store.refuse_file("write notes in a folder")
    note = new_note(signed(author), *about, text)
    if not _is_there(store.snapshot(collection), note):
        raise UsageError(f"{collection} has no passage {note.doc_id} for query {note.query_id}.")
    written.add_note(store, collection, note)
    return note


@verb("review")
def remove_note(store: Store, collection: str, note_id: str) -> Note:
    """Take a note away; `restore_note` brings it back. Errors as `add_note`, and where there is no such note."""
    return _set(store, collection, note_id, removed=True)


@verb("review")
def restore_note(store: Store, collection: str, note_id: str) -> Note:
    """Bring back a note that was removed; errors as `remove_note`."""
    return _set(store, collection, note_id, removed=False)


def _is_there(snapshot: Snapshot, note: Note) -> bool:
    """Whether the collection has the passage, under that query."""
    known = passage(snapshot, note.query_id, note.doc_id, bank=None, tau=1)
    if any(map(len, (known.grades, known.labels, known.judgments, known.runs))):
        return True
    return known.text is not None and note.query_id in offered(snapshot).queries


def _set(store: Store, collection: str, note_id: str, *, removed: bool) -> Note:
    store.refuse_file("write notes in a folder")
    found = note_named(store, collection, note_id)
    if found is None:
        raise UsageError(f"{collection} has no note {note_id[:80]!r}.")
    if not is_own(found.author):
        require("edit")  # a reviewer's notes are their own; an editor may tidy up
    changed = msgspec.structs.replace(found, removed=removed)
    if changed != found:
        written.add_note(store, collection, changed)
    return changed
