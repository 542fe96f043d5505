"""Analyses that a page shows at its end: each is made of its declaration in the table of answers."""

from __future__ import annotations

from typing import Any

import streamlit as st

from exam_core import answers
from exam_core.answers.analysis import Analysis, Subject
from exam_core.answers.answer import Answer
from exam_core.answers.asking import options_for
from exam_core.declared import Declared, declared
from exam_core.progress import Progress
from exam_core.request import Request
from exam_core.store import Snapshot
from exam_core.wording import listed
from pages.shared import data, show
from pages.shared.selection import Selection

OF_THE_BAR = {*Request.__dataclass_fields__, "without"}
"""Options that the control bar has."""


def draw(page: str, chosen: Selection) -> None:
    """A switch for each analysis of a page, and its answer where it is on."""
    for name, found in answers.titled(page):
        if st.toggle(found.title, key=f"further_{name}", bind="query-params"):
            _answer(name, found, chosen)


def _answer(name: str, found: Analysis, chosen: Selection) -> None:
    asked = chosen.asked.of(next(iter(chosen.series), None))
    own = {option: _field(one, name) for option, one in declared(found.options).items() if option not in OF_THE_BAR}
    told = tuple((option, tuple(value) if isinstance(value, list) else value) for option, value in own.items())
    answer = data.ask_slowly(found.waiting or found.title, answered, chosen.snapshot, name, asked, told)
    for note in answer.notes:
        show.text(note)
    if answer.has_figure:
        show.chart(answer.figure(), key=f"further_{name}_chart")
    if answer.of:
        show.table(answer.rows, answer.of, key=f"further_{name}_rows", alt=answer.title)


def answered(snapshot: Snapshot, name: str, asked: Any, own: tuple[tuple[str, Any], ...], progress: Progress) -> Answer:
    """The answer of an analysis to the bar's choice and its own options."""
    found = answers.named(name)
    return found.answer(Subject(data.store(), snapshot, progress), options_for(found.options, asked, dict(own)))


def _field(one: Declared, name: str) -> Any:
    """A box for an option of an analysis's own; what is left empty is at its default."""
    key, label, text = f"further_{name}_{one.name}", one.about.label or one.name.replace("_", " "), one.about.help
    if one.is_switch:
        return st.checkbox(label, one.default, key=key, help=text)
    if one.choices:
        usual = one.choices.index(one.default) if one.default in one.choices else None
        return st.selectbox(label, one.choices, usual, key=key, help=text)
    if one.type in (int, float) and not one.is_list and not one.takes_all:
        given = st.number_input(label, value=one.default, step=one.type(1), key=key, help=text)
        return given if given is None else one.type(given)
    typed = st.text_input(label, key=key, help=text)
    if typed and one.is_list and one.type is str:
        return listed(typed)
    return one.typed(typed) if typed else one.default
