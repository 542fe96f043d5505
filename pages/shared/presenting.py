"""The presentation mode: large type, nothing but the page, and keys that turn the pages."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from exam_core.reports.tables import Frame
from exam_core.results import ResultTable
from pages.shared import controls
from pages.shared.static import Static
from pages.shared.static import draw as draw_tables

ROWS = 12
"""Rows of a table that are shown to a room."""
_STYLE = """
<style>
html { font-size: 24px; }
[data-testid="stSidebar"], [data-testid="stHeader"], [data-testid="stSidebarCollapsedControl"] { display: none; }
[data-testid="stMainBlockContainer"] { padding: 1rem 2rem; }
.st-key-turn_pages { position: absolute; top: 0.5rem; right: 0; z-index: 100; width: auto; }
</style>
"""


def on() -> bool:
    """Whether the page is being presented."""
    return bool(st.session_state.get(controls.PRESENTING))


def draw(pages: Sequence[tuple[str, str]], title: str) -> None:
    """Large type, and the buttons that turn to the page before and after and leave.

    Parameters
    ----------
    pages : file and title of each page, in order
    title : of the page that is shown
    """
    st.html(_STYLE)
    here = [label for _, label in pages].index(title)
    turns = {"Previous": (pages[here - 1], "Left"), "Next": (pages[(here + 1) % len(pages)], "Right")}
    with st.container(horizontal=True, key="turn_pages"):
        for word, ((path, label), key) in turns.items():
            if st.button(word, key=f"turn_{word}", shortcut=key, help=label):
                st.switch_page(path, query_params={"present": "1"})
        st.button("Leave", key="turn_leave", shortcut="Escape", on_click=controls.leave_presentation)


def table(frame: Frame, of: ResultTable, alt: str) -> None:
    """The first rows of a frame in large type."""
    draw_tables([Static("", frame.head(ROWS), of, alt, titled=False)])
    if len(frame) > ROWS:
        st.caption(f"The first {ROWS} of {len(frame)} rows.")
