"""Nugget banks as runs submit them to RAGTIME 2026 (autojudge-base's RAGTIME26): read and written, a topic per line.

What is kept, and where, is as in `nuggetbank`. The format has questions only, and neither ids nor creators of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from exam_core.formats.banks.by_object import by_object
from exam_core.formats.banks.kind import BANK, CLAIM, QUESTION
from exam_core.formats.banks.rows import BankLines, BankRows, Text, Texts, beyond, by_query, present, said_of
from exam_core.formats.format import Format, Opening
from exam_core.wings.banks.formats.nuggetbank import (
    BankNugget,
    Item,
    add_items,
    answers_of,
    bank_of,
    bank_rest,
    importance_of,
    kept_of,
    own_id_of,
    with_ours,
)

VERSION = "RAGTIME26"
AGGREGATORS = ("AND", "OR")
_REMEDY = (
    'A line is one JSON object such as {"metadata": {"topic_id": "q1"}, "nugget_bank": [{"question": "Why?", '
    '"answers": [{"answer": "...", "references": ["d1"]}]}]}.'
)
_OUR_COLUMNS = ("weight", "enabled", "choices", "lineage", "facet_id", "facet_text", "creators")


class _RagtimeMetadata(msgspec.Struct):
    topic_id: Text


class _RagtimeFile(msgspec.Struct):
    metadata: _RagtimeMetadata
    nugget_bank: list[BankNugget]


@by_object(_RagtimeFile, "a nugget bank of RAGTIME 2026", _REMEDY)
def read_ragtime26(rows: BankRows, line: int, bank: _RagtimeFile, untyped: dict[str, Any]) -> None:
    """Take a nugget bank of RAGTIME 2026: the topic is the query, and questions get the ids that the authors' would."""
    query_id = str(bank.metadata.topic_id)
    if rows.is_first(line, query_id, "bank"):
        rows.query(line, query_id)
        common = bank_rest(untyped, ("metadata", "nugget_bank", "format_version"), VERSION)
        metadata = beyond(untyped["metadata"], ("topic_id",))
        common |= {"metadata": metadata} if metadata else {}
        found = (bank.nugget_bank, untyped["nugget_bank"])
        add_items(rows, line, query_id, QUESTION, found, common, shaped=False)


def write_ragtime26(rows: list[dict[str, Any]], texts: Texts) -> BankLines:  # noqa: ARG001
    """Questions as nugget banks of RAGTIME 2026, a topic per line; claims have no place and are left out."""
    written = BankLines()
    for query_id, group in by_query(rows).items():
        questions = [row for row in group if row["kind"] != CLAIM]
        written.left_out["claims"] += len(group) - len(questions)
        if not questions:
            continue
        bank = bank_of(group) | {"format_version": VERSION, "claim_bank": None}
        bank["metadata"] = {**bank.get("metadata", {}), "topic_id": query_id}
        bank["nugget_bank"] = [_item(row) for row in questions]
        written.left_out["question_text"] += sum(row["question_text"] is None for row in questions)
        written.lines.append(msgspec.json.encode(present(bank)))
    return written


def _item(row: Mapping[str, Any]) -> Item:
    item: Item = {
        **kept_of(row).get("item", {}),
        "question": row["question_text"] or "",
        "answers": answers_of(row, {}, always_list=True),
        "importance": importance_of(row),
    }
    ours = said_of(row, _OUR_COLUMNS) | own_id_of(row)
    aggregator = item.get("aggregator_type")
    if aggregator is not None and aggregator not in AGGREGATORS:
        del item["aggregator_type"]
        ours["aggregator_type"] = aggregator
    return present(with_ours(item, ours, row))


def _fits(opening: Opening) -> bool:
    fields, of_v3 = opening.objects, {"claim_bank", "title_query", "question_id"}
    return {"nugget_bank", "topic_id"} <= fields and (f'"{VERSION}"' in opening.text or not fields & of_v3)


ROWS = (
    Format(
        kind=BANK, written="RAGTIME26", looks="a nugget bank of RAGTIME 2026", order=3, fits=_fits, read=read_ragtime26
    ),
)
