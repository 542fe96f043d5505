"""What a button or a cell does: why it was refused, said where the page is drawn next, and a way back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import streamlit as st

from exam_core.errors import ExamboardError
from exam_core.table_text import Frame
from pages.shared import show


def button(label: str, act: Callable[..., Any], *args: Any, key: str, icon: str = "", **more: Any) -> bool:
    """A button that does something before the page is drawn anew.

    Parameters
    ----------
    act : gets `args`
    icon : its name among Google's Material symbols
    more : of `st.button`
    """
    more |= {"icon": f":material/{icon}:"} if icon else {}
    return bool(st.button(label, key=key, on_click=act, args=args, **more))


def choose(label: str, *, key: str, icon: str = "", **state: Any) -> bool:
    """A button that sets widgets, by their keys, before the page is drawn anew."""
    return button(label, st.session_state.update, state, key=key, icon=icon)


@contextmanager
def refusing(key: str) -> Iterator[None]:
    """Keep why something is refused until `refused` says it: a callback runs before its page is drawn."""
    try:
        yield
    except ExamboardError as error:
        st.session_state[key] = str(error)


def refused(key: str, done: str = "") -> bool:
    """Say once why something was refused, or under the key `done` what was done; whether it was refused."""
    value = st.session_state.pop(key, None) or ""
    show.problems(value.splitlines())
    if done and (report := st.session_state.pop(done, None)):
        show.text(report)
    return bool(value)


def way_back(message: str, act: Callable[..., Any], *args: Any, key: str) -> None:
    """What was done, with a way back."""
    with st.container(horizontal=True, vertical_alignment="center"):
        show.text(message)
        button("Undo", act, *args, key=key, icon="undo")


def write_over(
    rows: Frame, of: str, column: str, write: Callable[[str, Any], Any], shown: Mapping[str, Any], *, key: str
) -> None:
    """A table of which one column can be written over.

    Parameters
    ----------
    of : the column that names a row for `write`, which gets what was written as well
    shown : how the columns are shown
    key : another one with other rows: what was written is done then, and the table starts anew
    """
    st.data_editor(
        rows,
        key=key,
        hide_index=True,
        disabled=[name for name in rows if name != column],
        column_config=dict(shown),
        on_change=_written,
        args=(key, column, rows[of].tolist(), write),
    )


def _written(key: str, column: str, names: list[str], write: Callable[[str, Any], Any]) -> None:
    for row, change in st.session_state[key]["edited_rows"].items():
        if column in change:
            write(names[int(row)], change[column])
