"""Whether a slide is shown in the place of the page."""

from __future__ import annotations

import streamlit as st

PRESENTING = "presenting"
PRESENT = (
    "One chart a screen. Page Down and Space turn the slides, up and down move tau, ? shows all keys, Escape leaves."
)


def is_presented() -> bool:
    """Whether the page is presented; `?present=1` does so."""
    address = st.query_params
    on = bool(st.session_state.setdefault(PRESENTING, address.get("present") == "1"))
    if on and address.get("present") != "1":
        address["present"] = "1"
    elif not on and "present" in address:
        del address["present"]
    return on


def begin() -> None:
    """Turn the presentation on; for a button's callback."""
    st.session_state[PRESENTING] = True


def leave() -> None:
    """Turn the presentation off; for a button's callback."""
    st.session_state[PRESENTING] = False
