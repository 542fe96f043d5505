"""To what a click has opened: it is brought into view once, at the end of the run that draws it."""

from __future__ import annotations

import streamlit as st

from pages.shared.components import component

WANTED, _TIMES = "scroll to", "scrolled"
_scroll = component("scroll", __file__)


def to(key: str) -> None:
    """Bring the element of a key into view when this run is drawn; the last call of a run counts."""
    st.session_state[WANTED] = key


def back(key: str) -> None:
    """A button that leads back to a chart, from what a click on it has opened; by keyboard, too."""
    st.button(
        "Back to the chart",
        key=f"back_to_{key}",
        icon=":material/arrow_upward:",
        type="tertiary",
        on_click=to,
        args=(key,),
    )


def draw() -> None:
    """Scroll where this run asked for it; nothing is drawn otherwise.

    It comes last on a page: what is opened is there by then, and nothing below it changes its place.
    """
    key = st.session_state.pop(WANTED, None)
    if key is None:
        return
    times = st.session_state[_TIMES] = st.session_state.get(_TIMES, 0) + 1
    _scroll(key=_TIMES.upper(), data={"to": key, "times": times})
