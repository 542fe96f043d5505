"""Boxes that several parts draw: each keeps its choice in the address; and declared fields as widgets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import streamlit as st

from exam_core.declared import NOTHING, declared
from exam_core.request import Evaluating


def escaped(name: str) -> str:
    """A name as a label that Markdown leaves alone."""
    return "".join("\\" + character if character in r"\`*_{}[]()#+-.!|:~$<>&" else character for character in name)


def one_of(label: str, options: Iterable[str], *, key: str, help: str | None = None, **more: Any) -> str:
    """One of a few options side by side; at first the `default`, or else the first."""
    names = list(options)
    look: dict[str, Any] = {"default": names[0], "required": True, "bind": "query-params"} | more
    return str(st.segmented_control(label, names, key=key, help=help, **look) or look["default"])


def select(label: str, options: Iterable[Any], index: int | None = 0, *, key: str, **more: Any) -> Any:
    """One of many options in a box that opens."""
    return st.selectbox(label, list(options), index, key=key, bind="query-params", **more)


def text(label: str, *, key: str, **more: Any) -> str:
    """What is typed; empty where nothing is."""
    return st.text_input(label, key=key, bind="query-params", **more) or ""


def some_of(label: str, options: Iterable[str], *, key: str, help: str | None = None, **more: Any) -> list[str]:
    """Any of a few options side by side."""
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
    """A box that is folded away; gives whether it is open, so that its content is made only then."""
    box = st.expander(label, icon=icon, key=key, on_change="rerun")
    with box:
        yield bool(box.open)


def ask_field(
    place: Any, owner: type, name: str, *, key: str, choices: Any = (), label: str = "", **widget: Any
) -> Any:
    """A declared field as a widget: a box of its choices or to tick, a number within its bounds, or a text.

    `choices` and `label` stand instead of the declared ones; `widget` is what else the widget takes.
    """
    field = declared(owner)[name]
    about = field.about
    label = label or about.label or name.capitalize()
    shown = {"key": key, "help": about.explained or about.help} | widget
    if field.is_switch:
        return place.checkbox(label, field.default, **shown)
    if names := choices or field.choices:
        words = about.in_words or {}
        return place.selectbox(label, names, format_func=lambda value: words.get(value, value), **shown)
    if field.type is str:
        return (place.text_input(label, **shown) or "").strip()
    least, most = (None if bound is None else field.type(bound) for bound in (about.least, about.most))
    default = None if field.default is NOTHING else field.default
    return number(place, label, least, most, default, **shown)


@cache
def label_of(option: str) -> str:
    """The label of an option of the command line in forms, in quotation marks; without one, its words."""
    label = _label(option)
    return f"“{label}”" if label else option[2:].replace("-", " ")


def is_labelled(option: str) -> bool:
    """Whether a form has the option."""
    return bool(_label(option))


def _label(option: str) -> str:
    from exam_core.grading.options import GradingOptions
    from exam_core.jobs.ordering import JobRequest, Order

    forms = (Evaluating, GradingOptions, Order, JobRequest)
    labels = (field.about.label for form in forms for field in declared(form).values() if field.option == option)
    return next(filter(None, labels), "")


def number(place: Any, label: str, *bounds: float | None, key: str, **widget: Any) -> Any:
    """A number within bounds, and by default; whole where these are.

    An address or a browser may bring one without end (1e999), or none (nan). Of a box of whole numbers Streamlit then
    fails in each run from then on; one of numbers with decimals takes its default. So this is always one of those.
    """
    if not any(isinstance(bound, int) for bound in bounds):
        return place.number_input(label, *bounds, key=key, **widget)
    least, most, default = (None if bound is None else float(bound) for bound in bounds)
    result = place.number_input(label, least, most, default, 1.0, "%.0f", key=key, **widget)
    return None if result is None else _rounded(result)


def held(owner: type, name: str, *, key: str) -> Any:
    """The value of a declared field's widget, for a callback: there `ask_field` can't give it."""
    value = st.session_state[key]
    return _rounded(value) if isinstance(value, float) and declared(owner)[name].type is int else value


def _rounded(value: float) -> int:
    return math.floor(value + 0.5)


def begin(key: str, value: Any, /, **default: Any) -> dict[str, Any]:
    """Let a widget that is drawn next show a value that is kept elsewhere.

    What a session sets reaches the browser with that run alone. A browser that has not built the widget by the next run
    begins with the widget's default, and tells it at its next click as if somebody had chosen it. So the default is the
    value too, unless the widget shows another one, which Streamlit logs as a contradiction.

    Parameters
    ----------
    default : how the widget takes the value: value=..., default=... or index=...; returned where it is to be given
    """
    if st.session_state.get(key, value) == value:
        return default
    st.session_state[key] = value
    return {}
