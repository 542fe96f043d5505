"""A select box that a click on a chart or a row of a table sets too."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import streamlit as st

from pages.shared import naming, scrolling


def pick(
    label: str,
    options: Iterable[Any],
    *,
    key: str,
    clicked: Sequence[Any] = (),
    empty: str = "",
    of_graders: bool = False,
    **more: Any,
) -> Any | None:
    """The option that was chosen last, in the box or by a click; None where there are no options.

    Parameters
    ----------
    clicked : the selection of each chart or table, None for nothing; it counts in the run in which it is new, so that
        a selection that stays does not overrule the box
    empty : placeholder of the box while nothing is chosen; without it the first option is chosen
    of_graders : the options are graders, or made of their ids, which are shown by name
    """
    options = list(options)
    more |= {"index": None, "placeholder": empty} if empty else {}
    memory = f"{key} clicked"
    before = st.session_state.get(memory, ())
    for place, option in enumerate(clicked):
        last = before[place] if place < len(before) else None
        if option is not None and option != last and option in options:
            st.session_state[key] = option
            scrolling.to(naming.seen(key, options) if of_graders else key)
    st.session_state[memory] = tuple(clicked)
    if of_graders:
        return naming.box(st.selectbox, label, options, key=key, **more)
    return st.selectbox(label, options, key=key, **({"bind": "query-params"} | more))


def in_row(names: Any, row: int | None) -> str | None:
    """The name in the row of a table that is clicked; None where no row is."""
    return None if row is None or row >= len(names) else str(list(names)[row])


def is_new(key: str, clicked: Any | None) -> bool:
    """Whether something is clicked that was not in the run before."""
    memory = f"{key} clicked"
    before = st.session_state.get(memory)
    st.session_state[memory] = clicked
    return clicked is not None and clicked != before


def keep_row(names: Sequence[Any], *, key: str, table: str, value: Hashable) -> None:
    """Let the selected row of a table follow what is picked: a table keeps a row's number when its rows change places.

    Parameters
    ----------
    names : the option in each row of the table that is drawn next
    key, table : keys of `pick` and of `show.table`
    value : what the table is of; where that has changed, the page does not run because of a click on the table
    """
    state, memory = f"{table}_table", f"{table} row"
    known: Any = st.session_state.get(state)
    cells = [tuple(cell) for cell in known["selection"]["cells"]] if known else []
    before, moved, last = st.session_state.get(memory, ([], [], value))
    # Where runs of the page follow quickly, the browser still has the row from before it was moved.
    if cells and (cells == moved or (cells == before and value != last)):
        before, picked = cells, st.session_state.get(key)
        moved = [(names.index(picked), cells[0][1])] if picked in names else []
        if moved != cells:
            st.session_state[state] = {"selection": {"cells": moved}}
    else:
        before, moved = cells, cells
    st.session_state[memory] = before, moved, value


def follow(key: str, first: Any, *, value: Hashable) -> None:
    """Let a widget that is drawn next begin anew with `first` where `value`, what its options are of, has changed.

    It does so too while nobody has chosen another option; the choice of an address stays.
    """
    memory = f"{key} follows"
    before = st.session_state.get(memory)
    if before is not None and (value != before[0] or st.session_state.get(key) == before[1]):
        st.session_state[key] = first
    st.session_state[memory] = value, first
