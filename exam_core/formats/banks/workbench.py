"""Question banks in the workbench's layouts, read and written.

Three layouts occur: one query per line with its questions under `items`, or under `questions` (the
published DL banks), or one question per line (the published CAR-Y3 bank). A claim is an item with nugget_id.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd

from exam_core.formats.banks.rows import (
    BANK,
    CLAIM,
    BankLines,
    BankRows,
    LineageColumn,
    Text,
    Texts,
    as_text,
    beyond,
    kept_under,
    present,
    rows_of,
    usually_enabled,
)
from exam_core.formats.delimited import DOC_ID
from exam_core.formats.format import Format, Opening
from exam_core.formats.json_lines import bad_line, decode_object, excerpt, objects, reporting
from exam_core.formats.reading import Reading
from exam_core.formats.records import fields_of
from exam_core.formats.writing import write_lines
from exam_core.progress import Progress, no_progress


class _Item(msgspec.Struct, kw_only=True):
    question_id: Text | None = None
    nugget_id: Text | None = None
    question_text: str | None = None
    nugget_text: str | None = None
    query_id: Text | None = None
    facet_id: Text | None = None
    gold_answers: list[str] | None = None
    weight: float | None = None
    enabled: bool | None = None
    importance: str | None = None
    choices: Any = None
    creators: list[Any] | None = None
    lineage: LineageColumn | None = None


class _WorkbenchLine(msgspec.Struct, kw_only=True):
    """One line: a query's questions, or (with `qid`) a single question."""

    query_id: Text
    query_text: str | None = None
    title: str | None = None
    subtopic: str | None = None
    facet_id: Text | None = None
    facet_text: str | None = None
    items: list[_Item] | None = None
    questions: list[_Item] | None = None
    qid: Text | None = None
    question: str | None = None
    correct: str | None = None
    choices: Any = None
    enabled: bool | None = None


_REMEDY = "A line is one JSON object with query_id, query_text and items."
_OBJECT = msgspec.json.Decoder(dict[str, Any])
_OF_A_LINE = {"query_id": ("qid", "topic_id", "id", "query"), "query_text": ("query", "topic")}
_OF_AN_ITEM = {"question_id": ("id",), "question_text": ("question", "text")}
"""Our names, and what scripts call these fields where they list the questions of a query."""
_SAME = {"question_id": {"question_id", "nugget_id"}, "question_text": {"question_text", "nugget_text"}}
_ITEM_FIELDS = set(_Item.__struct_fields__)
_BANK_FIELDS = set(_WorkbenchLine.__struct_fields__)


def read_bank(path: Path, *, bank_id: str, progress: Progress = no_progress) -> Reading:
    """Read a question bank or nugget bank; version 1 until the store knows better.

    A question without text is read but disabled, with a note. Fields that have no column are kept in `extra`. Raises
    BadInput where a line is not JSON or lacks a field, or an id occurs again with another question.
    """
    rows = BankRows(path, bank_id)
    for line, raw in objects(path, rows.problems, progress):
        with reporting(rows.problems, line, raw, "a question bank", _REMEDY):
            bank, untyped = _decoded(raw)
            layouts = [name for name in ("items", "questions", "qid") if getattr(bank, name) is not None]
            if len(layouts) == 1:
                _add(rows, line, bank, untyped)
            else:
                what = f"{' and '.join(layouts)} in one line" if layouts else "neither items nor questions"
                remedy = "Give the query one list of questions, under items; the list may be empty."
                rows.problems.add(line, what, excerpt(raw), remedy)
    return rows.reading()


def _decoded(raw: bytes) -> tuple[_WorkbenchLine, dict[str, Any]]:
    """A line by its type, and with all that it says, under our names; a question may be a text alone."""
    _, fields = decode_object(raw, _OBJECT)
    listed = next((name for name in ("items", "questions") if isinstance(fields.get(name), list)), None)
    if listed:
        fields = _renamed(fields, _OF_A_LINE)
        items = [{"question_text": item} if isinstance(item, str) else item for item in fields[listed]]
        fields[listed] = [_renamed(names, _OF_AN_ITEM) if isinstance(names, dict) else names for names in items]
    try:
        return msgspec.convert(fields, _WorkbenchLine), fields
    except msgspec.ValidationError as error:
        raise bad_line(error, raw) from None


def _renamed(fields: dict[str, Any], names: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    """An object whose fields without one of our names have it, where another name stands there."""
    renamed = dict(fields)
    for name, others in names.items():
        other = next((text for text in others if text in renamed), None)
        if other and not renamed.keys() & _SAME.get(name, {name}):
            renamed[name] = renamed.pop(other)
    return renamed


def _add(rows: BankRows, line: int, bank: _WorkbenchLine, untyped: dict[str, Any]) -> None:
    # The one-question-per-line layout writes "page / subtopic" where the others have two fields.
    if bank.qid is not None and bank.facet_id is not None and bank.facet_text is None and bank.query_text:
        bank.query_text, _, subtopic = bank.query_text.partition(" / ")
        bank.facet_text = subtopic or None
    query_id = str(bank.query_id)
    rows.query(line, query_id, bank.query_text or None, bank.title, bank.subtopic)
    for question in _questions(bank, untyped):
        if question.pop("query_id", None) not in (None, query_id):
            what = f"question {question['question_id']} names another query than its bank"
            rows.problems.add(line, what, query_id, "Move the question to its query.")
        else:
            rows.question(line, query_id, question)


def _questions(bank: _WorkbenchLine, untyped: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The line's questions as columns, whatever its layout."""
    common = beyond(untyped, _BANK_FIELDS)
    if not common.get("test_collection", True):
        del common["test_collection"]  # the writer's default
    facet = {"facet_id": as_text(bank.facet_id), "facet_text": bank.facet_text}
    if bank.qid is not None:
        choices, unread = _choices(bank.choices)
        yield {
            "question_id": str(bank.qid),
            "question_text": bank.question,
            "gold_answers": [bank.correct] if bank.correct else None,
            "choices": choices,
            "enabled": bank.enabled,
            "extra": common | unread,
            **facet,
        }
        return
    key = "items" if bank.items is not None else "questions"
    for item, raw in zip(getattr(bank, key) or [], untyped.get(key) or [], strict=True):
        choices, unread = _choices(item.choices)
        own_facet = as_text(item.facet_id)
        yield {
            "question_id": as_text(item.nugget_id if item.question_id is None else item.question_id),
            "query_id": as_text(item.query_id),
            "question_text": item.nugget_text if item.question_text is None else item.question_text,
            "kind": None if item.nugget_id is None else CLAIM,
            "gold_answers": item.gold_answers,
            "choices": choices,
            "enabled": item.enabled,
            "weight": item.weight,
            "importance": item.importance,
            "creators": item.creators,
            "lineage": raw.get("lineage"),
            "extra": ({"bank": common} if common else {}) | beyond(raw, _ITEM_FIELDS) | unread,
            **(facet if own_facet in (None, facet["facet_id"]) else {"facet_id": own_facet, "facet_text": None}),
        }


def _choices(value: Any) -> tuple[list[str] | None, dict[str, Any]]:
    """The choices as texts, and what they are called; what they are where they are no texts."""
    texts = list(value.values()) if isinstance(value, dict) else value
    if value is None or not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return None, {} if value is None else {"choices": value}
    return texts, {"choice_keys": list(value)} if isinstance(value, dict) else {}


def write_bank(questions: pd.DataFrame, queries: pd.DataFrame, path: Path) -> None:
    """Write questions in the workbench's layout, one line for each query and facet."""
    texts = queries.set_index("query_id")[["query_text", "title", "subtopic"]].to_dict("index")
    write_lines(path, write_items(rows_of(questions), texts).lines)


def write_items(rows: list[dict[str, Any]], texts: Texts) -> BankLines:
    """Questions in the workbench's layout, one line for each query and facet; all that a bank says has a place."""
    written = BankLines()

    def line_of(row: dict[str, Any]) -> tuple[Any, ...]:
        return row["query_id"], row["facet_id"], row["facet_text"], kept_under(row, "bank")

    for (query_id, facet_id, _, common), items in groupby(rows, key=line_of):
        group = list(items)
        bank = {
            **common,
            "query_id": query_id,
            "facet_id": facet_id,
            "facet_text": group[0]["facet_text"],
            **present(texts.get(query_id, {})),
            "items": [_item(row) for row in group],
        }
        bank.setdefault("query_text", "")
        bank.setdefault("test_collection", "")
        written.lines.append(msgspec.json.encode(present(bank)))
    return written


def _item(row: dict[str, Any]) -> dict[str, Any]:
    extra = {name: value for name, value in row["extra"].items() if name not in ("bank", "choice_keys")}
    keys, choices = row["extra"].get("choice_keys"), row["choices"]
    if choices is not None and isinstance(keys, list) and len({*map(str, keys)}) == len(choices):
        choices = dict(zip(map(str, keys), choices, strict=True))
    name = "nugget" if row["kind"] == CLAIM else "question"
    usual = usually_enabled(row["importance"])
    item = {
        **extra,
        f"{name}_id": row["question_id"],
        f"{name}_text": row["question_text"],
        "query_id": row["query_id"],
        "facet_id": row["facet_id"],
        "gold_answers": row["gold_answers"],
        "weight": None if row["weight"] == 1 else row["weight"],
        "enabled": None if row["enabled"] == usual else row["enabled"],
        "importance": row["importance"],
        "choices": extra.get("choices") if choices is None else choices,
        "creators": row["creators"],
        "lineage": row["lineage"],
    }
    return present(item)


def _fits(opening: Opening) -> bool:
    """Questions of a query, or a question without passages and scores, which runs of data sets of questions have."""
    if opening.objects & {"items", "questions"}:
        return True
    return {"qid", "question"} <= opening.objects and len(fields_of(opening, _SCORED)) < len(_SCORED)


_SCORED: dict[str, Sequence[str]] = {"doc_id": DOC_ID, "score": ()}
ROWS = (Format(kind=BANK, written="JSONL", looks="a question bank", order=30, fits=_fits, read=read_bank),)
