"""A question as a row of named fields, as JSON and CSV have it: what each may say, and what it is called elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec

from exam_core.formats.banks.kind import CLAIM
from exam_core.formats.banks.rows import BankRows, LineageColumn, Number, Text, Texts, as_text, present, usually_enabled
from exam_core.formats.json_lines import BadLine, bad_line

NAMES = {
    "query_id": ("query_id", "qid", "topic_id"),
    "question_id": ("question_id", "nugget_id"),
    "question_text": ("question_text", "question", "nugget_text", "claim"),
}
"""Our fields, each with the names that files have for it; all others have one."""


class QuestionRow(msgspec.Struct, kw_only=True):
    """A question with its query."""

    query_id: Text
    question_id: Text | None = None
    question_text: str | None = None
    kind: Literal["question", "claim"] | None = None
    importance: Text | Number | None = None
    weight: float | None = None
    enabled: bool | None = None
    gold_answers: list[str] | None = None
    choices: list[str] | None = None
    facet_id: Text | None = None
    facet_text: str | None = None
    creators: list[Any] | None = None
    lineage: LineageColumn | None = None
    extra: dict[str, Any] | None = None
    query_text: str | None = None
    title: str | None = None
    subtopic: str | None = None


_OF_A_CLAIM = ("nugget_id", "nugget_text", "claim")
FIELDS = QuestionRow.__struct_fields__
_OF_A_QUERY = ("query_text", "title", "subtopic")


def renamed(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Fields by our names, without nulls; where a file has two names for one, the first of `NAMES` counts.

    What a file calls a nugget or claim is a claim.
    """
    fields = present(raw)
    for name, names in NAMES.items():
        present_name = next((text for text in names if text in fields), None)
        if present_name is not None and present_name != name:
            fields[name] = fields.pop(present_name)
            if present_name in _OF_A_CLAIM:
                fields.setdefault("kind", CLAIM)
    return fields


def add(rows: BankRows, line: int, fields: Mapping[str, Any], namespace: str) -> None:
    """Take a question by our names; other fields stand in `extra` under `namespace`.

    Raises BadLine where a field says what it can't.
    """
    beyond = {name: value for name, value in fields.items() if name not in FIELDS}
    try:
        question = msgspec.convert({name: fields[name] for name in FIELDS if name in fields}, QuestionRow)
    except (msgspec.ValidationError, RecursionError) as error:
        raise bad_line(error, b"") from None
    query_id, extra = str(question.query_id), dict(question.extra or {})
    if beyond and not isinstance(extra.get(namespace, {}), dict):
        raise BadLine(f"{namespace} in extra is not an object", place="extra")
    if beyond:
        extra[namespace] = {**extra.get(namespace, {}), **beyond}
    rows.query(line, query_id, question.query_text, question.title, question.subtopic)
    columns = {name: getattr(question, name) for name in FIELDS if name not in _OF_A_QUERY}
    names = {name: as_text(getattr(question, name)) for name in ("question_id", "importance", "facet_id")}
    rows.question(line, query_id, columns | names | {"lineage": fields.get("lineage"), "extra": extra})


def row_of(
    row: Mapping[str, Any], texts: Texts, namespace: str, liftable: Iterable[str] | None = None
) -> dict[str, Any]:
    """A question by our names, without nulls and with what came under `namespace` as fields of its own.

    Parameters
    ----------
    liftable : of these, only what may be a field of its own; None takes all
    """
    extra = dict(row["extra"])
    own = extra.get(namespace)
    taken = set(FIELDS).union(*NAMES.values())
    lifted = {}
    if isinstance(own, dict):
        lifted = {name: value for name, value in own.items() if name not in taken and value is not None}
        lifted = lifted if liftable is None else {name: lifted[name] for name in liftable if name in lifted}
        rest = {name: value for name, value in own.items() if name not in lifted}
        extra = {**extra, namespace: rest} if rest or not own else {k: v for k, v in extra.items() if k != namespace}
    enabled = row["enabled"]
    usual = {"weight": None if row["weight"] == 1 else row["weight"], "extra": extra or None}
    usual["enabled"] = None if enabled == usually_enabled(row["importance"]) else enabled
    values = {**row, **texts.get(row["query_id"], {}), **usual}
    return present({name: values.get(name) for name in FIELDS}) | lifted
