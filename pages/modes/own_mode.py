"""The prompt of a mode as the file that makes it, and a mode of one's own: pasted, or as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from exam_core.grading.modes.mode import Mode
from exam_core.wings.modes import actions
from pages.shared import data, doing, visiting

REFUSED = "grading: why a mode could not be added"
MODE = "grading_mode"
"""Key of the box of modes."""
ABOUT = (
    "Change the text above and paste it here. {passage}, {question} and {query} stand for the texts. Without "
    "{question}, passages are graded as a whole."
)
MEGABYTES = 1


def draw(mode: Mode) -> None:
    """What a mode asks, and a place for a mode of one's own; nothing of the latter for who may not add one."""
    with st.expander("The prompt, or one of your own", icon=":material/edit_note:", key="own_mode_box"):
        st.code(mode.toml, language="toml", wrap_lines=True, height=320)
        if not visiting.allowed("edit", told=False):
            return
        text = st.text_area("A mode of your own", key="grading_own_mode", help=ABOUT, height=160)
        st.caption(ABOUT)
        file = st.file_uploader("Or its file", key="grading_own_file", type="toml", max_upload_size=MEGABYTES)
        off = not (text or file)
        doing.button("Add the mode", _add, text, file, key="grading_add_mode", icon="add", disabled=off)
        doing.refused(REFUSED)


def _add(text: str, file: Any) -> None:
    with doing.refusing(REFUSED):
        content, name = (file.getvalue(), file.name) if file else (text, "mode.toml")
        st.session_state[MODE] = actions.add_mode(data.store(), content, Path(name)).called
