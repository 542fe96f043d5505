"""A prompt of one's own: written over the words of a mode, or a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import streamlit as st

from exam_core.errors import ExamboardError
from exam_core.grading.modes.mode import Mode
from exam_core.store.grade_segments import LARGEST_SCALE
from exam_core.wings.modes import actions
from exam_core.wings.modes.mode_reading import faults, read_mode
from pages.shared import data, doing, scrolling, show

REFUSED = "grading: why a mode could not be added"
MODE, WRITES = "grading_mode", "grading_own"
"""Keys of the box of modes, and of the switch that opens the editor."""
ABOUT = "{passage}, {question} and {query} stand for the texts. Without {question}, passages are graded as a whole."
ADD = "Keeps the prompt in this store, as a grading mode for all users of the store. Start keeps it, too."
NAME = (
    "Name of the prompt: letters, digits, - and _, at most 40, for instance my-rating; not the name of a paper's mode."
)
UNCHANGED = "Nothing is changed yet: this is still the prompt of the grading mode above, under its own name."
MEGABYTES = 1


def edit_mode(mode: Mode) -> Mode | None:
    """A mode, or what is written over its prompt; None where that is no mode, and then why."""
    if not st.toggle("A prompt of your own", key=WRITES):
        return mode
    left, right = st.columns([3, 1])
    name = left.text_input("Name of the prompt", "my-prompt", key=f"grading_own_name_{mode.called}")
    least, most = 1, LARGEST_SCALE
    scale = right.number_input("Largest grade", least, most, mode.scale, key=f"grading_own_scale_{mode.called}")
    text = st.text_area(
        "Prompt", mode.text, key=f"grading_own_text_{mode.called}", help=ABOUT, height=260, persist_state="session"
    )
    st.caption(ABOUT)
    made = _written(mode, name, text, scale)
    if made == mode:
        st.caption(UNCHANGED)
    with st.popover("Keep it without a job, or add one from a file", icon=":material/bookmark_add:"):
        off = made is None or made.called == mode.called
        content = made.toml if made else ""
        doing.button("Add the mode", _add, content, "prompt", key="grading_add_mode", icon="add", disabled=off)
        st.caption(ADD)
        file = st.file_uploader("File of a mode", key="grading_own_file", type="toml", max_upload_size=MEGABYTES)
        pair = (file.getvalue(), file.name) if file else ("", "")
        doing.button("Add the file", _add, *pair, key="grading_add_file", icon="add", disabled=not file)
        st.caption("A grading mode as `examboard mode show` prints it.")
    doing.refused(REFUSED)
    return made


def _written(mode: Mode, name: str, text: str, scale: int) -> Mode | None:
    """The mode with another prompt and scale, under another name; the same where nothing is changed."""
    if (text, scale) == (mode.text, mode.scale):
        return mode
    own: dict[str, Any] = {"name": name.strip(), "text": text, "scale": scale, "prompt_class": "", "source": ""}
    own |= {"about": "A prompt of your own.", "item": "question" if "{question}" in text else "passage"}
    if "{examples}" not in text:
        own |= {"examples": (), "example": ""}
    try:
        return read_mode(replace(mode, **own).toml, Path("prompt"))
    except ExamboardError:
        sentences = faults(replace(mode, **own))
        in_words = [f"The {sentence}" if sentence.startswith("prompt ") else sentence for sentence in sentences]
        show.problems([NAME if sentence.startswith("name is") else sentence for sentence in in_words])
        return None


def keep_mode(mode: Mode) -> None:
    """Keep a mode, and choose it; for a button's callback. Errors as `add_mode`."""
    _keep(mode.toml, "prompt")


def _add(content: str | bytes, name: str) -> None:
    with doing.refusing(REFUSED):
        _keep(content, name)


def _keep(content: str | bytes, name: str) -> None:
    st.session_state[MODE] = actions.add_mode(data.store(), content, Path(name)).called
    st.session_state.update({WRITES: False, scrolling.WANTED: MODE})
