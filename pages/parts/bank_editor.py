"""The editor of a bank: its questions, one of them to change, near duplicates, and the draft that all of it goes to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from exam_core import actions
from exam_core.analysis.bank.effect import Edit
from exam_core.analysis.bank.versions import questions_of
from exam_core.banks.changes import diff
from exam_core.banks.draft import Draft, Put
from exam_core.banks.merging import Conflict, Conflicting
from exam_core.banks.question import AVOID, CLAIM, OKAY, QUESTION, VITAL, Bank, Question, question_id
from exam_core.errors import ExamboardError
from exam_core.results import ResultTable, number, text
from exam_core.store.names import BankRef
from exam_core.store.questions import query_texts
from exam_core.wording import counted
from pages.parts import bank_effect
from pages.shared import data, picking, show
from pages.shared.chosen import Chosen

DRAFT, QUERY, PICKED, SEARCH = "draft", "bank_query", "bank_question", "bank_search"
REFUSED, CONFLICT, SAID = "bank: why it was refused", "bank: what is in the way", "bank: what was done"
LISTED = 300
"""Questions that the box and the table list."""
NO_WORD = "none"
KEYS = {"gold": "gold_answers", "choices": "choices"}
ROWS = ResultTable(
    "questions of a bank that is edited",
    "The questions of a query, or those that were found",
    text("query", "Query", pinned=False),
    text("text", "Question", width="large"),
    text("state", "State", "What was done in this draft, and whether it counts."),
    text("importance", "Importance"),
    number("weight", "Weight", unit="weight"),
)
HELP = {
    "draft": "Edits go to a draft, which is kept until it is committed or thrown away, also if the browser or the "
    "dashboard ends. Others see your draft here, and you see theirs.",
    "query": "Whose questions are listed.",
    "search": "Questions of all queries with these words; empty lists the chosen query's.",
    "question": "The question below. Click a row, or go on with Alt+Down and back with Alt+Up.",
    "words": "Its words. In other words it is another question, which remembers what it was and is not graded yet.",
    "importance": "Vital, okay or avoid: what an answer should not contain, which no score counts.",
    "weight": "0 or more. wCover weighs by it; the other measures don't.",
    "key": "Right answers, one in each line, for the modes that verify answers.",
    "choices": "What a multiple-choice question lets one choose from, one in each line.",
    "reason": "Why, in a few words; everybody reads it beside the version.",
    "author": "Your name; empty takes the account that the dashboard runs under.",
}


@dataclass(frozen=True)
class Place:
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


def draw(chosen: Chosen) -> None:
    """The whole editor."""
    place = _place(chosen)
    _said()
    if place is None:
        show.text(f"{chosen.snapshot.collection} has no question bank yet. Name one above, and write its questions.")
        return
    _toolbar(place)
    left, right = st.columns([3, 2], gap="large")
    with left:
        query = _query(chosen, place)
        shown = _questions(place, query)
        _picked(place, shown)
        if query:
            _add(place, query)
    with right:
        state = f"{place.draft_id} {place.draft.lines}" if place.draft else ""
        bank_effect.draw(chosen, Edit(place.bank, place.base, place.old, place.new, state))


def _place(chosen: Chosen) -> Place | None:
    """Which draft or version is edited; None where there is none."""
    store, collection = data.store(), chosen.snapshot.collection
    drafts = {one.draft_id: one for one in actions.open_drafts(store, collection)}
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    asked = BankRef.parse(chosen.bank_with_version) if chosen.asked.bank else None
    nothing = f"{asked} as it is" if asked else "none"
    if st.session_state.get(DRAFT) not in ("", None, *drafts):
        st.session_state[DRAFT] = ""

    def told(name: str) -> str:
        return _told(drafts[name]) if name else nothing

    picked = left.selectbox(
        "Draft", ["", *drafts], format_func=told, key=DRAFT, help=HELP["draft"], bind="query-params"
    )
    with right.popover("New bank", icon=":material/add:"), st.form("bank_new", border=False):
        st.text_input("Name of the bank", key="bank_new_name")
        st.form_submit_button("Begin", on_click=_begin, args=(collection,))
    if picked:
        draft = actions.open_draft(store, collection, picked)
        begun = draft.begun
        return Place(collection, begun.bank, begun.base, picked, draft, draft.base, draft.bank)
    if asked is None:
        return None
    bank = data.ask(questions_of, chosen.snapshot, asked.name, asked.version or 1)
    return Place(collection, asked.name, asked.version, None, None, bank, bank)


def _told(one: actions.Open) -> str:
    begun, steps = one.draft.begun, one.draft.at
    of = f"{begun.bank}@{begun.base}" if begun.base else f"new bank {begun.bank}"
    return f"{of}: {counted({'edits': steps})} by {begun.author}, {one.edited[:16].replace('T', ' ')} UTC"


def _begin(collection: str) -> None:
    _try(lambda: _opened(collection, st.session_state["bank_new_name"].strip(), None))


def _opened(collection: str, bank: str, base: int | None) -> str:
    draft_id = actions.begin_draft(data.store(), collection, bank, base, author=st.session_state.get("bank_author", ""))
    st.session_state[DRAFT] = draft_id
    return draft_id


def _said() -> None:
    """What was done last, or why it was not."""
    if refused := st.session_state.pop(REFUSED, None):
        show.problems(refused.splitlines())
    if said := st.session_state.pop(SAID, None):
        show.text(said)


def _try(act: Callable[[], Any]) -> bool:
    """Do something in a button's callback; whether it was done."""
    try:
        act()
    except ExamboardError as error:
        st.session_state[REFUSED] = str(error)
        return False
    return True


def _do(place: Place, puts: Sequence[Put], said: str) -> bool:
    """Do something in the draft, which begins with it."""

    def act() -> None:
        draft_id = place.draft_id or _opened(place.collection, place.bank, place.base)
        actions.edit_draft(data.store(), place.collection, draft_id, puts, said)

    return _try(act)


def _toolbar(place: Place) -> None:
    """What the draft holds; undo, redo, throw away, commit."""
    changes = diff(place.old, place.new)
    draft = place.draft
    of = place.ref if place.base else f"New bank {place.bank}"
    of += f" with {counted({'changes': len(changes)})}" if changes and place.base else ""
    show.text(f"{of}: {counted({'questions': len(place.new)})}, {sum(one.enabled for one in place.new.values()):,} on.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for move, word, shortcut, icon in (
            ("undo", draft.can_undo if draft else "", "Ctrl+Z", ":material/undo:"),
            ("redo", draft.can_redo if draft else "", "Ctrl+Y", ":material/redo:"),
        ):
            st.button(
                move.capitalize(),
                key=f"bank_{move}",
                icon=icon,
                shortcut=shortcut,
                disabled=not word,
                help=f"{move.capitalize()}: {word}" if word else f"Nothing to {move}.",
                on_click=_move,
                args=(place, move),
            )
        st.button(
            "Throw away",
            key="bank_drop",
            icon=":material/delete_sweep:",
            disabled=draft is None,
            help="Throw the draft away; its versions stay as they are.",
            on_click=_drop,
            args=(place,),
        )
        with st.popover("Commit", icon=":material/check:", disabled=not changes), st.form("bank_commit", border=False):
            st.text_input("Reason", key="bank_reason", help=HELP["reason"])
            st.text_input("Author", key="bank_author", help=HELP["author"], persist_state="session")
            st.form_submit_button("Commit a new version", type="primary", on_click=_commit, args=(place,))
    _conflicts(place)


def _move(place: Place, move: Any) -> None:
    _try(lambda: actions.move_draft(data.store(), place.collection, str(place.draft_id), move))


def _drop(place: Place) -> None:
    if _try(lambda: actions.drop_draft(data.store(), place.collection, str(place.draft_id))):
        st.session_state[DRAFT] = ""


def _commit(place: Place, settle: Any = "refuse") -> None:
    reason, author = st.session_state.get("bank_reason", ""), st.session_state.get("bank_author", "")

    def act() -> None:
        done = actions.commit_draft(
            data.store(), place.collection, str(place.draft_id), reason=reason, author=author, settle=settle
        )
        others = f" It has {counted({'changes': len(done.merged)})} of others, too." if done.merged else ""
        st.session_state[SAID] = f"{done.ref} is stored.{others}"
        st.session_state[DRAFT], st.session_state["bank"] = "", done.bank
        st.session_state.pop(CONFLICT, None)

    try:
        _try(act) if settle == "refuse" and place.draft_id is None else act()
    except Conflicting as conflict:
        st.session_state[CONFLICT] = (place.draft_id, reason, author, conflict)
    except ExamboardError as error:
        st.session_state[REFUSED] = str(error)


def _conflicts(place: Place) -> None:
    """Questions that somebody else edited, too: both texts, and which stays."""
    draft_id, reason, author, conflict = st.session_state.get(CONFLICT, (None, "", "", None))
    if conflict is None or draft_id != place.draft_id:
        return
    with st.container(border=True):
        show.text(
            f"Somebody else committed {conflict.bank}@{conflict.version} meanwhile and edited "
            f"{counted({'questions': len(conflict.conflicts)})} that you edited, too. Nothing was stored yet."
        )
        ways = {one.key: _way(place, one) for one in conflict.conflicts}
        st.session_state["bank_reason"], st.session_state["bank_author"] = reason, author
        st.button("Commit so", key="bank_settle", type="primary", on_click=_commit, args=(place, ways))


def _way(place: Place, one: Conflict) -> str:
    show.text(f"Query {one.query_id}")
    for column, name, rows in zip(st.columns(2), ("Mine", "Theirs"), (one.mine, one.theirs), strict=True):
        with column:
            st.caption(name)
            for question in rows:
                show.text(_in_words(question))
            if not rows:
                show.text("(removed)")
    ways = ["mine", "theirs", *(["both"] if one.both is not None else [])]
    found: str = st.radio("Keep", ways, key=f"bank_way {place.draft_id} {one.key}", horizontal=True)
    return found


def _in_words(question: Question) -> str:
    beside = [
        "" if question.enabled else "off",
        question.importance or "",
        "" if question.weight == 1 else f"weight {question.weight:g}",
    ]
    return " · ".join([question.text or "(only its id is known)", *filter(None, beside)])


def _query(chosen: Chosen, place: Place) -> str | None:
    """The query whose questions are listed."""
    words = data.ask(query_texts, chosen.snapshot)
    names = list(dict.fromkeys([*(key[0] for key in place.new), *words]))
    if not names:
        return None
    held = dict.fromkeys(names, 0)
    for key in place.new:
        held[key[0]] += 1

    def told(name: str) -> str:
        return " · ".join([name, *([str(words[name])] if words.get(name) else []), counted({"questions": held[name]})])

    picked: str | None = st.selectbox(
        "Query", names, format_func=told, key=QUERY, help=HELP["query"], bind="query-params"
    )
    return picked


def _questions(place: Place, query: str | None) -> list[Question]:
    """The questions that are listed, as a table; those of the query, or those that were searched for."""
    wanted = (st.text_input("Search", key=SEARCH, help=HELP["search"], live=True, bind="query-params") or "").strip()
    every = list(place.new.values())
    if wanted:
        parts = wanted.casefold().split()
        found = [one for one in every if all(part in (one.text or one.question_id).casefold() for part in parts)]
    else:
        found = [one for one in every if one.query_id == query]
    if not found:
        show.text("No question has these words." if wanted else "No question yet: write one below.")
        return []
    if len(found) > LISTED:
        st.caption(f"The first {LISTED} of {len(found):,}.")
    return found[:LISTED]


def _state(place: Place, question: Question) -> str:
    """What was done to a question, and whether it counts."""
    was = place.old.get(question.key)
    how = "new" if was is None and not question.lineage.parents else "reworded" if was is None else ""
    how = "changed" if was is not None and was != question else how
    return ", ".join(filter(None, [how, "" if question.enabled else "off"]))


def _picked(place: Place, found: list[Question]) -> None:
    """The table, the box, and the question that is picked, to be changed."""
    if not found:
        return
    rows = ROWS.of(
        {
            "query": [one.query_id for one in found],
            "text": [one.text or one.question_id for one in found],
            "state": [_state(place, one) for one in found],
            "importance": [one.importance or "" for one in found],
            "weight": [one.weight for one in found],
        }
    )
    names = list(range(len(found)))
    if (picked := st.session_state.get(PICKED)) is not None and picked not in names:
        st.session_state[PICKED] = names[-1]
    row = show.table(rows, ROWS, key="bank_questions", alt="Questions of the bank", select=True)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        at = picking.pick(
            "Question",
            names,
            key=PICKED,
            clicked=[row],
            help=HELP["question"],
            format_func=lambda place: f"{place + 1}. {found[place].text or found[place].question_id}",
        )
        for label, shortcut, step in (("Previous", "Alt+Up", -1), ("Next", "Alt+Down", 1)):
            there = at is not None and 0 <= at + step < len(found)
            st.button(label, key=f"bank_{label}", shortcut=shortcut, disabled=not there, on_click=_go, args=(step,))
    if at is not None:
        _one(place, found[at])


def _go(step: int) -> None:
    st.session_state[PICKED] += step


def _one(place: Place, question: Question) -> None:
    """A question's fields. What the widgets show is what the draft has, whoever changed it."""
    shown = {
        "text": question.text or "",
        "importance": question.importance or NO_WORD,
        "weight": question.weight,
        "kind": question.kind,
        "gold": "\n".join(question.gold_answers or ()),
        "choices": "\n".join(question.choices or ()),
    }
    for name, value in shown.items():
        there = st.session_state.get(f"bank_{name}")
        # Somebody may be typing on: what is the same but for blanks is left as it stands in the browser.
        if (there.strip() if isinstance(there, str) else there) != value:
            st.session_state[f"bank_{name}"] = value
    change = partial(_change, place, question)
    st.text_input("Words", key="bank_text", help=HELP["words"], live=True, on_change=_reword, args=(place, question))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(
            "Switch off" if question.enabled else "Switch on",
            key="bank_switch",
            shortcut="Alt+O",
            on_click=_put,
            args=(place, question, replace(question, enabled=not question.enabled), "switched"),
        )
        st.button(
            "Delete",
            key="bank_delete",
            icon=":material/delete:",
            shortcut="Alt+Delete",
            on_click=_put,
            args=(place, question, None, "deleted"),
        )
    words = list(dict.fromkeys([NO_WORD, VITAL, OKAY, AVOID, *([question.importance] if question.importance else [])]))
    left, middle, right = st.columns(3)
    left.selectbox(
        "Importance", words, key="bank_importance", help=HELP["importance"], on_change=change, args=("importance",)
    )
    middle.number_input("Weight", 0.0, key="bank_weight", help=HELP["weight"], on_change=change, args=("weight",))
    right.selectbox("Kind", [QUESTION, CLAIM], key="bank_kind", on_change=change, args=("kind",))
    with st.expander("Answer key and choices"):
        st.text_area("Answers", key="bank_gold", help=HELP["key"], on_change=change, args=("gold",))
        st.text_area("Choices", key="bank_choices", help=HELP["choices"], on_change=change, args=("choices",))
    st.caption(f"{question.question_id}{_from(question)}")


def _from(question: Question) -> str:
    parents = question.lineage.parents
    return f" · comes from {', '.join(parents)}" if parents else ""


def _reword(place: Place, question: Question) -> None:
    """Other words, letter by letter; while there are none, the old ones stay in the draft."""
    if not (words := st.session_state["bank_text"].strip()):
        return

    def act() -> None:
        draft_id = place.draft_id or _opened(place.collection, place.bank, place.base)
        actions.reword_in_draft(data.store(), place.collection, draft_id, question.key, words)

    _try(act)


def _change(place: Place, question: Question, name: str) -> None:
    value: Any = st.session_state[f"bank_{name}"]
    changed: dict[str, Any] = {name: value}
    if name in KEYS:
        lines = tuple(line.strip() for line in value.splitlines() if line.strip())
        changed = {KEYS[name]: lines or None}
    elif name == "importance":
        changed = {name: None if value == NO_WORD else value}
    after = replace(question, **changed)
    _put(place, question, after, f"{name} of a question")


def _put(place: Place, question: Question, after: Question | None, said: str) -> None:
    if after != question:
        _do(place, [Put((question.key,), after)], said)


def _add(place: Place, query: str) -> None:
    """A new question of the query; Enter adds it."""
    with (
        st.form("bank_add", clear_on_submit=True, border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        st.text_input("New question", key="bank_added", placeholder="Write a question, press Enter")
        st.form_submit_button("Add", icon=":material/add:", on_click=_added, args=(place, query))


def _added(place: Place, query: str) -> None:
    words = st.session_state["bank_added"].strip()
    if words:
        question = Question(query, question_id(query, words), words)
        _do(place, [Put((), question)], "a new question")
