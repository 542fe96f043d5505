"""A question of a bank as a value, and frames of the table `questions` to and from such values."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import msgspec

from exam_core.tables import QUESTIONS
from exam_core.tables import question_id as question_id

if TYPE_CHECKING:
    import pandas as pd

Key = tuple[str, str]
"""Query_id and question_id: a question may be asked under several queries."""
QUESTION, CLAIM = "question", "claim"
VITAL, OKAY, AVOID = "vital", "okay", "avoid"


class Lineage(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which questions of earlier versions a question comes from, by question_id, nearest first, and theirs in turn."""

    reworded_from: tuple[str, ...] = ()
    merged_from: tuple[str, ...] = ()

    @property
    def parents(self) -> tuple[str, ...]:
        """All of them."""
        return self.reworded_from + self.merged_from


NO_LINEAGE = Lineage()


@dataclass(frozen=True)
class Question:
    """A question or claim; fields as the columns of the table `questions`, where `text` is question_text.

    Parameters
    ----------
    creators, extra : the columns' JSON text
    """

    query_id: str
    question_id: str
    text: str | None
    kind: str = QUESTION
    importance: str | None = None
    weight: float = 1.0
    enabled: bool = True
    gold_answers: tuple[str, ...] | None = None
    choices: tuple[str, ...] | None = None
    facet_id: str | None = None
    facet_text: str | None = None
    creators: str | None = None
    lineage: Lineage = field(default=NO_LINEAGE)
    extra: str | None = None

    @property
    def key(self) -> Key:
        """What no two questions of a bank share."""
        return self.query_id, self.question_id


Bank = Mapping[Key, Question]
"""The questions of one version, in its order."""


def order_of(keys: Iterable[Key]) -> dict[str, list[str]]:
    """The question_ids of each query in their order; which query comes first makes no difference."""
    found: dict[str, list[str]] = {}
    for query_id, name in keys:
        found.setdefault(query_id, []).append(name)
    return found


def bank_of(frame: pd.DataFrame) -> dict[Key, Question]:
    """A version's rows of the table `questions` as values."""
    return {question.key: question for question in map(_question, frame.to_dict("records"))}


def rows_of(questions: Iterable[Question]) -> list[dict[str, Any]]:
    """Questions as rows of the table `questions`, by column, without bank_id and version."""
    return [
        {column: getattr(row, name) for column, name in _FIELDS.items()} | {"lineage": _encoded(row.lineage)}
        for row in questions
    ]


def frame_of(questions: Iterable[Question], bank_id: str, version: int) -> pd.DataFrame:
    """Questions as a frame of the table `questions`."""
    rows = [row | {"bank_id": bank_id, "version": version} for row in rows_of(questions)]
    return QUESTIONS.frame({name: [row[name] for row in rows] for name in QUESTIONS.names})


def plain(text: str | None) -> str:
    """A text as texts are compared: without blanks at its ends, a letter and its accent as one character (NFC)."""
    return unicodedata.normalize("NFC", (text or "").strip())


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


_FIELDS = {("question_text" if field.name == "text" else field.name): field.name for field in fields(Question)}
"""Columns of the table and the fields that hold them."""


def _question(row: dict[Any, Any]) -> Question:
    found = {name: _plain(row[column]) for column, name in _FIELDS.items()}
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
        return tuple(map(str, value)) if isinstance(value, list) else value
    return None  # pandas' word for nothing


def _encoded(lineage: Lineage) -> str | None:
    return None if lineage == NO_LINEAGE else msgspec.json.encode(lineage).decode()


def _decoded(text: str | None) -> Lineage:
    return msgspec.json.decode(text, type=Lineage) if text else NO_LINEAGE
