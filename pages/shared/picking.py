"""A select box that a click on a chart or a row of a table sets too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages.shared import scrolling


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
            scrolling.to(key)
    st.session_state[memory] = tuple(clicked)
    return st.selectbox(label, options, key=key, help=help, bind="query-params", **more)


def is_new(key: str, clicked: Any | None) -> bool:
    """Whether something is clicked that was not in the run before."""
    memory = f"{key} clicked"
    before = st.session_state.get(memory)
    st.session_state[memory] = clicked
    return clicked is not None and clicked != before


def keep_row(names: Sequence[Any], *, key: str, table: str) -> None:
    """Let the selected row of a table follow what is picked: a table keeps a row's number when its rows change places.

    Parameters
    ----------
    names : the option in each row of the table that is drawn next
    key : of `pick`
    table : key of `show.table`
    """
    state, memory = f"{table}_table", f"{table} row"
    known: Any = st.session_state.get(state)
    cells = [tuple(cell) for cell in known["selection"]["cells"]] if known else []
    if cells and cells == st.session_state.get(memory):
        picked = st.session_state.get(key)
        kept = [(names.index(picked), cells[0][1])] if picked in names else []
        if kept != cells:
            cells = kept
            st.session_state[state] = {"selection": {"cells": cells}}
    st.session_state[memory] = cells
