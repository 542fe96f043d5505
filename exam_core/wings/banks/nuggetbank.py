"""NuggetBank v3, as autojudge-base writes it, and the nugget banks of RAGTIME 2026: questions and claims of a query.

Both are read and written, a bank per line, or one bank or a list of banks as a whole file. What a bank says beyond our
columns stands in `extra` under `nuggetbank`: `item` and `bank` in the format's own fields. What of our columns has no
field there is written under `examboard` in a nugget's metadata, and read from there. RAGTIME's banks have questions
only, and neither ids nor creators of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import msgspec

from exam_core.formats.banks.rows import (
    BANK,
    CLAIM,
    QUESTION,
    BankLines,
    BankRows,
    LineageColumn,
    Text,
    Texts,
    as_text,
    beyond,
    by_object,
    by_query,
    kept_under,
    part,
    present,
    said_of,
)
from exam_core.formats.format import Format, Opening
from exam_core.formats.json_lines import BadLine
from exam_core.tables import question_id

NAME, OURS, VERSION, RAGTIME_VERSION = "nuggetbank", "examboard", "v3", "RAGTIME26"
BANKS = {QUESTION: "nugget_bank", CLAIM: "claim_bank"}
AGGREGATORS = ("AND", "OR")
_REMEDY = (
    'A bank is one JSON object such as {"query_id": "q1", "title_query": "...", "nugget_bank": {"Why?": {"question": '
    '"Why?"}}, "claim_bank": {}}.'
)
_REMEDY_OF_RAGTIME = (
    'A line is one JSON object such as {"metadata": {"topic_id": "q1"}, "nugget_bank": [{"question": "Why?", '
    '"answers": [{"answer": "...", "references": ["d1"]}]}]}.'
)
_PARTS = "{:,} sub-nuggets stay with their nuggets and are not asked on their own."
_OUR_COLUMNS = ("weight", "enabled", "choices", "lineage", "facet_id", "facet_text")
_BANK_FIELDS = {"query_id", "title_query", "format_version", *BANKS.values()}
_ITEM_FIELDS = {"query_id", "importance", "answers", "creator", "metadata"}
Item = dict[str, Any]


class _Answer(msgspec.Struct):
    answer: str


class _Ours(msgspec.Struct, forbid_unknown_fields=True):
    """What of our columns has no field of its own."""

    question_id: str | None = None
    weight: float | None = None
    enabled: bool | None = None
    choices: list[str] | None = None
    lineage: LineageColumn | None = None
    facet_id: str | None = None
    facet_text: str | None = None
    creators: list[Any] | None = None
    aggregator_type: str | None = None
    extra: dict[str, Any] | None = None


class _Metadata(msgspec.Struct):
    examboard: _Ours | None = None


class _Nugget(msgspec.Struct):
    """What has to be as it is for us; other columns are checked when they are taken."""

    answers: dict[str, _Answer] | list[_Answer] | None = None
    sub_nuggets: list[dict[str, Any]] | None = None
    aggregator_type: str | None = None
    creator: list[Any] | None = None
    metadata: _Metadata | None = None


_Nuggets = dict[str, _Nugget] | list[_Nugget] | None


class _NuggetBank(msgspec.Struct):
    query_id: Text | None = None
    title_query: str | None = None
    nugget_bank: _Nuggets = None
    claim_bank: _Nuggets = None
    metadata: dict[str, Any] | None = None


class _RagtimeMetadata(msgspec.Struct):
    topic_id: Text


class _RagtimeBank(msgspec.Struct):
    metadata: _RagtimeMetadata
    nugget_bank: list[_Nugget]


class _Kept(msgspec.Struct):
    """What we keep of a file in `extra`; somebody may have written something else there."""

    item: _Nugget | None = None
    bank: _NuggetBank | None = None


@by_object(_NuggetBank, "a NuggetBank", _REMEDY)
def read_nugget_banks(rows: BankRows, line: int, bank: _NuggetBank, untyped: Item) -> None:
    """Take a NuggetBank: questions with their answers as answer keys, and claims.

    Sub-nuggets stay with their nugget in `extra`: they are not asked on their own. An importance that is a number is a
    word of its own, for the format doesn't say what it means.
    """
    # Where a bank names no query, autojudge-base finds it so.
    named = bank.metadata or {}
    query_id = as_text(named.get("topic_id") or named.get("query_id"))
    if bank.query_id is not None:
        query_id = str(bank.query_id)
    elif bank.title_query:
        query_id = hashlib.md5(bank.title_query.encode(), usedforsecurity=False).hexdigest()
    if query_id is None:
        raise BadLine("a bank without query_id")
    rows.only(line, query_id, "bank")
    rows.query(line, query_id, bank.title_query or None)
    common = _rest_of_bank(untyped, _BANK_FIELDS, VERSION)
    for kind in BANKS:
        _add_items(rows, line, query_id, kind, untyped, common)


@by_object(_RagtimeBank, "a nugget bank of RAGTIME 2026", _REMEDY_OF_RAGTIME)
def read_ragtime26(rows: BankRows, line: int, bank: _RagtimeBank, untyped: Item) -> None:
    """Take a nugget bank of RAGTIME 2026: the topic is the query, and questions get the ids that the authors' would."""
    query_id = str(bank.metadata.topic_id)
    rows.only(line, query_id, "bank")
    rows.query(line, query_id)
    common = _rest_of_bank(untyped, ("metadata", "nugget_bank", "format_version"), RAGTIME_VERSION)
    metadata = beyond(untyped["metadata"], ("topic_id",))
    _add_items(rows, line, query_id, QUESTION, untyped, common | ({"metadata": metadata} if metadata else {}))


def _rest_of_bank(raw: Item, known: Iterable[str], version: str) -> Item:
    """What a bank says that stands in no column."""
    rest = beyond(raw, known)
    rest |= {name: raw[name] for name in BANKS.values() if raw.get(name) in ({}, [])}
    return rest | (
        {"format_version": raw["format_version"]} if raw.get("format_version") not in (None, version) else {}
    )


def _add_items(rows: BankRows, line: int, query_id: str, kind: str, bank: Item, common: Item) -> None:
    """Take a bank's questions, or its claims."""
    for number, raw in enumerate(_values(bank.get(BANKS[kind])), 1):
        with part(f"{BANKS[kind]} {number}"):
            if raw.get(kind) is None:
                raise BadLine(f"a nugget without {kind}", cause="no text")
            if raw.get("query_id") is not None and str(raw["query_id"]) != query_id:
                raise BadLine(f"a {kind} names another query than its bank", cause="query")
            metadata = dict(raw.get("metadata") or {})
            ours = metadata.pop(OURS, None) or {}
            own_id, importance, answers = raw.get(f"{kind}_id"), raw.get("importance"), _values(raw.get("answers"))
            rest = beyond(raw, _ITEM_FIELDS | {kind, f"{kind}_id"})
            rest |= {"metadata": metadata} if metadata or raw.get("metadata") == {} else {}
            rest |= {"aggregator_type": ours["aggregator_type"]} if ours.get("aggregator_type") else {}
            rest |= {} if importance is None or isinstance(importance, str) else {"importance": importance}
            rest |= {"creator": []} if raw.get("creator") == [] else {}
            rest |= {"answers": answers} if any(answer.keys() != {"answer"} for answer in answers) else {}
            kept = present({"item": rest or None, "bank": common or None})
            columns = {
                "creators": raw.get("creator"),
                **{name: value for name, value in ours.items() if name != "aggregator_type"},
                "question_id": ours.get("question_id") if own_id is None else own_id,
                "question_text": raw[kind],
                "kind": kind,
                "importance": importance,
                "gold_answers": None if raw.get("answers") is None else [answer["answer"] for answer in answers],
                "extra": (ours.get("extra") or {}) | ({NAME: kept} if kept else {}),
            }
            rows.question(line, query_id, columns)
        below = [raw]
        while below := [inner for item in below for inner in item.get("sub_nuggets") or [] if isinstance(inner, dict)]:
            rows.left[_PARTS] += len(below)


def _values(entries: Any) -> list[Any]:
    return list(entries.values() if isinstance(entries, dict) else entries or ())


# What is written


def write_nugget_banks(rows: list[Item], texts: Texts) -> BankLines:
    """Questions and claims as NuggetBank v3, a bank for each query: all that they say has a place."""
    written = BankLines()
    for query_id, group in by_query(rows).items():
        title = texts.get(query_id, {}).get("query_text")
        bank = {"query_id": query_id, "title_query": title, "format_version": VERSION, **_kept_bank(group)}
        for kind, name in BANKS.items():
            if items := [_item(row, of_ragtime=False) for row in group if row["kind"] == kind]:
                by_text = {item[kind]: item for item in items}
                bank[name] = by_text if len(by_text) == len(items) else items
        written.left_out["question_text"] += sum(row["question_text"] is None for row in group)
        written.lines.append(msgspec.json.encode(present(bank)))
    return written


def write_ragtime26(rows: list[Item], texts: Texts) -> BankLines:  # noqa: ARG001
    """Questions as nugget banks of RAGTIME 2026, a topic per line; claims have no place and are left out."""
    written = BankLines()
    for query_id, group in by_query(rows).items():
        questions = [row for row in group if row["kind"] != CLAIM]
        written.left_out["claims"] += len(group) - len(questions)
        if not questions:
            continue
        bank = _kept_bank(group) | {"format_version": RAGTIME_VERSION, "claim_bank": None}
        bank["metadata"] = {**(bank.get("metadata") or {}), "topic_id": query_id}
        bank["nugget_bank"] = [_item(row, of_ragtime=True) for row in questions]
        written.left_out["question_text"] += sum(row["question_text"] is None for row in questions)
        written.lines.append(msgspec.json.encode(present(bank)))
    return written


def _kept_bank(group: list[Item]) -> Item:
    """What the bank of a query's questions says: that of the first which came with one."""
    banks = (kept_under(row, NAME, _Kept).get("bank") for row in group)
    return dict(next(filter(None, banks), {}))


def _item(row: Item, *, of_ragtime: bool) -> Item:
    """A nugget with what it came with; what it has no field for stands in its metadata."""
    kept, kind, extra = kept_under(row, NAME, _Kept), row["kind"], row["extra"]
    came, ours = dict(kept.get("item") or {}), said_of(row, _OUR_COLUMNS)
    # An importance that came as a number is one again, unless it was changed since.
    same = came.get("importance") is not None and str(came["importance"]) == row["importance"]
    importance, creators = came["importance"] if same else row["importance"], row["creators"]
    answers, text = _answers(row["gold_answers"], came.get("answers"), as_list=of_ragtime), row["question_text"] or ""
    if of_ragtime:
        item = {**came, "question": text, "answers": answers, "importance": importance}
        made = question_id(row["query_id"], text, row["facet_id"])
        ours |= present({"creators": creators}) | (
            {} if row["question_id"] == made else {"question_id": row["question_id"]}
        )
        if item.get("aggregator_type") not in (None, *AGGREGATORS):
            ours["aggregator_type"] = item.pop("aggregator_type")
    else:
        item = {**came, kind: text, f"{kind}_id": row["question_id"], "query_id": row["query_id"]}
        item |= {"importance": importance, "answers": answers}
        # The format takes objects that say whether a human made it.
        said = all(isinstance(maker, dict) and isinstance(maker.get("is_human"), bool) for maker in creators or ())
        if creators is not None:
            (item if said else ours).update({"creator" if said else "creators": creators})
    others = {name: value for name, value in extra.items() if name != NAME or not kept}
    ours |= {"extra": others} if others else {}
    return present(item | {"metadata": {**(item.get("metadata") or {}), OURS: ours}} if ours else item)


def _answers(texts: list[str] | None, came: Any, *, as_list: bool) -> Any:
    """The answer key with what came along with its answers: by text, or as a list where it has to be one."""
    if texts is None:
        return None
    by_answer: dict[str, list[Item]] = {}
    for answer in _values(came):
        by_answer.setdefault(answer["answer"], []).append(answer)
    records = [by_answer[text].pop(0) if by_answer.get(text) else {"answer": text} for text in texts]
    by_text = {answer["answer"]: answer for answer in records}
    return records if as_list or len(by_text) < len(records) else by_text


def _fits(opening: Opening) -> bool:
    fields, of_v3 = opening.objects, {"claim_bank", "title_query", "question_id"}
    return {"nugget_bank", "topic_id"} <= fields and (f'"{RAGTIME_VERSION}"' in opening.text or not fields & of_v3)


ROWS = (
    Format(
        kind=BANK,
        written="NuggetBank v3",
        looks="a NuggetBank",
        order=4,
        fits=lambda opening: bool(opening.objects & {"nugget_bank", "claim_bank"}),
        read=read_nugget_banks,
    ),
    Format(
        kind=BANK, written="RAGTIME26", looks="a nugget bank of RAGTIME 2026", order=3, fits=_fits, read=read_ragtime26
    ),
)
