"""Nugget banks as runs submit them to RAGTIME 2026 (autojudge-base's RAGTIME26): read and written, a topic per line.

What is kept, and where, is as in `nuggetbank`. The format has questions only, and neither ids nor creators of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from exam_core.formats.banks.documents import decode_object, objects
from exam_core.formats.banks.kind import BANK, CLAIM, QUESTION
from exam_core.formats.banks.nuggetbank import (
    BankNugget,
    Item,
    add_items,
    answers_of,
    bank_of,
    bank_rest,
    importance_of,
    kept_of,
    own_id_of,
    part_notes,
    with_ours,
)
from exam_core.formats.banks.rows import BankLines, BankRows, Text, Texts, beyond, by_query, is_first, present, said_of
from exam_core.formats.format import Format, Opening
from exam_core.formats.json_lines import reporting
from exam_core.formats.reading import Reading
from exam_core.progress import Progress, no_progress

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


def read_ragtime26(path: Path, *, bank_id: str, progress: Progress = no_progress) -> Reading:
    """Read nugget banks of RAGTIME 2026: the topic is the query, and questions get the ids that the authors' would.

    Raises BadInput where a line is no such bank, or a topic has two.
    """
    rows = BankRows(path, bank_id)
    typed, first, parts = msgspec.json.Decoder(_RagtimeFile), dict[str, int](), 0
    for line, raw in objects(path, rows.problems, progress):
        with reporting(rows.problems, line, raw, "a nugget bank of RAGTIME 2026", _REMEDY):
            bank, untyped = decode_object(raw, typed)
            query_id = str(bank.metadata.topic_id)
            if is_first(rows.problems, first, line, query_id, "bank"):
                rows.query(line, query_id)
                common = bank_rest(untyped, ("metadata", "nugget_bank", "format_version"), VERSION)
                metadata = beyond(untyped["metadata"], ("topic_id",))
                common |= {"metadata": metadata} if metadata else {}
                found = (bank.nugget_bank, untyped["nugget_bank"])
                parts += add_items(rows, line, query_id, QUESTION, found, common, shaped=False)
    return rows.reading(*part_notes(parts))


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
