"""Questions of a bank as values: to and from frames of the table `questions`, in other words, several as one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from exam_core.question import FIELDS, NO_LINEAGE, QUESTION, Key, Lineage, Question, plain, rows_of
from exam_core.tables import QUESTIONS
from exam_core.tables import question_id as question_id

if TYPE_CHECKING:
    import pandas as pd

VITAL, OKAY, AVOID = "vital", "okay", "avoid"
Bank = Mapping[Key, Question]
"""The questions of one version, in its order."""


def bank_of(frame: pd.DataFrame) -> dict[Key, Question]:
    """A version's rows of the table `questions` as values."""
    return {question.key: question for question in map(_question, frame.to_dict("records"))}


def frame_of(questions: Iterable[Question], bank_id: str, version: int) -> pd.DataFrame:
    """Questions as a frame of the table `questions`."""
    rows = [row | {"bank_id": bank_id, "version": version} for row in rows_of(questions)]
    return QUESTIONS.frame({name: [row[name] for row in rows] for name in QUESTIONS.names})


def reworded(question: Question, text: str) -> Question:
    """The question in other words: another question with another id, which remembers what it was.

    Words that are equal when they are compared (`plain`) leave it the question that it is.
    """
    new_id = question_id(question.query_id, text, question.facet_id)
    if question.text is not None and plain(text) == plain(question.text):
        return replace(question, text=text)
    was = question.lineage
    came = (one for one in (question.question_id, *was.reworded_from) if one != new_id)
    return replace(question, text=text, question_id=new_id, lineage=Lineage(tuple(came), was.merged_from))


def merged(questions: Iterable[Question], text: str | None = None) -> Question:
    """Several questions of a query as one: the first one, or its words, with all answer keys.

    Parameters
    ----------
    text : its words; None takes those of the first, which then stays the question that it is
    """
    first, *others = questions
    gold = tuple(dict.fromkeys(answer for one in (first, *others) for answer in one.gold_answers or ()))
    kept = replace(first, gold_answers=gold or None)
    words = first.text if text is None else text
    if words is not None and plain(words) != plain(first.text):
        kept = replace(kept, text=words, question_id=question_id(first.query_id, words, first.facet_id))
    came = dict.fromkeys(name for one in (first, *others) for name in (one.question_id, *one.lineage.parents))
    parents = (name for name in came if name not in (kept.question_id, *first.lineage.reworded_from))
    return replace(kept, lineage=Lineage(first.lineage.reworded_from, tuple(parents)))


def _question(row: dict[Any, Any]) -> Question:
    found = {name: _plain(row[column]) for column, name in FIELDS.items()}
    found["lineage"] = _decoded(found["lineage"])
    found["kind"] = found["kind"] or QUESTION
    return Question(**found)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if value == value else None
    if hasattr(value, "tolist"):  # an array of texts, or a number of numpy's
        value = value.tolist()
    if isinstance(value, list | tuple):
        return tuple(map(str, value))
    return value if isinstance(value, bool | int | float) else None  # pandas' word for nothing


def _decoded(text: str | None) -> Lineage:
    return msgspec.json.decode(text, type=Lineage) if text else NO_LINEAGE
