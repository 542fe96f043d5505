"""Notes on passages: read below a passage, written there, taken away with a way back, and all of them saved."""

from __future__ import annotations

from functools import partial

import streamlit as st

from exam_core import actions
from exam_core.analysis.judges.note_rows import NOTES, notes_lines, notes_table
from exam_core.note import Note
from exam_core.people import LONGEST_NAME, LONGEST_NOTE
from exam_core.rights import is_own, visitor
from exam_core.store.notes import notes_of
from exam_core.wording import counted
from pages.shared import data, doing, passage_texts, share_and_export, show, visiting

AUTHOR, TEXT, REFUSED, REMOVED = "note_author", "note_text", "notes: why not", "notes: what was removed"
WHO = "Kept with the note, and in no link."
EVERYBODY = "Everybody who uses this store sees the notes; they change no figure."


def of_passage(collection: str, query: str, doc: str) -> None:
    """What people noted on a passage, and a form for one more."""
    if data.store().is_file:
        return
    st.header("Notes")
    doing.refused(REFUSED)
    may = visiting.allowed("review", told=False)
    mine = [note for note in notes_of(data.store(), collection) if (note.query_id, note.doc_id) == (query, doc)]
    for note in mine:
        with st.container(border=True, key=f"note_{note.note_id}"):
            show.text(f"{note.author}, {note.created[:16].replace('T', ' ')} UTC")
            passage_texts.body(note.text, [], name=f"Note of {note.author}")
            off = not may or not (is_own(note.author) or visiting.allowed("edit", told=False))
            key = f"note_remove_{note.note_id}"
            doing.button("Remove", _remove, collection, note, key=key, icon="delete", disabled=off)
    if not visiting.allowed("review"):
        return
    _undo(collection, query, doc)
    key = f"{TEXT} {query} {doc}"
    if visitor() is None:
        st.text_input("Your name", key=AUTHOR, max_chars=LONGEST_NAME, help=WHO, persist_state="session")
    st.text_area("Note", key=key, height=80, max_chars=LONGEST_NOTE, help=EVERYBODY)
    doing.button("Add note", _add, collection, query, doc, key, key="note_add", icon="add_comment")


def _add(collection: str, query: str, doc: str, key: str) -> None:
    author, text = (str(st.session_state.get(name) or "") for name in (AUTHOR, key))
    with doing.refusing(REFUSED):
        actions.add_note(data.store(), collection, (query, doc), author=author, text=text)
        st.session_state[key] = ""


def _remove(collection: str, note: Note) -> None:
    with doing.refusing(REFUSED):
        st.session_state[REMOVED] = actions.remove_note(data.store(), collection, note.note_id)


def _undo(collection: str, query: str, doc: str) -> None:
    gone: Note | None = st.session_state.get(REMOVED)
    if gone is None or (gone.query_id, gone.doc_id) != (query, doc):
        return
    doing.way_back(f"The note of {gone.author} is removed.", _restore, collection, gone.note_id, key="note_undo")


def _restore(collection: str, note_id: str) -> None:
    with doing.refusing(REFUSED):
        actions.restore_note(data.store(), collection, note_id)
        del st.session_state[REMOVED]


def of_collection(collection: str) -> None:
    """All notes of a collection, folded away; nothing where there are none."""
    found = notes_of(data.store(), collection)
    if not found:
        return
    with st.expander(counted({"notes": len(found)}).capitalize(), icon=":material/comment:", key="notes"):
        rows = notes_table(found)
        row = show.table(rows, NOTES, key="notes", select=True)
        share_and_export.save("JSON lines", partial(notes_lines, found), "notes.jsonl", "application/jsonl")
        passage_texts.of_row(rows, row)
