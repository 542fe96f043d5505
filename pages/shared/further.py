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


def draw(page: str, selection: Selection) -> None:
    """A switch for each analysis of a page, and its answer where it is on."""
    for name, analysis in answers.titled(page):
        if st.toggle(analysis.title, key=f"further_{name}", bind="query-params"):
            _answer(name, analysis, selection)


def _answer(name: str, analysis: Analysis, selection: Selection) -> None:
    request = selection.request.of(next(iter(selection.series), None))
    own = {
        option: _field(declared_field, name)
        for option, declared_field in declared(analysis.options).items()
        if option not in OF_THE_BAR
    }
    pairs = tuple((option, tuple(value) if isinstance(value, list) else value) for option, value in own.items())
    answer = data.ask_slowly(analysis.waiting or analysis.title, answered, selection.snapshot, name, request, pairs)
    for note in answer.notes:
        show.text(note)
    if answer.has_figure:
        show.chart(answer.figure(), key=f"further_{name}_chart")
    if answer.of:
        show.table(answer.rows, answer.of, key=f"further_{name}_rows", alt=answer.title)


def answered(
    snapshot: Snapshot, name: str, request: Any, own: tuple[tuple[str, Any], ...], progress: Progress
) -> Answer:
    """The answer of an analysis to the bar's choice and its own options."""
    analysis = answers.named(name)
    return analysis.answer(Subject(data.store(), snapshot, progress), options_for(analysis.options, request, dict(own)))


def _field(option: Declared, name: str) -> Any:
    """A box for an option of an analysis's own; what is left empty is at its default."""
    key, label, text = (
        f"further_{name}_{option.name}",
        option.about.label or option.name.replace("_", " "),
        option.about.help,
    )
    if option.is_switch:
        return st.checkbox(label, option.default, key=key, help=text)
    if option.choices:
        usual = option.choices.index(option.default) if option.default in option.choices else None
        return st.selectbox(label, option.choices, usual, key=key, help=text)
    if option.type in (int, float) and not option.is_list and not option.takes_all:
        values = st.number_input(label, value=option.default, step=option.type(1), key=key, help=text)
        return values if values is None else option.type(values)
    typed = st.text_input(label, key=key, help=text)
    if typed and option.is_list and option.type is str:
        return listed(typed)
    return option.typed(typed) if typed else option.default
