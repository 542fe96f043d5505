"""A question of a bank as a value."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Any

import msgspec

Key = tuple[str, str]
"""Query_id and question_id: a question may be asked under several queries."""
QUESTION, CLAIM = "question", "claim"


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
    """A question or claim; fields as the columns of the table `questions`, where `text` is question_text."""

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


FIELDS = {("question_text" if field.name == "text" else field.name): field.name for field in fields(Question)}
"""Columns of the table and the fields that hold them."""


def order_of(keys: Iterable[Key]) -> dict[str, list[str]]:
    """The question_ids of each query in their order; which query comes first makes no difference."""
    groups: dict[str, list[str]] = {}
    for query_id, name in keys:
        groups.setdefault(query_id, []).append(name)
    return groups


def rows_of(questions: Iterable[Question]) -> list[dict[str, Any]]:
    """Questions as rows of the table `questions`, by column, without bank_id and version."""
    return [
        {column: getattr(row, name) for column, name in FIELDS.items()}
        | {"lineage": None if row.lineage == NO_LINEAGE else msgspec.json.encode(row.lineage).decode()}
        for row in questions
    ]


def plain(text: str | None) -> str:
    """A text as texts are compared: without blanks at its ends, a letter and its accent as one character (NFC)."""
    return unicodedata.normalize("NFC", (text or "").strip())
