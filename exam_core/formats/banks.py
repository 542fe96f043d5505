"""Question banks in the workbench's layouts, read and written.

Three layouts occur: one query per line with its questions under `items`, or under `questions` (the
published DL banks), or one question per line (the published CAR-Y3 bank).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd

from exam_core.errors import Problems
from exam_core.formats.extra import TooDeep, decode_extra, encode_extra
from exam_core.formats.format import Format, Kind
from exam_core.formats.json_lines import BadLine, add_bad_line, decode_line, excerpt
from exam_core.formats.lines import numbered_lines, write_lines
from exam_core.formats.reading import Reading, Rows
from exam_core.progress import Progress, no_progress
from exam_core.tables import QUERIES, QUESTIONS

Text = str | int
"""An id or a text; some files write ids as numbers."""


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


class _Bank(msgspec.Struct, kw_only=True):
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
    enabled: bool | None = None


_ITEM_FIELDS = set(_Item.__struct_fields__)
_BANK_FIELDS = set(_Bank.__struct_fields__)


def read_bank(path: Path, *, bank_id: str, progress: Progress = no_progress) -> Reading:
    """Read a question bank or nugget bank; version 1 until the store knows better.

    A question without text is read but disabled, with a note. Fields that have no column are kept
    in `extra`.

    Raises
    ------
    BadInput : a line is not JSON or lacks a field, or an id occurs again with another question
    """
    problems = Problems(path)
    questions, queries = Rows(QUESTIONS), Rows(QUERIES)
    typed, plain = msgspec.json.Decoder(_Bank), msgspec.json.Decoder()
    for line, raw in numbered_lines(path, progress):
        try:
            bank, untyped = decode_line(raw, typed, plain)
        except BadLine as error:
            remedy = "A line is one JSON object with query_id, query_text and items."
            add_bad_line(problems, line, raw, error, "a question bank", remedy)
            continue
        layouts = [name for name in ("items", "questions", "qid") if getattr(bank, name) is not None]
        if len(layouts) != 1:
            what = f"{' and '.join(layouts)} in one line" if layouts else "neither items nor questions"
            remedy = "Give the query one list of questions, under items; the list may be empty."
            problems.add(line, what, excerpt(raw), remedy)
            continue
        query_id = str(bank.query_id)
        _split_title(bank)
        queries.add(line, query_id, bank.query_text or None, bank.title, bank.subtopic)
        for question in _questions(bank, untyped):
            if question["question_id"] is None:
                problems.add(line, "a question without question_id", query_id, "Give every question an id.")
            elif question.pop("query_id") not in (None, query_id):
                problems.add(
                    line,
                    f"question {question['question_id']} names another query than its bank",
                    query_id,
                    "Move the question to its query.",
                )
            elif (question["weight"] or 0) < 0:
                what = f"question {question['question_id']} has the weight {question['weight']:g}"
                problems.add(line, what, query_id, "A weight is 0 or more.", cause="weight")
            else:
                try:
                    questions.add(line, *_row(bank_id, query_id, question).values())
                except TooDeep as error:
                    problems.add(line, str(error), question["question_id"], "Leave that field out.")
    frame, merged = questions.frame(problems, "question")
    query_frame, _ = queries.frame(problems, "text")
    problems.raise_if_any()
    blank = frame["question_text"].str.strip().eq("").fillna(False).astype(bool)
    frame.loc[blank, "enabled"] = False
    notes = [f"{merged:,} repeated questions were merged."] if merged else []
    if blank.any():
        notes.append(f"{int(blank.sum()):,} questions have no text and are switched off.")
    counts = {"queries": len(query_frame), "questions": len(frame)}
    return Reading({"questions": frame, "queries": query_frame}, counts=counts, notes=notes)


def _split_title(bank: _Bank) -> None:
    """The one-question-per-line layout writes "page / subtopic" where the others have two fields."""
    if bank.qid is not None and bank.facet_id is not None and bank.facet_text is None and bank.query_text:
        bank.query_text, _, subtopic = bank.query_text.partition(" / ")
        bank.facet_text = subtopic or None


def _questions(bank: _Bank, untyped: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The line's questions as rows, whatever its layout."""
    common = _beyond(untyped, _BANK_FIELDS)
    if not common.get("test_collection", True):
        del common["test_collection"]  # the writer's default
    facet = {"facet_id": _text(bank.facet_id), "facet_text": bank.facet_text}
    if bank.qid is not None:
        gold = [bank.correct] if bank.correct else None
        yield {
            "question_id": str(bank.qid),
            "query_id": None,
            "question_text": bank.question,
            "gold_answers": gold,
            "enabled": bank.enabled,
            "weight": None,
            "importance": None,
            "extra": common or None,
            **facet,
        }
        return
    key = "items" if bank.items is not None else "questions"
    for item, raw in zip(getattr(bank, key) or [], untyped.get(key) or [], strict=True):
        beyond = _beyond(raw, _ITEM_FIELDS)
        if item.nugget_id is not None:
            beyond["item"] = "nugget"
        extra = ({"bank": common} if common else {}) | beyond
        own_facet = _text(item.facet_id)
        yield {
            "question_id": _text(item.nugget_id if item.question_id is None else item.question_id),
            "query_id": _text(item.query_id),
            "question_text": item.nugget_text if item.question_text is None else item.question_text,
            "gold_answers": item.gold_answers,
            "enabled": item.enabled,
            "weight": item.weight,
            "importance": item.importance,
            "extra": extra or None,
            **(facet if own_facet in (None, facet["facet_id"]) else {"facet_id": own_facet, "facet_text": None}),
        }


def _beyond(raw: dict[str, Any], known: set[str]) -> dict[str, Any]:
    """What an object says in fields that have no column."""
    return {name: value for name, value in raw.items() if name not in known and value is not None}


def _row(bank_id: str, query_id: str, question: dict[str, Any]) -> dict[str, Any]:
    values = question | {
        "bank_id": bank_id,
        "version": 1,
        "query_id": query_id,
        "weight": 1.0 if question["weight"] is None else question["weight"],
        "enabled": question["enabled"] is not False,
        "extra": encode_extra(question["extra"]),
    }
    return {name: values.get(name) for name in QUESTIONS.names}


def write_bank(questions: pd.DataFrame, queries: pd.DataFrame, path: Path) -> None:
    """Write questions in the workbench's layout, one line for each query and facet."""
    texts = queries.set_index("query_id")[["query_text", "title", "subtopic"]].to_dict("index")
    write_lines(path, _bank_lines(questions, texts))


def _bank_lines(questions: pd.DataFrame, texts: dict[Any, dict[Any, Any]]) -> Iterator[bytes]:
    rows = questions.astype(object).where(questions.notna(), None).to_dict("records")
    for (query_id, facet_id, _, common), items in groupby(rows, key=_line_of):
        group = list(items)
        first = group[0]
        bank = {
            "query_id": query_id,
            "facet_id": facet_id,
            "facet_text": first["facet_text"],
            **_present(texts.get(query_id, {})),
            **common,
            "items": [_item(row) for row in group],
        }
        bank.setdefault("query_text", "")
        bank.setdefault("test_collection", "")
        yield msgspec.json.encode(_present(bank))


def _line_of(row: dict[str, Any]) -> tuple[Any, ...]:
    """What the questions of one line share."""
    return row["query_id"], row["facet_id"], row["facet_text"], decode_extra(row["extra"]).get("bank") or {}


def _item(row: dict[str, Any]) -> dict[str, Any]:
    extra = {name: value for name, value in decode_extra(row["extra"]).items() if name != "bank"}
    kind = "nugget" if extra.pop("item", None) == "nugget" else "question"
    gold = row["gold_answers"]
    item = {
        f"{kind}_id": row["question_id"],
        f"{kind}_text": row["question_text"],
        "query_id": row["query_id"],
        "facet_id": row["facet_id"],
        "gold_answers": None if gold is None else list(gold),
        "weight": None if row["weight"] == 1 else row["weight"],
        "enabled": None if row["enabled"] else False,
        "importance": row["importance"],
        **extra,
    }
    return _present(item)


def _present(values: dict[Any, Any]) -> dict[Any, Any]:
    """Without what is None or NaN: the workbench omits nulls."""
    return {name: value for name, value in values.items() if value is not None and value == value}


def _text(value: Text | None) -> str | None:
    return None if value is None else str(value)


BANK = Kind(
    key="bank",
    noun="Question bank or nugget bank",
    order=40,
    main="questions",
    option="bank",
    name="Name of the bank",
    needed=True,
    arguments=" --bank NAME",
)
ROWS = (
    Format(
        kind=BANK,
        written="JSONL",
        looks="a question bank",
        order=30,
        fits=lambda opening: bool(opening.fields & {"items", "questions", "qid", "question"}),
        read=read_bank,
    ),
)
