"""The health of a bank, on a page: questions that separate runs, that are alike, and halves of the bank."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from exam_core.analysis.choice import Evaluation
from exam_core.analysis.contents import What
from exam_core.charts.chart_layout import beginning
from exam_core.texts.marking import mark_words
from exam_core.wings.banks.effect import HIDDEN, hidden
from exam_core.wings.banks.health import (
    PAIRS,
    Health,
    health,
    health_lines,
    health_of_words,
    hidden_lines,
    ungraded_bank,
)
from exam_core.wording import without_commands
from pages.questions import hardest
from pages.shared import data, help_texts, passage_texts, picking, show, steps
from pages.shared.selection import Selection

ALIKE = "Questions of one query whose words are at least this similar count as near duplicates."
SAW = "Runs that may have been tuned on the bank; their gain on random halves is compared with that of the other runs."
OF_BANK: tuple[What, ...] = ("questions",)
NO_BANK = "Exam questions are uploaded, written under *Edit*, or written by a model under *Generate*."
BY_GRADES = "Grades tell which questions separate good runs from bad."
LISTED = 300
_PAIR = ("query_id", "alike", "question_text", "other_text")


def draw(selection: Selection) -> None:
    """Which questions separate good runs from bad; of a bank that nobody graded, what its words tell."""
    bank = data.ask(ungraded_bank, selection.snapshot, selection.request)
    if OF_BANK[0] in {lack.what for lack in steps.lacks(selection)}:
        steps.missing(selection, NO_BANK, OF_BANK)
    elif bank is not None:
        _pairs(partial(data.ask, health_of_words, selection.snapshot, bank))
        steps.missing(selection, BY_GRADES, steps.OF_GRADES)
    elif selection.by_judgments or not selection.figures.series():
        steps.missing(selection, BY_GRADES, steps.OF_GRADES)
    else:
        hardest.draw(selection, partial(_tabs, selection))


def _tabs(selection: Selection, mode: str) -> dict[str, Callable[[], object]]:
    """What is looked at less often, under the questions and queries."""
    choice = selection.of(mode)
    return {
        "Near duplicates": partial(_pairs, partial(data.ask, health, selection.snapshot, choice)),
        "Half of the bank hidden": partial(_hidden, choice, selection),
    }


def _pairs(health_from: Callable[..., Health]) -> None:
    alike = st.slider("Similarity from", 0.5, 1.0, 0.9, 0.05, key="health_alike", help=ALIKE, bind="query-params")
    result = health_from(alike=alike)
    for sentence in health_lines(result, commands=False)[1:]:
        show.text(without_commands(sentence))
    if result.pairs.empty:
        st.caption(f"No two questions of a query are {result.alike:.0%} similar or more.")
        return
    place = show.table(show.worded(result.pairs, *_PAIR), PAIRS, key="health_pairs", select=True, export=result.pairs)
    labels = _labels(result.pairs, ("question_text", "other_text"), ("question_id", "other_id"))
    clicked = [picking.in_row(labels, place)]
    picked = picking.pick("Pair", labels, key="health_pair", clicked=clicked, help=help_texts.ROW)
    if picked:
        row = labels[picked]
        sides = ("question_text", "only_one"), ("other_text", "only_other")
        for place_of_side, (text, only) in zip(st.columns(2), sides, strict=True):
            with place_of_side, st.container(border=True):
                _side(row[text], row[only])


def _side(text: Any, only: Any) -> None:
    """One question of a pair, with the words marked that the other hasn't."""
    known = text if isinstance(text, str) else "Its words are not known, only its id."
    places = mark_words(known, only.split()) if isinstance(only, str) else []
    # a word inside another one is none: the "an" of "France"
    whole = [(start, end) for start, end in places if not _goes_on(known, start, end)]
    st.html(f"<p dir='auto' style='overflow-wrap: anywhere'>{passage_texts.marked(known, whole)}</p>")


def _goes_on(text: str, start: int, end: int) -> bool:
    return any(letter.isalnum() for letter in text[max(0, start - 1) : start] + text[end : end + 1])


def _labels(rows: Any, texts: tuple[str, ...], names: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """The first rows by what they are called in a box and in the address; by id where two would be called the same."""
    labels: dict[str, dict[str, Any]] = {}
    for row in rows.head(LISTED).to_dict("records"):
        called = " / ".join(beginning(row[name], 60) for name in texts if isinstance(row[name], str))
        label = f"{row['query_id']}: {called}"
        by_id = f"{row['query_id']}: {' / '.join(row[name] for name in names)}"
        labels[by_id if not called or label in labels else label] = row
    return labels


def _hidden(choice: Evaluation, selection: Selection) -> None:
    if not st.toggle("Draw random halves of each query's questions", key="health_hidden", bind="query-params"):
        return
    runs = selection.about["systems"]
    saw = st.multiselect("Runs that saw the bank", runs, key="health_saw", help=SAW, bind="query-params")
    hidden_runs = data.ask_slowly("Drawing halves", hidden, selection.snapshot, choice, saw=tuple(saw))
    for sentence in hidden_lines(hidden_runs):
        show.text(sentence)
    entry = [name for name in HIDDEN.names if name != "p" and (saw or name != "saw")]
    show.table(hidden_runs.rows[entry], HIDDEN, key="health_halves")
