"""What graders are called: a table whose names can be written over."""

from __future__ import annotations

from functools import partial

import streamlit as st

from exam_core.actions import tagging
from exam_core.aliases import LONGEST_ALIAS
from exam_core.analysis.contents import DISPLAY_NAMES, display_names
from pages.shared import boxes, data, doing, naming, show, visiting
from pages.shared.selection import Selection

TABLE, SAID, REFUSED = "grader_names", "graders: what was done", "graders: why not"
HOW = (
    "Click a name to change it; an empty name is guessed from the id. Charts, tables and LaTeX show names to all users "
    "of this store; links, commands, CSV and JSON keep the ids."
)


def draw(selection: Selection) -> None:
    """The names of the collection's grading modes, folded away; nothing where nobody graded."""
    snapshot = data.snapshot(selection.snapshot.collection)
    rows = display_names(snapshot)
    if rows.empty:
        return
    text = st.session_state.get(SAID)
    if text and (text.collection != snapshot.collection or naming.name(text.grader) != text.alias):
        text = None
    opened = bool(REFUSED in st.session_state or text)
    with boxes.options("Names of grading modes", icon=":material/label:", key="grader_names_box", opened=opened):
        refused = doing.refused(REFUSED)
        if text:
            back = text.collection, text.grader, text.given_before
            doing.way_back(text.sentence, _undo, *back, key="grader_names_undo")
        if data.store().is_file or not visiting.allowed("edit"):
            show.table(rows, DISPLAY_NAMES, key=TABLE)
            return
        st.caption(HOW)
        shown = {
            "alias": st.column_config.TextColumn(
                DISPLAY_NAMES["alias"].label, help=DISPLAY_NAMES["alias"].help, max_chars=LONGEST_ALIAS, width="medium"
            ),
            "grader": st.column_config.TextColumn(
                DISPLAY_NAMES["grader"].label, help=DISPLAY_NAMES["grader"].help, width="large"
            ),
            "given": st.column_config.CheckboxColumn(DISPLAY_NAMES["given"].label, help=DISPLAY_NAMES["given"].help),
        }
        key = f"{TABLE}_{hash(snapshot.aliases)}_{refused}"
        doing.write_over(rows, "grader", "alias", partial(_name, snapshot.collection), shown, key=key)


def _undo(collection: str, grader: str, alias: str) -> None:
    _name(collection, grader, alias)
    st.session_state.pop(SAID, None)


def _name(collection: str, grader: str, alias: str | None) -> None:
    with doing.refusing(REFUSED):
        st.session_state[SAID] = tagging.name_grader(data.store(), collection, grader, alias or "")
    naming.use(data.snapshot(collection))
