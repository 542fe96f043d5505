"""Declared fields as widgets: what a field is called, takes and means is said where it stands in its dataclass."""

from __future__ import annotations

from typing import Any

from exam_core.declared import NOTHING, declared


def ask(place: Any, owner: type, name: str, *, key: str, choices: Any = (), label: str = "", **widget: Any) -> Any:
    """A declared field as a widget: a box of its choices, a number within its bounds, or a text.

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
    if given := choices or field.choices:
        words = about.in_words or {}
        return place.selectbox(label, given, format_func=lambda value: words.get(value, value), **shown)
    if field.type is str:
        return (place.text_input(label, **shown) or "").strip()
    least, most = (None if bound is None else field.type(bound) for bound in (about.least, about.most))
    default = None if field.default is NOTHING else field.default
    return place.number_input(label, least, most, default, **shown)
