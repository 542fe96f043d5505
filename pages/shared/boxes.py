"""Boxes that several parts draw: each keeps its choice in the address."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st


def one_of(label: str, options: Iterable[str], *, key: str, help: str | None = None, **more: Any) -> str:
    """One of a few options side by side; the first one, unless `default` is among `more` of the box."""
    names = list(options)
    fields: dict[str, Any] = {"default": names[0], "required": True, "bind": "query-params"} | more
    return str(st.segmented_control(label, names, key=key, help=help, **fields) or fields["default"])


def select(label: str, options: Iterable[Any], index: int | None = 0, *, key: str, **more: Any) -> Any:
    """One of many options in a box that opens."""
    return st.selectbox(label, list(options), index, key=key, bind="query-params", **more)


def text(label: str, *, key: str, **more: Any) -> str:
    """What is typed; empty where nothing is."""
    return st.text_input(label, key=key, bind="query-params", **more) or ""


def some_of(label: str, options: Iterable[str], *, key: str, help: str | None = None, **more: Any) -> list[str]:
    """Any of a few options side by side; `more` of the box."""
    return st.pills(label, list(options), selection_mode="multi", key=key, help=help, bind="query-params", **more) or []


def options(label: str, *, key: str, icon: str, opened: bool) -> Any:
    """A box of options that opens when `opened` becomes true, and otherwise stays as its reader left it.

    `expanded` of Streamlit would change the box into another one, which closes it under the reader's hand.
    """
    state, before = st.session_state, f"{key}: opened"
    if opened and not (key in state and state.get(before)):
        state[key] = True
    state[before] = opened
    return st.expander(label, icon=icon, key=key, on_change="rerun")


@contextmanager
def folded(label: str, *, key: str, icon: str) -> Iterator[bool]:
    """A box that is folded away; whether it is open: what stands in it is made only then."""
    box = st.expander(label, icon=icon, key=key, on_change="rerun")
    with box:
        yield bool(box.open)
