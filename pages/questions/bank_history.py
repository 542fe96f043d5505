"""The versions of a bank: how each came about, what differs between two, and going back."""

from __future__ import annotations

import streamlit as st

from exam_core.actions import uploading
from exam_core.errors import ExamboardError
from exam_core.store.names import BankRef
from exam_core.wings.banks import actions
from exam_core.wings.banks.bank_files import BankForm
from exam_core.wings.banks.versions import CHANGES, VERSIONS, change_rows, changes_between, version_rows
from exam_core.wording import counted
from pages.shared import data, doing, show, visiting
from pages.shared.selection import Selection

OLD, NEW, REFUSED, SAID = "bank_old", "bank_new_version", "bank: why it can't go back", "bank: where it went back to"
NEWEST = "newest"
FORMS: dict[BankForm, str] = {
    "workbench": "the authors' workbench",
    "nuggetbank": "NuggetBank v3",
    "nuggetizer": "AutoNuggetizer",
    "ragtime26": "RAGTIME26",
    "rubrics": "rubrics",
    "csv": "CSV",
    "json": "JSON",
}
HELP = {
    "old": "The first version of the comparison.",
    "new": "The second version of the comparison.",
    "exported": "The version to save.",
    "form": "Format of the file. Fields that the format lacks are left out.",
    "back": "Makes a new version that equals the first version of the comparison. No version is removed.",
}


def draw(selection: Selection) -> None:
    """The bank's versions, and two of them side by side."""
    bank = selection.bank_name
    if bank is None:
        show.text(f"{selection.snapshot.collection} has no question bank yet.")
        return
    snapshot = data.snapshot(selection.snapshot.collection)
    doing.refused(REFUSED, SAID)
    rows = data.ask(version_rows, snapshot, bank)
    show.table(rows, VERSIONS, key="bank_versions", alt=f"Versions of bank {bank}, oldest first")
    versions = rows["version"].tolist()
    _export(selection, bank, versions)
    if len(versions) > 1:
        _difference(selection, bank, versions)


def _export(selection: Selection, bank: str, versions: list[int]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        listed = [NEWEST, *map(str, versions[::-1])]
        version = st.selectbox("Version", listed, key="bank_exported", help=HELP["exported"])
        form = st.selectbox("Format", list(FORMS), format_func=FORMS.__getitem__, key="bank_form", help=HELP["form"])
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
    old = left.selectbox("From", versions, index=len(versions) - 2, key=OLD, help=HELP["old"], bind="query-params")
    new = right.selectbox("To", versions, index=len(versions) - 1, key=NEW, help=HELP["new"], bind="query-params")
    changes = data.ask(changes_between, snapshot, str(BankRef(bank, old)), str(BankRef(bank, new)))
    if changes:
        show.text(f"{counted({'changes': len(changes)})} from {BankRef(bank, old)} to {BankRef(bank, new)}:")
        show.table(change_rows(changes), CHANGES, key="bank_changes")
    else:
        show.text("The two versions are equal.")
    if not visiting.allowed("edit", text=False):
        return
    with st.popover(f"Go back to {BankRef(bank, old)}", icon=":material/history:"), st.form("bank_back", border=False):
        st.text_input("Reason", key="bank_back_reason")
        st.form_submit_button(
            "Go back", help=HELP["back"], on_click=_back, args=(selection.snapshot.collection, bank, old)
        )


def _back(collection: str, bank: str, version: int) -> None:
    with doing.refusing(REFUSED):
        done = actions.revert_bank(
            data.store(),
            collection,
            str(BankRef(bank, version)),
            reason=st.session_state["bank_back_reason"],
            author=st.session_state.get("bank_author", ""),
        )
        equal = f"{done.ref} is equal to {BankRef(bank, version)}."
        st.session_state[SAID] = equal if done.changed else f"{done.ref} is equal to that version already."
