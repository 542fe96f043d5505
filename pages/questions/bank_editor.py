"""The editor of a bank: its questions as a table, which *Save* makes the bank's next version."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import msgspec
import streamlit as st

from exam_core.errors import ExamboardError
from exam_core.question import CLAIM, QUESTION, rows_of
from exam_core.store.names import BankRef
from exam_core.store.question_texts import query_texts
from exam_core.store.summary import bank_version
from exam_core.table_text import Frame
from exam_core.wings.banks import actions
from exam_core.wings.banks.editing import AVOID, OKAY, VITAL, Bank, edit_of, put_back, table_of
from exam_core.wings.banks.effect import Edit
from exam_core.wings.banks.versions import changes_in_words, diff, questions_of
from exam_core.wording import counted
from pages.questions import bank_effect, bank_history
from pages.shared import data, doing, naming, show
from pages.shared.selection import Selection

QUERY, VIEW = "bank_query", "bank_view"
EDITS, NEW_BANK = "bank: edits that are not saved", "bank: name of the new one"
REFUSED, SAID = "bank: why it was refused", "bank: what was done"
TABLES = "bank: how many tables were begun"
EVERY_QUERY = "all queries"
LISTED = 2000
"""Questions of a bank that the table shows together; of a larger one it shows a query's."""
NEW_BANK_IN_BAR = (
    "<style>.st-key-bank > * { display: none; } "
    ".st-key-bank::before { content: 'Question bank: a new one, not saved yet'; font-size: 0.875rem; }</style>"
)
"""In place of the bar's bank, where the bank that is edited is not among those that it offers."""
HELP = {
    "query": "The query whose questions are shown.",
    "words": "A reworded question is a new one, linked to the old one and not graded yet.",
    "importance": "Vital, okay, or avoid (what an answer should not contain; not scored).",
    "weight": "0 or more. Used by wCover alone.",
    "answers": "Correct answers, for grading modes that verify answers.",
    "choices": "Choices of a multiple-choice question.",
    "reason": "Why you change the bank, in a few words; shown beside the version.",
    "author": "Your name. If empty: the account that runs the dashboard.",
}


@dataclass
class Edits:
    """A version of a bank and the table that a visitor makes of it, until it is saved.

    Parameters
    ----------
    base : None for a new bank
    rows : all questions as edited (`table_of`)
    query : whose questions the table shows; `EVERY_QUERY` for all
    shown : these as they were when the table began to show them: Streamlit adds the edits to them
    table : the key of the table; each that is begun has another
    changed : whether there is something to save
    """

    bank: str
    base: int | None
    old: Bank
    rows: Frame
    query: str | None = None
    shown: Frame | None = None
    table: str = ""
    changed: bool = False

    @property
    def ref(self) -> str:
        """The version that is edited."""
        return str(BankRef(self.bank, self.base))


def draw(selection: Selection) -> None:
    """The table, what was changed in it, and its effect."""
    doing.refused(REFUSED, SAID)
    edits = _edits(selection)
    if edits is None:
        show.text(f"{selection.snapshot.collection} has no question bank yet. Name one above, and write its questions.")
        return
    above = st.container(horizontal=True, vertical_alignment="center")
    _table(selection, edits)
    try:
        new = edit_of(edits.old, edits.rows, "The table")
    except ExamboardError as error:
        show.problems(str(error).splitlines())
        return
    changes = diff(edits.old, new)
    edits.changed = bool(changes)
    with above:
        _save(selection, edits, new, changes_in_words(changes) if changes else "")
    state = hashlib.sha256(msgspec.json.encode(rows_of(new.values()))).hexdigest() if changes else ""
    bank_effect.draw(selection, Edit(edits.bank, edits.base, edits.old, new, state))


def _edits(selection: Selection) -> Edits | None:
    """What is edited: the bank of the bar, or a new one; None where there is no bank."""
    with st.popover("New bank", icon=":material/add:"), st.form("bank_new", border=False):
        st.text_input("Name of the bank", key="bank_new_name")
        st.form_submit_button("Begin", on_click=_begin, args=(selection,))
    unsaved: dict[tuple[str, str], Edits] = st.session_state.setdefault(EDITS, {})
    collection, ref = (
        selection.snapshot.collection,
        BankRef.parse(selection.bank_with_version) if selection.request.bank else None,
    )
    bar, name = st.session_state.get(NEW_BANK, (None, ""))
    if name and bar == (ref and ref.name):
        st.html(NEW_BANK_IN_BAR)
        return unsaved.setdefault((collection, name), Edits(name, None, {}, table_of({})))
    st.session_state.pop(NEW_BANK, None)  # The bar was turned to another bank.
    if ref is None:
        return None
    version = ref.version or 1
    edits = unsaved.get((collection, ref.name))
    if edits is None or (edits.base != version and not edits.changed):
        old = data.ask(questions_of, selection.snapshot, ref.name, version)
        edits = unsaved[collection, ref.name] = Edits(ref.name, version, old, table_of(old))
    return edits


def _begin(selection: Selection) -> None:
    name = st.session_state["bank_new_name"].strip()
    if not name or "@" in name or bank_version(selection.snapshot, name):
        st.session_state[REFUSED] = "Give the new bank a name that no other bank has, without @."
    else:
        st.session_state[NEW_BANK] = (selection.bank_name, name)


def _table(selection: Selection, edits: Edits) -> None:
    """The questions of a query, or of all, to be changed, added and removed."""
    words = data.ask(query_texts, selection.snapshot)
    queries = list(dict.fromkeys([*(question.query_id for question in edits.old.values()), *words]))
    called = {name: f"{name} · {words[name]}" for name in queries if words.get(name)}
    every = [EVERY_QUERY] if len(edits.rows) <= LISTED else []
    query = naming.box(st.selectbox, "Query", [*queries, *every], key=QUERY, help=HELP["query"], called=called)
    if query is None:
        show.text("There is no query to write questions for: import topics or runs.")
        return
    in_view = edits.rows["query_id"].eq(query) | (query == EVERY_QUERY)
    if edits.shown is None or edits.query != query:
        st.session_state[TABLES] = st.session_state.get(TABLES, 0) + 1
        edits.query, edits.table = query, f"bank_table {st.session_state[TABLES]}"
        edits.shown = edits.rows[in_view].reset_index(drop=True)
    others = edits.rows[~in_view]
    column = st.column_config
    importances = dict.fromkeys([VITAL, OKAY, AVOID, *edits.rows["importance"].dropna()])
    columns: dict[str, Any] = {
        "query_id": column.SelectboxColumn("Query", options=queries, required=True),
        "question_text": column.TextColumn("Question", width="large", help=HELP["words"], required=True),
        "enabled": column.CheckboxColumn("On", default=True),
        "importance": column.SelectboxColumn("Importance", options=list(importances), help=HELP["importance"]),
        "weight": column.NumberColumn("Weight", min_value=0.0, default=1.0, help=HELP["weight"]),
        "gold_answers": column.ListColumn("Answers", help=HELP["answers"]),
        "choices": column.ListColumn("Choices", help=HELP["choices"]),
        "kind": column.SelectboxColumn("Kind", options=[QUESTION, CLAIM], default=QUESTION),
    }
    table = st.data_editor(
        edits.shown,
        key=edits.table,
        column_order=[name for name in columns if name != "query_id" or query == EVERY_QUERY],
        column_config=columns,
        num_rows="dynamic",
        hide_index=True,
        alt=f"Questions of {edits.ref}, to be edited",
    )
    if query != EVERY_QUERY:
        table["query_id"] = query
    edits.rows = put_back(others, table, queries)


def _save(selection: Selection, edits: Edits, new: Bank, changes: str) -> None:
    on = sum(question.enabled for question in new.values())
    of = edits.ref if edits.base else f"New bank {edits.bank}"
    unsaved = f"Not saved: {changes}." if changes else ""
    used = "all in use" if on == len(new) > 0 else f"{on:,} in use"
    show.text(f"{of}: {counted({'questions': len(new)})}, {used}. {unsaved}")
    with st.popover("Save", icon=":material/save:", disabled=not changes), st.form("bank_save", border=False):
        st.text_input("Reason", key="bank_reason", help=HELP["reason"])
        st.text_input("Author", key="bank_author", help=HELP["author"], persist_state="session")
        st.form_submit_button("Save a new version", type="primary", on_click=_saved, args=(selection, edits, new))
    discard: Any = {"key": "bank_discard", "icon": "undo", "disabled": not changes and edits.base is not None}
    doing.button("Discard", _forget, selection.snapshot.collection, edits.bank, **discard)


def _forget(collection: str, bank: str) -> None:
    st.session_state[EDITS].pop((collection, bank), None)
    st.session_state.pop(NEW_BANK, None)


def _saved(selection: Selection, edits: Edits, new: Bank) -> None:
    """Save the table; where others saved meanwhile, show what differs from theirs."""
    collection, by = (
        selection.snapshot.collection,
        {name: st.session_state[f"bank_{name}"] for name in ("reason", "author")},
    )
    with doing.refusing(REFUSED):
        done = actions.edit_bank(data.store(), collection, edits.bank, new, base=edits.base, **by)
        _forget(collection, edits.bank)
        st.session_state["bank"], stored = edits.bank, f"{done.ref} is stored."
        if not done.beside:
            st.session_state[SAID] = stored
            return
        theirs = BankRef(edits.bank, done.beside)
        st.session_state[bank_history.SAID] = f"{stored} Meanwhile somebody else saved {theirs}, which is kept as well."
        st.session_state.update({VIEW: "Versions", bank_history.OLD: done.beside, bank_history.NEW: done.version})
