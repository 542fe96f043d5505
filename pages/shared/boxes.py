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


def ask_field(
    place: Any, owner: type, name: str, *, key: str, choices: Any = (), label: str = "", **widget: Any
) -> Any:
    """A declared field as a widget: a box of its choices or to tick, a number within its bounds, or a text.

    Parameters
    ----------
    choices : instead of those that are declared
    label : instead of the declared one, where another widget of the page has that
    widget : what else the widget takes
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
    """How forms name an option of the command line, in quotation marks; where none does, its words without dashes."""
    label = _label(option)
    return f"“{label}”" if label else option[2:].replace("-", " ")


def is_labelled(option: str) -> bool:
    """Whether a form has the option, so that a page's reader can choose it."""
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
    return None if result is None else _shown(result)


def held(owner: type, name: str, *, key: str) -> Any:
    """What the widget of a declared field holds, as the field has it; for a callback, which `ask` gives nothing."""
    result = st.session_state[key]
    return _shown(result) if isinstance(result, float) and declared(owner)[name].type is int else result


def _shown(value: float) -> int:
    return math.floor(value + 0.5)


def begin(key: str, value: Any, /, **default: Any) -> dict[str, Any]:
    """Let a widget that is drawn next show a value that is kept elsewhere.

    What a session sets reaches the browser with that run alone. A browser that has not built the widget by the next run
    begins with the widget's default, and tells it at its next click as if somebody had chosen it. So the default is the
    value too, unless the widget shows another one, which Streamlit logs as a contradiction.

    Parameters
    ----------
    default : how the widget takes the value: value=..., default=... or index=...

    Returns
    -------
    what the widget is to be drawn with
    """
    if st.session_state.get(key, value) == value:
        return default
    st.session_state[key] = value
    return {}
