"""What graders are called: a table whose names can be written over."""

from __future__ import annotations

import streamlit as st

from exam_core import actions
from exam_core.aliases import LONGEST_ALIAS
from exam_core.analysis.holdings.called import ROWS, called
from exam_core.errors import ExamboardError
from pages.shared import data, naming, show, visiting
from pages.shared.chosen import Chosen

TABLE, SAID, REFUSED = "grader_names", "graders: what was done", "graders: why not"
HOW = (
    "Click a name to change it; an empty name is guessed from the id. Charts, tables and LaTeX show names to all users "
    "of this store; links, commands, CSV and JSON keep the ids."
)


def draw(chosen: Chosen) -> None:
    """The names of the collection's grading modes, folded away; nothing where nobody graded."""
    snapshot = data.snapshot(chosen.snapshot.collection)
    rows = called(snapshot)
    if rows.empty:
        return
    refused, said = st.session_state.pop(REFUSED, None), st.session_state.get(SAID)
    if said and (said.collection != snapshot.collection or naming.name(said.grader) != said.alias):
        said = None
    with st.expander("Names of grading modes", icon=":material/label:", expanded=bool(refused or said)):
        if refused:
            show.problems([refused])
        if said:
            _done(said)
        if data.store().is_file or not visiting.allowed("edit"):
            show.table(rows, ROWS, key=TABLE)
            return
        st.caption(HOW)
        # Another key with other names: what was typed is done then, and the table starts anew.
        key = f"{TABLE}_{hash(snapshot.aliases)}_{bool(refused)}"
        st.data_editor(
            rows,
            key=key,
            hide_index=True,
            disabled=["grader", "given"],
            column_config={
                "alias": st.column_config.TextColumn(
                    ROWS["alias"].label, help=ROWS["alias"].help, max_chars=LONGEST_ALIAS, width="medium"
                ),
                "grader": st.column_config.TextColumn(ROWS["grader"].label, help=ROWS["grader"].help, width="large"),
                "given": st.column_config.CheckboxColumn(ROWS["given"].label, help=ROWS["given"].help),
            },
            on_change=_write,
            args=(key, snapshot.collection, rows["grader"].tolist()),
        )


def _done(said: actions.NamedGrader) -> None:
    """What was done, with a way back."""
    with st.container(horizontal=True, vertical_alignment="center"):
        show.text(said.sentence)
        st.button(
            "Undo",
            key="grader_names_undo",
            icon=":material/undo:",
            on_click=_undo,
            args=(said.collection, said.grader, said.given_before),
        )


def _write(key: str, collection: str, graders: list[str]) -> None:
    """Take what was typed into the table; for its callback."""
    for row, change in st.session_state[key]["edited_rows"].items():
        if "alias" in change:
            _name(collection, graders[int(row)], change["alias"] or "")


def _undo(collection: str, grader: str, alias: str) -> None:
    _name(collection, grader, alias)
    st.session_state.pop(SAID, None)


def _name(collection: str, grader: str, alias: str) -> None:
    try:
        st.session_state[SAID] = actions.name_grader(data.store(), collection, grader, alias)
    except ExamboardError as error:
        st.session_state[REFUSED] = str(error)
    naming.use(data.snapshot(collection))
