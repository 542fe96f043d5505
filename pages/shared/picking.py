"""A select box that a click on a chart or a row of a table sets too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st


def pick(
    label: str, options: Sequence[Any], *, key: str, clicked: Sequence[Any] = (), help: str, **more: Any
) -> Any | None:
    """The option that was chosen last, in the box or by a click.

    Parameters
    ----------
    clicked : what each chart or table has as its selection, None for nothing; a selection counts when it is new, so
        that one that stays does not overrule the box
    more : of the select box

    Returns
    -------
    None where there are no options
    """
    memory = f"{key} clicked"
    before = st.session_state.get(memory, ())
    for place, option in enumerate(clicked):
        was = before[place] if place < len(before) else None
        if option is not None and option != was and option in options:
            st.session_state[key] = option
    st.session_state[memory] = tuple(clicked)
    return st.selectbox(label, options, key=key, help=help, bind="query-params", **more)
