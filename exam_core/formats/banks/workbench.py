"""Question banks in the workbench's layouts, read and written.

Three layouts occur: one query per line with its questions under `items`, or under `questions` (the
published DL banks), or one question per line (the published CAR-Y3 bank). A claim is an item with nugget_id.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import msgspec

from exam_core.formats.banks.rows import (
    BANK,
    CLAIM,
    BankLines,
    BankRows,
    Names,
    Texts,
    as_text,
    by_object,
    checked,
    columns_of,
    kept_under,
    part,
    present,
    said_of,
)
from exam_core.formats.delimited import DOC_ID
from exam_core.formats.format import Format, Opening
from exam_core.formats.json_lines import BadLine
from exam_core.formats.records import fields_of

_REMEDY = "A line is one JSON object with query_id, query_text and items."
_OF_A_QUERY: Names = {
    "query_id": ("query_id", "qid", "topic_id", "id", "query"),
    "query_text": ("query_text", "query", "topic"),
    **{name: (name,) for name in ("title", "subtopic", "facet_id", "facet_text")},
}
_OF_AN_ITEM: Names = {
    "question_id": ("question_id", "nugget_id", "id"),
    "question_text": ("question_text", "nugget_text", "question", "text"),
    **{name: (name,) for name in ("query_id", "facet_id", "gold_answers", "weight", "enabled", "importance")},
    **{name: (name,) for name in ("choices", "creators", "lineage")},
}
_OF_A_SINGLE: Names = {
    "question_id": ("qid",),
    "question_text": ("question",),
    "gold_answers": ("correct",),
    **{name: (name,) for name in ("query_id", "query_text", "title", "subtopic", "facet_id", "facet_text")},
    **{name: (name,) for name in ("choices", "enabled")},
}
"""Our fields, each with the names that the workbench and scripts have for it: of a query that lists its questions, of
one of these, and of a question that stands alone."""


class _Lists(msgspec.Struct):
    """A question may be a text alone."""

    items: list[dict[str, Any] | str] | None = None
    questions: list[dict[str, Any] | str] | None = None


@by_object(_Lists, "a question bank", _REMEDY)
def read_bank(rows: BankRows, line: int, lists: _Lists, fields: dict[str, Any]) -> None:
    """Take a question bank or nugget bank; version 1 until the store knows better.

    A question without text is read but disabled, with a note. Fields that have no column are kept in `extra`.
    """
    items = lists.questions if lists.items is None else lists.items
    if lists.items is not None and lists.questions is not None:
        raise BadLine("items and questions in one line; give the query one list, which may be empty")
    columns, common = columns_of(fields, _OF_A_SINGLE if items is None else _OF_A_QUERY)
    common = {name: value for name, value in common.items() if name not in ("items", "questions")}
    if not common.get("test_collection", True):
        del common["test_collection"]  # the writer's default
    if items is None:
        if "question_id" not in columns:
            raise BadLine("neither items nor questions")
        if "gold_answers" in columns:
            columns["gold_answers"] = [columns["gold_answers"]] if columns["gold_answers"] else None
        columns["extra"] = common | _take_choices(columns)
    query = checked(columns)
    # "page / subtopic" stands in a single question where the other layouts have two fields.
    if items is None and query.facet_id is not None and query.facet_text is None and query.query_text:
        query.query_text, _, subtopic = query.query_text.partition(" / ")
        columns["facet_text"] = subtopic or None
    query_id, facet_id = str(query.query_id), as_text(query.facet_id)
    rows.query(line, query_id, query.query_text or None, query.title, query.subtopic)
    if items is None:
        rows.question(line, query_id, columns)
    for number, item in enumerate(items or (), 1):
        with part(f"{'questions' if lists.items is None else 'items'} {number}"):
            own, rest = columns_of({"question_text": item} if isinstance(item, str) else item, _OF_AN_ITEM)
            if str(own.pop("query_id", query_id)) != query_id:
                raise BadLine(f"question {own.get('question_id')} names another query than its bank", cause="query")
            if as_text(own.setdefault("facet_id", facet_id)) == facet_id:
                own["facet_text"] = query.facet_text
            own["extra"] = ({"bank": common} if common else {}) | rest | _take_choices(own)
            rows.question(line, query_id, own)


def _take_choices(columns: dict[str, Any]) -> dict[str, Any]:
    """Leave the choices as texts; gives what they are called, or what they are where they are no texts."""
    choices = columns.pop("choices", None)
    texts = list(choices.values()) if isinstance(choices, dict) else choices
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return {} if choices is None else {"choices": choices}
    columns["choices"] = texts
    return {"choice_keys": list(choices)} if isinstance(choices, dict) else {}


def write_items(rows: list[dict[str, Any]], texts: Texts) -> BankLines:
    """Questions in the workbench's layout, one line for each query and facet; all that a bank says has a place."""
    written = BankLines()

    def line_of(row: dict[str, Any]) -> tuple[Any, ...]:
        return row["query_id"], row["facet_id"], row["facet_text"], kept_under(row, "bank")

    for (query_id, facet_id, facet_text, common), items in groupby(rows, key=line_of):
        facet = {"facet_id": facet_id, "facet_text": facet_text}
        own = {"query_id": query_id, **facet, **present(texts.get(query_id, {})), "items": list(map(_item, items))}
        bank = {**common, **own}
        bank.setdefault("query_text", "")
        bank.setdefault("test_collection", "")
        written.lines.append(msgspec.json.encode(present(bank)))
    return written


def _item(row: dict[str, Any]) -> dict[str, Any]:
    extra = {name: value for name, value in row["extra"].items() if name not in ("bank", "choice_keys")}
    keys, choices = row["extra"].get("choice_keys"), row["choices"]
    if choices is not None and isinstance(keys, list) and len({*map(str, keys)}) == len(choices):
        choices = dict(zip(map(str, keys), choices, strict=True))
    name, unusual = "nugget" if row["kind"] == CLAIM else "question", said_of(row, ("weight", "enabled"))
    item = {
        **extra,
        f"{name}_id": row["question_id"],
        f"{name}_text": row["question_text"],
        **{column: row[column] for column in ("query_id", "facet_id", "gold_answers")},
        **{column: unusual.get(column) for column in ("weight", "enabled")},
        "importance": row["importance"],
        "choices": extra.get("choices") if choices is None else choices,
        **{column: row[column] for column in ("creators", "lineage")},
    }
    return present(item)


def _fits(opening: Opening) -> bool:
    """Questions of a query, or a question without passages and scores, which runs of data sets of questions have."""
    if opening.objects & {"items", "questions"}:
        return True
    return {"qid", "question"} <= opening.objects and len(fields_of(opening, _SCORED)) < len(_SCORED)


_SCORED: dict[str, Sequence[str]] = {"doc_id": DOC_ID, "score": ()}
ROWS = (Format(kind=BANK, written="JSONL", looks="a question bank", order=30, fits=_fits, read=read_bank),)
