"""The draft that edits of a bank go to: what is edited, undo and redo, committing, and what is in the way of that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from exam_core.question import Question
from exam_core.store.names import BankRef
from exam_core.wings.banks import actions
from exam_core.wings.banks.analysis.versions import questions_of
from exam_core.wings.banks.bank_questions import Bank
from exam_core.wings.banks.changes import diff
from exam_core.wings.banks.draft import Draft
from exam_core.wings.banks.merging import Conflict, Conflicting
from exam_core.wording import counted
from pages.shared import data, doing, show
from pages.shared.chosen import Chosen

DRAFT, LAST, BAR = "draft", "bank: draft that was open", "bank: what the bar had"
IN_BAR = (
    "<style>.st-key-bank > * { display: none; } "
    ".st-key-bank::before { content: 'Question bank: a new one, not committed yet'; font-size: 0.875rem; }</style>"
)
"""In place of the bar's bank, where the bank that is edited is not among those that it offers."""
REFUSED, CONFLICT, SAID = "bank: why it was refused", "bank: what is in the way", "bank: what was done"
HELP = {
    "draft": "Edits go to a draft, which is kept until you commit it or throw it away. Where nobody signs in, all see "
    "each other's drafts.",
    "drop": "Throw the draft away; the versions stay as they are.",
    "reason": "Why you change the bank, in a few words; shown beside the version.",
    "author": "Your name. If empty: the account that runs the dashboard.",
}


@dataclass(frozen=True)
class EditedBank:
    """What is edited: a draft of a version, or a version that becomes one with the first edit.

    Parameters
    ----------
    base : None for a new bank
    """

    collection: str
    bank: str
    base: int | None
    draft_id: str | None
    draft: Draft | None
    old: Bank
    new: Bank

    @property
    def ref(self) -> str:
        """The version that is edited."""
        return str(BankRef(self.bank, self.base))


def place_of(chosen: Chosen) -> EditedBank | None:
    """Which draft or version is edited; None where there is none."""
    store, collection = data.store(), chosen.snapshot.collection
    drafts = {one.draft_id: one for one in actions.open_drafts(store, collection)}
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    asked = BankRef.parse(chosen.bank_with_version) if chosen.asked.bank else None
    nothing = f"{asked} as it is" if asked else "none"
    wanted = st.session_state.get(DRAFT, st.query_params.get(DRAFT, st.session_state.get(LAST, ""))) or ""
    if wanted not in ("", *drafts):
        with doing.refusing(REFUSED):
            actions.open_draft(store, collection, wanted)
        doing.refused(REFUSED, SAID)
        wanted = ""
    before, now = st.session_state.get(BAR), asked and asked.name
    if wanted and before not in (None, now) and drafts[wanted].begun.bank != now:
        wanted = ""  # the bar was turned to another bank
    st.session_state[BAR], st.session_state[DRAFT] = now, wanted

    def told(name: str) -> str:
        return _told(drafts[name]) if name else nothing

    known = {one.draft_id: one.begun.bank for one in drafts.values() if one.begun.bank in chosen.about["banks"]}
    picked = left.selectbox(
        "Draft", ["", *drafts], format_func=told, key=DRAFT, help=HELP["draft"], on_change=_follow, args=(known,)
    )
    # By its id in the address, whose words would change; and kept while another page is looked at.
    st.session_state[LAST] = picked
    if picked:
        st.query_params[DRAFT] = picked
    elif DRAFT in st.query_params:
        del st.query_params[DRAFT]
    with right.popover("New bank", icon=":material/add:"), st.form("bank_new", border=False):
        st.text_input("Name of the bank", key="bank_new_name")
        st.form_submit_button("Begin", on_click=_begin, args=(collection,))
    if picked:
        draft = actions.open_draft(store, collection, picked)
        begun = draft.begun
        return EditedBank(collection, begun.bank, begun.base, picked, draft, draft.base, draft.bank)
    if asked is None:
        return None
    bank = data.ask(questions_of, chosen.snapshot, asked.name, asked.version or 1)
    return EditedBank(collection, asked.name, asked.version, None, None, bank, bank)


def _follow(banks: dict[str, str]) -> None:
    """Let the bar show the bank of the draft that was picked; one that is new it offers after the commit."""
    if bank := banks.get(st.session_state[DRAFT]):
        st.session_state["bank"] = bank


def _told(one: actions.Open) -> str:
    begun = one.begun
    of = f"{begun.bank}@{begun.base}" if begun.base else f"new bank {begun.bank}"
    return " · ".join([of, begun.author, f"{begun.created[:16].replace('T', ' ')} UTC", one.draft_id[-6:]])


def _begin(collection: str) -> None:
    with doing.refusing(REFUSED):
        _opened(collection, st.session_state["bank_new_name"].strip(), None)


def _opened(collection: str, bank: str, base: int | None) -> str:
    draft_id = actions.begin_draft(data.store(), collection, bank, base, author=st.session_state.get("bank_author", ""))
    st.session_state[DRAFT] = draft_id
    return draft_id


def do(place: EditedBank, verb: Callable[..., object], *what: Any) -> None:
    """Do something in the draft, which begins with it; for a button's callback."""
    with doing.refusing(REFUSED):
        draft_id = place.draft_id or _opened(place.collection, place.bank, place.base)
        verb(data.store(), place.collection, draft_id, *what)


def toolbar(place: EditedBank) -> None:
    """What the draft holds; undo, redo, throw away, commit."""
    changes = diff(place.old, place.new)
    draft = place.draft
    of = place.ref if place.base else f"New bank {place.bank}"
    of += f" with {counted({'changes': len(changes)})}" if changes and place.base else ""
    on = sum(one.enabled for one in place.new.values())
    show.text(f"{of}: {counted({'questions': len(place.new)})}, {on:,} on.")
    if not place.base:
        st.html(IN_BAR)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for move, word, shortcut in (
            ("undo", draft.can_undo if draft else "", "Ctrl+Z"),
            ("redo", draft.can_redo if draft else "", "Ctrl+Y"),
        ):
            label = move.capitalize()
            look: dict[str, Any] = {"key": f"bank_{move}", "icon": move, "shortcut": shortcut, "disabled": not word}
            about = f"{label}: {word}" if word else f"Nothing to {move}."
            doing.button(label, do, place, actions.move_draft, move, help=about, **look)
        look = {"key": "bank_drop", "icon": "delete_sweep", "disabled": draft is None, "help": HELP["drop"]}
        doing.button("Throw away", _drop, place, **look)
        with st.popover("Commit", icon=":material/check:", disabled=not changes), st.form("bank_commit", border=False):
            st.text_input("Reason", key="bank_reason", help=HELP["reason"])
            st.text_input("Author", key="bank_author", help=HELP["author"], persist_state="session")
            st.form_submit_button("Commit a new version", type="primary", on_click=_commit, args=(place,))
    _conflicts(place)


def _drop(place: EditedBank) -> None:
    with doing.refusing(REFUSED):
        actions.drop_draft(data.store(), place.collection, str(place.draft_id))
        st.session_state[DRAFT] = ""


def _commit(place: EditedBank, settle: Any = "refuse", told: tuple[str, str] | None = None) -> None:
    """Commit the draft; `told` is the reason and the author, where the form is not to be asked again."""
    reason, author = told or (st.session_state["bank_reason"], st.session_state["bank_author"])
    by: dict[str, Any] = {"reason": reason, "author": author, "settle": settle}
    with doing.refusing(REFUSED):
        try:
            done = actions.commit_draft(data.store(), place.collection, str(place.draft_id), **by)
        except Conflicting as conflict:
            st.session_state[CONFLICT] = (place.draft_id, reason, author, conflict)
            return
        others = f" It has {counted({'changes': len(done.merged)})} of others." if done.merged else ""
        st.session_state[SAID] = f"{done.ref} is stored.{others}"
        st.session_state[DRAFT], st.session_state["bank"] = "", done.bank
        st.session_state.pop(CONFLICT, None)


def _conflicts(place: EditedBank) -> None:
    """Questions that somebody else edited, too: both texts, and which stays."""
    draft_id, reason, author, conflict = st.session_state.get(CONFLICT, (None, "", "", None))
    if conflict is None or draft_id != place.draft_id:
        return
    with st.container(border=True):
        show.text(
            f"Somebody else committed {conflict.bank}@{conflict.version} and edited "
            f"{counted({'questions': len(conflict.conflicts)})} that you edited too. Nothing is stored yet."
        )
        ways = {one.key: _way(place, one) for one in conflict.conflicts}
        settle = partial(_commit, place, ways, (reason, author))
        doing.button("Commit these choices", settle, key="bank_settle", type="primary")


def _way(place: EditedBank, one: Conflict) -> str:
    show.text(f"Query {one.query_id}")
    for column, name, rows in zip(st.columns(2), ("Mine", "Theirs"), (one.mine, one.theirs), strict=True):
        with column:
            st.caption(name)
            for question in rows:
                show.text(in_words(question))
            if not rows:
                show.text("(removed)")
    ways = ["mine", "theirs", *(["both"] if one.both is not None else [])]
    return st.radio("Keep", ways, key=f"bank_way {place.draft_id} {one.key}", horizontal=True)


def in_words(question: Question) -> str:
    beside = [
        "" if question.enabled else "off",
        question.importance or "",
        "" if question.weight == 1 else f"weight {question.weight:g}",
    ]
    return " · ".join([question.text or "(only its id is known)", *filter(None, beside)])
