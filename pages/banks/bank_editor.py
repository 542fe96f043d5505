"""The editor of a bank: its questions, one of them to change, a new one, and near duplicates."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from exam_core.question import CLAIM, QUESTION, Question, plain
from exam_core.reports.tables import Frame
from exam_core.results import ResultTable, number, text
from exam_core.store.question_texts import query_texts
from exam_core.wings.banks import actions
from exam_core.wings.banks.analysis.effect import Edit
from exam_core.wings.banks.bank_questions import AVOID, OKAY, VITAL, merged, question_id
from exam_core.wings.banks.draft import Put
from exam_core.wings.banks.duplicates import near_duplicates
from exam_core.wording import counted
from pages.banks import bank_effect
from pages.banks.bank_draft import REFUSED, SAID, EditedBank, do, in_words, place_of, toolbar
from pages.shared import data, doing, fields, naming, picking, show
from pages.shared.chosen import Chosen

QUERY, PICKED, SEARCH = "bank_query", "bank_question", "bank_search"
AT = "bank: place of the question that is picked"
BOTH = "bank: near duplicates that stay"
ALIKE = 0.8
"""Questions at least so alike are shown as near duplicates."""
LISTED = 300
"""Questions that the box and the table list."""
NO_WORD = "none"
KEYS = {"gold": "gold_answers", "choices": "choices"}
ROWS = ResultTable(
    "questions of a bank that is edited",
    "The questions of a query, or those that were found",
    text("state", "State", "The changes of this draft.", width="small"),
    text("text", "Question", width="large"),
    text("importance", "Importance"),
    number("weight", "Weight", unit="weight"),
    text("query", "Query", pinned=False),
)
HELP = {
    "query": "The query whose questions are listed.",
    "search": "Lists questions of all queries that contain these words. If empty: the questions of the chosen query.",
    "question": "The question shown below. Click a row, or press Alt+Down or Alt+Up.",
    "words": "Text of the question. A reworded question is a new one, linked to the old one and not graded yet.",
    "importance": "Vital, okay, or avoid (what an answer should not contain; not scored).",
    "weight": "0 or more. Used by wCover alone.",
    "key": "Correct answers, one per line, for grading modes that verify answers.",
    "choices": "Choices of a multiple-choice question, one per line.",
    "merge": "Joins the two into one question with this text and the answers of both.",
    "keep": "Keeps both, and hides the pair until the page is reloaded.",
}


def draw(chosen: Chosen) -> None:
    """The whole editor."""
    place = place_of(chosen)
    doing.refused(REFUSED, SAID)
    if place is None:
        show.text(f"{chosen.snapshot.collection} has no question bank yet. Name one above, and write its questions.")
        return
    toolbar(place)
    left, right = st.columns([3, 2], gap="large")
    with left:
        query = _query(chosen, place)
        shown = _questions(place, query)
        _picked(place, shown)
        if query:
            _add(place, query)
            _duplicates(place, query)
    with right:
        state = f"{place.draft_id} {place.draft.mark}" if place.draft else ""
        bank_effect.draw(chosen, Edit(place.bank, place.base, place.old, place.new, state))


def _query(chosen: Chosen, place: EditedBank) -> str | None:
    words = data.ask(query_texts, chosen.snapshot)
    names = list(dict.fromkeys([*(key[0] for key in place.new), *words]))
    if not names:
        return None
    called = {name: f"{name} · {words[name]}" for name in names if words.get(name)}
    return naming.box(st.selectbox, "Query", names, key=QUERY, help=HELP["query"], called=called)


def _questions(place: EditedBank, query: str | None) -> list[Question]:
    """The questions that are listed, as a table; those of the query, or those that were searched for."""
    wanted = (st.text_input("Search", key=SEARCH, help=HELP["search"], live=True, bind="query-params") or "").strip()
    every = list(place.new.values())
    if wanted:
        parts = plain(wanted.casefold()).split()
        found = [one for one in every if all(part in plain((one.text or one.question_id).casefold()) for part in parts)]
    else:
        found = [one for one in every if one.query_id == query]
    if not found:
        show.text("No question has these words." if wanted else "No question yet: write one below.")
        return []
    if len(found) > LISTED:
        st.caption(f"The first {LISTED} of {len(found):,}.")
    return found[:LISTED]


def _state(place: EditedBank, question: Question) -> str:
    """What was done to a question, and whether it counts."""
    was = place.old.get(question.key)
    how = "new" if was is None and not question.lineage.parents else "reworded" if was is None else ""
    how = "changed" if was is not None and was != question else how
    return ", ".join(filter(None, [how, "" if question.enabled else "off"]))


def _told(rows: Frame) -> Frame:
    """The columns that tell something: an importance, another weight than 1, several queries."""
    silent = {
        "importance": rows["importance"].eq("").all(),
        "weight": rows["weight"].eq(1).all(),
        "query": rows["query"].nunique() == 1,
    }
    return rows.drop(columns=[name for name, is_silent in silent.items() if is_silent])


def _picked(place: EditedBank, found: list[Question]) -> None:
    """The table, the box, and the question that is picked, to be changed."""
    if not found:
        return
    rows = ROWS.of(
        {
            "state": [_state(place, one) for one in found],
            "text": [one.text or one.question_id for one in found],
            "importance": [one.importance or "" for one in found],
            "weight": [one.weight for one in found],
            "query": [one.query_id for one in found],
        }
    )
    names = list(range(len(found)))
    # The box forgets its choice when the words of an option change.
    if st.session_state.get(PICKED) not in names:
        st.session_state[PICKED] = min(st.session_state.get(AT, 0), names[-1])
    row = show.table(_told(rows), ROWS, key="bank_questions", select=True, export=rows)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        at = picking.pick(
            "Question",
            names,
            key=PICKED,
            clicked=[row],
            help=HELP["question"],
            bind=None,
            format_func=lambda place: f"{place + 1}. {found[place].text or found[place].question_id}",
        )
        for label, shortcut, step in (("Previous", "Alt+Up", -1), ("Next", "Alt+Down", 1)):
            there = at is not None and 0 <= at + step < len(found)
            doing.button(label, _go, step, key=f"bank_{label}", shortcut=shortcut, disabled=not there)
    st.session_state[AT] = at
    if at is not None:
        _one(place, found[at])


def _go(step: int) -> None:
    st.session_state[PICKED] += step


def _one(place: EditedBank, question: Question) -> None:
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
        if isinstance(there, str) and there.strip() == value:
            shown[name] = there
    importances = [NO_WORD, VITAL, OKAY, AVOID, *([question.importance] if question.importance else [])]
    words, kinds = list(dict.fromkeys(importances)), [QUESTION, CLAIM]

    def drawn(name: str) -> dict[str, Any]:
        key, value = f"bank_{name}", shown[name]
        choices: list[Any] = {"importance": words, "kind": kinds}.get(name, [])
        default = {"index": choices.index(value)} if choices else {"value": value}
        return {"key": key, **fields.begin(key, value, **default)}

    change = partial(_change, place, question)
    st.text_input("Words", help=HELP["words"], live=True, on_change=_reword, args=(place, question), **drawn("text"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label, switched = (
            f"Switch {'off' if question.enabled else 'on'}",
            replace(question, enabled=not question.enabled),
        )
        doing.button(label, _put, place, question, switched, "switched", key="bank_switch", shortcut="Alt+O")
        look: dict[str, Any] = {"key": "bank_delete", "icon": "delete", "shortcut": "Alt+Delete"}
        doing.button("Delete", _put, place, question, None, "deleted", **look)
    left, middle, right = st.columns(3)
    left.selectbox(
        "Importance", words, help=HELP["importance"], on_change=change, args=("importance",), **drawn("importance")
    )
    middle.number_input("Weight", 0.0, help=HELP["weight"], on_change=change, args=("weight",), **drawn("weight"))
    right.selectbox("Kind", kinds, on_change=change, args=("kind",), **drawn("kind"))
    with st.expander("Answer key and choices"):
        st.text_area("Answers", help=HELP["key"], on_change=change, args=("gold",), **drawn("gold"))
        st.text_area("Choices", help=HELP["choices"], on_change=change, args=("choices",), **drawn("choices"))
    st.caption(f"{question.question_id}{_from(question)}")


def _from(question: Question) -> str:
    parents = question.lineage.parents
    return f" · comes from {', '.join(parents)}" if parents else ""


def _reword(place: EditedBank, question: Question) -> None:
    """Other words, letter by letter; while there are none, the old ones stay in the draft."""
    if words := st.session_state["bank_text"].strip():
        do(place, actions.reword_in_draft, question.key, words)


def _change(place: EditedBank, question: Question, name: str) -> None:
    value: Any = st.session_state[f"bank_{name}"]
    changed: dict[str, Any] = {name: value}
    if name in KEYS:
        lines = tuple(line.strip() for line in value.splitlines() if line.strip())
        changed = {KEYS[name]: lines or None}
    elif name == "importance":
        changed = {name: None if value == NO_WORD else value}
    _put(place, question, replace(question, **changed), f"{name} of a question")


def _put(place: EditedBank, question: Question, after: Question | None, said: str) -> None:
    if after != question:
        do(place, actions.edit_draft, [Put((question.key,), after)], said)


def _add(place: EditedBank, query: str) -> None:
    with (
        st.form("bank_add", clear_on_submit=True, border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        label = f"New question for query {show.escaped(query)}"
        st.text_input(label, key="bank_added", placeholder="Write a question, press Enter")
        st.form_submit_button("Add", icon=":material/add:", on_click=_added, args=(place, query))


def _added(place: EditedBank, query: str) -> None:
    if words := st.session_state["bank_added"].strip():
        question = Question(query, question_id(query, words), words)
        do(place, actions.edit_draft, [Put((), question)], "a new question")


def _duplicates(place: EditedBank, query: str) -> None:
    """Two questions of the query in nearly the same words, side by side, to be merged by a key."""
    mine = {key: one for key, one in place.new.items() if key[0] == query and one.enabled}
    left_alone = st.session_state.setdefault(BOTH, set())
    pairs = [one for one in near_duplicates(mine, ALIKE) if (one.one.key, one.other.key) not in left_alone]
    if not pairs:
        return
    found = pairs[0]
    with st.container(border=True):
        show.text(f"Near duplicates of this query: {counted({'pairs': len(pairs)})}. {found.alike:.0%} alike:")
        for column, question in zip(st.columns(2), (found.one, found.other), strict=True):
            with column:
                show.text(in_words(question))
        with st.container(horizontal=True):
            for number, side, first, second in (
                (1, "left", found.one, found.other),
                (2, "right", found.other, found.one),
            ):
                look: Any = {"key": f"bank_merge_{number}", "shortcut": f"Alt+{number}", "help": HELP["merge"]}
                as_one = [Put((first.key, second.key), merged([first, second]))], "two questions as one"
                doing.button(f"Merge, keep the {side}", do, place, actions.edit_draft, *as_one, **look)
            keys = found.one.key, found.other.key
            doing.button("Keep both", left_alone.add, keys, key="bank_keep", shortcut="Alt+3", help=HELP["keep"])
