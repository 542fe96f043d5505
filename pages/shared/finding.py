"""The search box on top of every page; what is found has a page of its own, at the address `search`."""

from __future__ import annotations

import streamlit as st

SEARCH, WANTED, BOX = "pages/search/search.py", "search_text", "search_for"
LABEL = "Search"


def draw() -> None:
    """The box. What is typed leads to the page, and the box is empty again."""
    st.text_input(
        LABEL,
        key=BOX,
        type="search",
        icon=":material/search:",
        placeholder=LABEL,
        label_visibility="collapsed",
        on_change=_take,
    )
    if text := st.session_state.pop(_ASKED, ""):
        st.switch_page(SEARCH, query_params={WANTED: text})


_ASKED = "a search was asked for"


def _take() -> None:
    if text := st.session_state[BOX].strip():
        st.session_state.update({BOX: "", _ASKED: text})
