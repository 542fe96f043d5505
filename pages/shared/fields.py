"""Declared fields as widgets: what a field is called, takes and means is said where it stands in its dataclass."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import streamlit as st

from exam_core.declared import NOTHING, declared
from exam_core.request import Evaluating


def ask(place: Any, owner: type, name: str, *, key: str, choices: Any = (), label: str = "", **widget: Any) -> Any:
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
