"""The editor of a bank, what an edit changes, and the bank's versions."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import streamlit as st

from exam_core.actions import lexical, uploading
from exam_core.analysis.other_labels import RELABELLED
from exam_core.errors import ExamboardError
from exam_core.jobs.ordering import Order
from exam_core.question import CLAIM, QUESTION, Question, rows_of
from exam_core.request import BankForm
from exam_core.store.evidence import passage_text
from exam_core.store.names import BankRef
from exam_core.store.question_texts import query_texts
from exam_core.store.summary import bank_version
from exam_core.table_text import Frame
from exam_core.wings.banks import actions
from exam_core.wings.banks.editing import AVOID, OKAY, VITAL, Bank, edit_of, put_back, table_of
from exam_core.wings.banks.effect import EFFECT, FIGURES, Edit, Effect, effect, graders_of
from exam_core.wings.banks.versions import (
    CHANGES,
    VERSIONS,
    change_rows,
    changes_between,
    changes_in_words,
    diff,
    questions_of,
    version_rows,
)
from exam_core.wording import counted, labels_change
from pages.shared import data, doing, naming, picking, show, visiting
from pages.shared.selection import Selection

QUERY, VIEW = "bank_query", "bank_view"
EDITS, NEW_BANK = "bank: edits that are not saved", "bank: name of the new one"
EDIT_REFUSED, EDITED = "bank: why it was refused", "bank: what was done"
TABLES = "bank: how many tables were begun"
EVERY_QUERY = "all queries"
LISTED = 2000
"""Questions of a bank that the table shows together; of a larger one it shows a query's."""
NEW_BANK_IN_BAR = (
    "<style>.st-key-bank > * { display: none; } "
    ".st-key-bank::before { content: 'Question bank: a new one, not saved yet'; font-size: 0.875rem; }</style>"
)
"""In place of the bar's bank, where the bank that is edited is not among those that it offers."""
EDITOR_HELP = {
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


def draw_editor(selection: Selection) -> None:
    """The table, what was changed in it, and its effect."""
    doing.refused(EDIT_REFUSED, EDITED)
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
    draw_effect(selection, Edit(edits.bank, edits.base, edits.old, new, state))


def _edits(selection: Selection) -> Edits | None:
    """What is edited: the bank of the bar, or a new one; None where there is no bank."""
    with st.popover("New bank", icon=":material/add:"), st.form("bank_new", border=False):
        st.text_input("Name of the bank", key="bank_new_name")
        st.form_submit_button("Begin", on_click=_begin, args=(selection,))
    unsaved: dict[tuple[str, str], Edits] = st.session_state.setdefault(EDITS, {})
    collection = selection.snapshot.collection
    ref = BankRef.parse(selection.bank_with_version) if selection.request.bank else None
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
        st.session_state[EDIT_REFUSED] = "Give the new bank a name that no other bank has, without @."
    else:
        st.session_state[NEW_BANK] = (selection.bank_name, name)


def _table(selection: Selection, edits: Edits) -> None:
    """The questions of a query, or of all, to be changed, added and removed."""
    words = data.ask(query_texts, selection.snapshot)
    queries = list(dict.fromkeys([*(question.query_id for question in edits.old.values()), *words]))
    called = {name: f"{name} · {words[name]}" for name in queries if words.get(name)}
    every = [EVERY_QUERY] if len(edits.rows) <= LISTED else []
    query = naming.box(st.selectbox, "Query", [*queries, *every], key=QUERY, help=EDITOR_HELP["query"], called=called)
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
        "question_text": column.TextColumn("Question", width="large", help=EDITOR_HELP["words"], required=True),
        "enabled": column.CheckboxColumn("On", default=True),
        "importance": column.SelectboxColumn("Importance", options=list(importances), help=EDITOR_HELP["importance"]),
        "weight": column.NumberColumn("Weight", min_value=0.0, default=1.0, help=EDITOR_HELP["weight"]),
        "gold_answers": column.ListColumn("Answers", help=EDITOR_HELP["answers"]),
        "choices": column.ListColumn("Choices", help=EDITOR_HELP["choices"]),
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
    version = f"{edits.bank}, version {BankRef.parse(edits.ref).version}"
    of = version if edits.base else f"New bank {edits.bank}"
    unsaved = f"Not saved: {changes}." if changes else ""
    used = "all in use" if on == len(new) > 0 else f"{on:,} in use"
    show.text(f"{of}: {counted({'questions': len(new)})}, {used}. {unsaved}")
    with st.popover("Save", icon=":material/save:", disabled=not changes), st.form("bank_save", border=False):
        st.text_input("Reason", key="bank_reason", help=EDITOR_HELP["reason"])
        st.text_input("Author", key="bank_author", help=EDITOR_HELP["author"], persist_state="session")
        st.form_submit_button("Save a new version", type="primary", on_click=_saved, args=(selection, edits, new))
    discard: Any = {"key": "bank_discard", "icon": "undo", "disabled": not changes and edits.base is not None}
    doing.button("Discard", _forget, selection.snapshot.collection, edits.bank, **discard)


def _forget(collection: str, bank: str) -> None:
    st.session_state[EDITS].pop((collection, bank), None)
    st.session_state.pop(NEW_BANK, None)


def _saved(selection: Selection, edits: Edits, new: Bank) -> None:
    """Save the table; where others saved meanwhile, show what differs from theirs."""
    collection = selection.snapshot.collection
    by = {name: st.session_state[f"bank_{name}"] for name in ("reason", "author")}
    with doing.refusing(EDIT_REFUSED):
        done = actions.edit_bank(data.store(), collection, edits.bank, new, base=edits.base, **by)
        _forget(collection, edits.bank)
        st.session_state["bank"], stored = edits.bank, f"{done.ref} is stored."
        if not done.beside:
            st.session_state[EDITED] = stored
            return
        theirs = BankRef(edits.bank, done.beside)
        st.session_state[REVERTED] = f"{stored} Meanwhile somebody else saved {theirs}, which is kept as well."
        st.session_state.update({VIEW: "Versions", OLD_VERSION: done.beside, NEW_VERSION: done.version})


GRADER, GRADING_REFUSED = "bank_grader", "bank: why it can't be graded"
LEXICAL = (
    "Grades missing pairs by the words that passage and question (or answer key) share: at once, without a model, for "
    "a first look at an edit."
)
LISTED_PASSAGES, FIRST = 300, 3
"""Passages that the table and the box list, and questions without a grade that are named."""
OF = "The grading mode whose grades show the effect of the edit."
PICK = "The passage whose text is shown. Click a row of the table."


def draw_effect(selection: Selection, edit: Edit) -> None:
    """What changes between the version and the table, under one grader."""
    st.header("What changes")
    snapshot = selection.restricted(data.snapshot(selection.snapshot.collection)).without(selection.snapshot.left_out)
    known = graders_of(snapshot, edit)
    if known:
        index = known.index(selection.series[0]) if selection.series and selection.series[0] in known else 0
        grader = naming.box(st.selectbox, "Grading mode", known, index=index, key=GRADER, help=OF)
        request = replace(selection.request, grader=grader)
        try:
            result = data.ask(effect, snapshot, edit, request, relevant_from=request.relevant_from)
        except ExamboardError as error:
            show.problems(str(error).splitlines())
        else:
            before, after = result.enabled
            show.text(f"{after:,} graded questions count" + (f", {before:,} before." if result.before else "."))
            show.table(result.figures, FIGURES, key="bank_figures")
            _runs(result)
            _passages(selection, result)
            _ungraded([edit.new[key] for key in result.ungraded])
    else:
        show.text("Nobody has graded a question of this bank yet.")
    _grading(selection, edit)


def _runs(result: Effect) -> None:
    """The runs that move, or all where there was no board before."""
    rows = result.rows
    moved = rows if result.before is None else rows[(rows["change"] != 0) | (rows["rank_change"] != 0)]
    if moved.empty:
        show.text("No run changes.")
        return
    if result.before is not None:
        beyond = int(moved["beyond_chance"].sum())
        places = int((moved["rank_change"] != 0).sum())
        scores = int((moved["change"] != 0).sum())
        show.text(
            f"{counted({'scores': scores})} and {counted({'ranks': places})} change, {beyond or 'none'} significantly."
        )
    names = ["run_id", "rank_before", "rank_after", "mean_before", "mean_after", "change", "beyond_chance"]
    show.table(moved[names], EFFECT, key="bank_runs", export=rows)


def _passages(selection: Selection, result: Effect) -> None:
    rows = result.relabelled
    if rows.empty:
        show.text("No passage gets another label.")
        return
    show.text(labels_change(len(rows), int(rows["crosses_tau"].sum())))
    first = rows.head(LISTED_PASSAGES)
    row = show.table(first, RELABELLED, key="bank_passages", select=True, export=rows)
    pairs = [f"{pair.query_id} {pair.doc_id}" for pair in first.itertuples()]
    picked = picking.pick("Passage", pairs, key="bank_passage", clicked=[picking.in_row(pairs, row)], help=PICK)
    if picked is not None:
        text = data.ask(passage_text, selection.snapshot, rows["doc_id"][pairs.index(picked)])
        show.text(text or "Its text is not known.")


def _ungraded(questions: list[Question]) -> None:
    if not questions:
        return
    sentences = [f"Not graded yet, and so counted as unanswered: {counted({'questions': len(questions)})}."]
    sentences += [question.text or question.question_id for question in questions[:FIRST]]
    if len(questions) > FIRST:
        sentences.append(f"and {len(questions) - FIRST:,} more")
    show.problems(sentences)


def _grading(selection: Selection, edit: Edit) -> None:
    """Grade what is missing of a version: lexically at once, or on the page of jobs."""
    if edit.base is None or edit.new != edit.old:
        show.text("New and reworded questions can be graded when they are saved.")
        return
    collection, ref = selection.snapshot.collection, str(BankRef(edit.bank, edit.base))
    if st.button("Grade by words", key="bank_lexical", icon=":material/bolt:", help=LEXICAL, shortcut="Alt+L"):
        order = Order(collection, bank=ref)
        with doing.refusing(GRADING_REFUSED), data.report_progress("Comparing words") as progress:
            lexical.grade_lexically(data.store(), order, progress=progress)
        st.rerun()
    show.link("pages/grading/grading.py", "Grade with a model", ":material/grading:")
    doing.refused(GRADING_REFUSED)


OLD_VERSION, NEW_VERSION, REVERT_REFUSED, REVERTED = (
    "bank_old",
    "bank_new_version",
    "bank: why it can't go back",
    "bank: where it went back to",
)
NEWEST = "newest"
FORMS: dict[BankForm, str] = {
    "workbench": "the authors' workbench",
    "nuggetbank": "NuggetBank v3",
    "nuggetizer": "AutoNuggetizer",
    "ragtime26": "RAGTIME26",
    "csv": "CSV",
    "json": "JSON",
}
HISTORY_HELP = {
    "old": "The first version of the comparison.",
    "new": "The second version of the comparison.",
    "exported": "The version to save.",
    "form": "Format of the file. Fields that the format lacks are left out.",
    "back": "Makes a new version that equals the first version of the comparison. No version is removed.",
}


def draw_history(selection: Selection) -> None:
    """The bank's versions, and two of them side by side."""
    bank = selection.bank_name
    if bank is None:
        show.text(f"{selection.snapshot.collection} has no question bank yet.")
        return
    snapshot = data.snapshot(selection.snapshot.collection)
    doing.refused(REVERT_REFUSED, REVERTED)
    rows = data.ask(version_rows, snapshot, bank)
    show.table(rows, VERSIONS, key="bank_versions", alt=f"Versions of bank {bank}, oldest first")
    versions = rows["version"].tolist()
    _export(selection, bank, versions)
    if len(versions) > 1:
        _difference(selection, bank, versions)


def _export(selection: Selection, bank: str, versions: list[int]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        listed = [NEWEST, *map(str, versions[::-1])]
        version = st.selectbox("Version", listed, key="bank_exported", help=HISTORY_HELP["exported"])
        form = st.selectbox(
            "Format", list(FORMS), format_func=FORMS.__getitem__, key="bank_form", help=HISTORY_HELP["form"]
        )
        ref = BankRef(bank, versions[-1] if version == NEWEST else int(version))
        try:
            content = data.ask(actions.bank_text, data.snapshot(selection.snapshot.collection), ref, form)
        except ExamboardError as error:
            show.problems(str(error).splitlines())
            return
        ending = form if form in ("csv", "json") else "jsonl"
        name = uploading.plain_file_name(f"{selection.snapshot.collection}-{ref}.{ending}")
        st.download_button("Download", content, name, key="bank_download", icon=":material/download:")


def _difference(selection: Selection, bank: str, versions: list[int]) -> None:
    """What differs between two versions, and the button that goes back to the first of them."""
    snapshot = data.snapshot(selection.snapshot.collection)
    left, right = st.columns(2)
    old = left.selectbox(
        "From", versions, index=len(versions) - 2, key=OLD_VERSION, help=HISTORY_HELP["old"], bind="query-params"
    )
    new = right.selectbox(
        "To", versions, index=len(versions) - 1, key=NEW_VERSION, help=HISTORY_HELP["new"], bind="query-params"
    )
    changes = data.ask(changes_between, snapshot, str(BankRef(bank, old)), str(BankRef(bank, new)))
    if changes:
        show.text(f"{counted({'changes': len(changes)})} from {BankRef(bank, old)} to {BankRef(bank, new)}:")
        show.table(change_rows(changes), CHANGES, key="bank_changes")
    else:
        show.text("The two versions are equal.")
    if not visiting.allowed("edit", text=False):
        return
    ref = BankRef(bank, old)
    with st.popover(f"Go back to {ref}", icon=":material/history:"), st.form("bank_back", border=False):
        st.text_input("Reason", key="bank_back_reason")
        args = (selection.snapshot.collection, ref)
        st.form_submit_button("Go back", help=HISTORY_HELP["back"], on_click=_back, args=args)


def _back(collection: str, ref: BankRef) -> None:
    reason, author = st.session_state["bank_back_reason"], st.session_state.get("bank_author", "")
    with doing.refusing(REVERT_REFUSED):
        done = actions.revert_bank(data.store(), collection, str(ref), reason=reason, author=author)
        equal = f"{done.ref} is equal to {ref}."
        st.session_state[REVERTED] = equal if done.changed else f"{done.ref} is equal to that version already."
