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
    """A button that calls `act` before the page is drawn anew; `icon` is one of Google's Material symbols."""
    more |= {"icon": f":material/{icon}:"} if icon else {}
    return bool(st.button(label, key=key, on_click=act, args=args, **more))


def choose(label: str, *, key: str, icon: str = "", **state: Any) -> bool:
    """A button that sets widgets, by their keys, before the page is drawn anew."""
    return button(label, st.session_state.update, state, key=key, icon=icon)


@contextmanager
def refusing(key: str) -> Iterator[None]:
    """Keep a refusal until `refused` shows it: a callback runs before its page is drawn."""
    try:
        yield
    except ExamboardError as error:
        st.session_state[key] = str(error)


def refused(key: str, done: str = "") -> bool:
    """Show once a refusal, and what was kept under the key `done`; returns whether there was a refusal."""
    refusal = st.session_state.pop(key, None) or ""
    show.problems(refusal.splitlines())
    if done and (report := st.session_state.pop(done, None)):
        show.text(report)
    return bool(refusal)


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
    of : the column that names a row; `write` gets that name and the new value
    shown : Streamlit's settings of the columns
    key : another one with other rows, so that the table starts anew when the change is done
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
