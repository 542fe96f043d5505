"""NuggetBank v3 and RAGTIME 2026: nuggets of a query with their answers, read and written.

NuggetBank v3 as autojudge-base writes it: questions and claims of a query, read and written.

A file has a bank per line, or is one bank, or a list of banks. What it says beyond our columns stands in `extra` under
`nuggetbank`: `item` and `bank` in the format's own fields. What of our columns has no field there is written under
`examboard` in a nugget's metadata, and read from there.

Nugget banks as runs submit them to RAGTIME 2026 (autojudge-base's RAGTIME26): read and written, a topic per line.

What is kept, and where, is as in `nuggetbank`. The format has questions only, and neither ids nor creators of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from exam_core.formats.banks.rows import (
    BANK,
    CLAIM,
    QUESTION,
    BankLines,
    BankRows,
    LineageColumn,
    Number,
    Text,
    Texts,
    as_text,
    beyond,
    by_object,
    by_query,
    kept_under,
    present,
    said_of,
)
from exam_core.formats.format import Format, Opening
from exam_core.tables import question_id

NAME, OURS, VERSION = "nuggetbank", "examboard", "v3"
BANKS = {QUESTION: "nugget_bank", CLAIM: "claim_bank"}
_REMEDY = (
    'A bank is one JSON object such as {"query_id": "q1", "title_query": "...", "nugget_bank": {"Why?": {"question": '
    '"Why?"}}, "claim_bank": {}}.'
)
_PARTS = "{:,} sub-nuggets stay with their nuggets and are not asked on their own."
_OUR_COLUMNS = ("weight", "enabled", "choices", "lineage", "facet_id", "facet_text")
Item = dict[str, Any]


class _NuggetAnswer(msgspec.Struct):
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


class _NuggetBankMetadata(msgspec.Struct):
    examboard: _Ours | None = None


class BankNugget(msgspec.Struct, kw_only=True):
    """A question or claim, as far as it has columns."""

    question: str | None = None
    claim: str | None = None
    question_id: Text | None = None
    claim_id: Text | None = None
    query_id: Text | None = None
    importance: Text | Number | None = None
    aggregator_type: str | None = None
    answers: dict[str, _NuggetAnswer] | list[_NuggetAnswer] | None = None
    sub_nuggets: list[dict[str, Any]] | None = None
    creator: list[Any] | None = None
    metadata: _NuggetBankMetadata | None = None


class _KeptItem(msgspec.Struct, frozen=True):
    metadata: dict[str, Any] = {}
    answers: list[_NuggetAnswer] = []
    sub_nuggets: list[dict[str, Any]] = []
    aggregator_type: str = ""
    creator: list[Any] = []


class _KeptBank(msgspec.Struct, frozen=True):
    metadata: dict[str, Any] = {}


class _KeptNuggetBank(msgspec.Struct):
    """What we keep of a file in `extra`; somebody may have written something else there."""

    item: _KeptItem = _KeptItem()
    bank: _KeptBank = _KeptBank()


Nuggets = dict[str, BankNugget] | list[BankNugget] | None


class _NuggetBankFile(msgspec.Struct, kw_only=True):
    query_id: Text | None = None
    title_query: str | None = None
    nugget_bank: Nuggets = None
    claim_bank: Nuggets = None
    metadata: dict[str, Any] | None = None


_BANK_FIELDS = {"query_id", "title_query", "format_version", *BANKS.values()}
_ITEM_FIELDS = {"query_id", "importance", "answers", "creator", "metadata"}


@by_object(_NuggetBankFile, "a NuggetBank", _REMEDY)
def read_nugget_banks(rows: BankRows, line: int, bank: _NuggetBankFile, untyped: dict[str, Any]) -> None:
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
        rows.problems.add(line, "a bank without query_id", remedy=_REMEDY)
    elif rows.is_first(line, query_id, "bank"):
        rows.query(line, query_id, bank.title_query or None)
        common = bank_rest(untyped, _BANK_FIELDS, VERSION)
        for kind, name in BANKS.items():
            add_items(rows, line, query_id, kind, (getattr(bank, name), untyped.get(name)), common)


def bank_rest(raw: Mapping[str, Any], known: Iterable[str], version: str) -> dict[str, Any]:
    """What a bank says that stands in no column."""
    rest = beyond(raw, known)
    rest |= {name: raw[name] for name in BANKS.values() if raw.get(name) in ({}, [])}
    if raw.get("format_version") not in (None, version):
        rest["format_version"] = raw["format_version"]
    return rest


def add_items(
    rows: BankRows, line: int, query_id: str, kind: str, pair: tuple[Nuggets, Any], common: dict[str, Any]
) -> None:
    """Take a bank's questions, or its claims, read and as they are."""
    typed, plain = pair
    if typed is None:
        return
    for nugget, raw in zip(_values(typed), _values(plain), strict=True):
        text = nugget.claim if kind == CLAIM else nugget.question
        if text is None:
            rows.problems.add(line, f"a nugget without {kind}", query_id, f"Write its text under {kind}.")
        elif nugget.query_id is not None and str(nugget.query_id) != query_id:
            what = f"a {kind} names another query than its bank"
            rows.problems.add(line, what, f"{nugget.query_id}: {text}", "Move it to the bank of its query.")
        else:
            tables = {"item": _rest(kind, nugget, raw), "bank": common}
            rows.question(line, query_id, _columns(kind, text, (nugget, raw), tables))
            below = [raw]
            while below := [part for item in below for part in item.get("sub_nuggets") or [] if isinstance(part, dict)]:
                rows.left[_PARTS] += len(below)


def _values(entries: Any) -> list[Any]:
    return list(entries.values() if isinstance(entries, dict) else entries)


def _columns(kind: str, text: str, pair: tuple[BankNugget, Item], fields: Item) -> Item:
    """A nugget as columns; `fields` is what none of them says."""
    nugget, raw = pair
    ours = _metadata(raw)[1]
    own_id = nugget.claim_id if kind == CLAIM else nugget.question_id
    fields = {name: value for name, value in fields.items() if value}
    return {
        "creators": nugget.creator,
        **ours,
        "question_id": ours.get("question_id") if own_id is None else str(own_id),
        "question_text": text,
        "kind": kind,
        "importance": as_text(nugget.importance),
        "gold_answers": None if nugget.answers is None else [answer.answer for answer in _values(nugget.answers)],
        "extra": (ours.get("extra") or {}) | ({NAME: fields} if fields else {}),
    }


def _metadata(raw: Item) -> tuple[Item, Item]:
    """A nugget's metadata, and what of them is ours."""
    metadata = dict(raw.get("metadata") or {})
    return metadata, metadata.pop(OURS, None) or {}


def _rest(kind: str, nugget: BankNugget, raw: Item) -> Item:
    """What a nugget says that stands in no column."""
    rest = beyond(raw, _ITEM_FIELDS | {kind, f"{kind}_id"})
    metadata, ours = _metadata(raw)
    if metadata or raw.get("metadata") == {}:
        rest["metadata"] = metadata
    if ours.get("aggregator_type"):
        rest["aggregator_type"] = ours["aggregator_type"]
    if nugget.importance is not None and not isinstance(nugget.importance, str):
        rest["importance"] = nugget.importance
    if nugget.creator == []:
        rest["creator"] = []
    if nugget.answers is not None and any(answer.keys() != {"answer"} for answer in _values(raw["answers"])):
        rest["answers"] = _values(raw["answers"])
    return rest


# What is written


def write_nugget_banks(rows: list[dict[str, Any]], texts: Texts) -> BankLines:
    """Questions and claims as NuggetBank v3, a bank for each query: all that they say has a place."""
    written = BankLines()
    for query_id, group in by_query(rows).items():
        bank: Item = {
            "query_id": query_id,
            "title_query": texts.get(query_id, {}).get("query_text"),
            "format_version": VERSION,
            **bank_of(group),
        }
        for kind, name in BANKS.items():
            if items := [_item(row) for row in group if row["kind"] == kind]:
                by_text = {item[kind]: item for item in items}
                bank[name] = by_text if len(by_text) == len(items) else items
        written.left_out["question_text"] += sum(row["question_text"] is None for row in group)
        written.lines.append(msgspec.json.encode(present(bank)))
    return written


def bank_of(group: list[dict[str, Any]]) -> Item:
    """What the bank of a query's questions says: that of the first which came with one."""
    return next((dict(fields["bank"]) for row in group if (fields := kept_of(row)).get("bank")), {})


def kept_of(row: Mapping[str, Any]) -> Item:
    """What a file said of a question beyond our columns."""
    return kept_under(row, NAME, _KeptNuggetBank)


def _item(row: Mapping[str, Any]) -> Item:
    kind = row["kind"]
    item: Item = {
        **kept_of(row).get("item", {}),
        kind: row["question_text"] or "",
        f"{kind}_id": row["question_id"],
        "query_id": row["query_id"],
        "importance": importance_of(row),
        "answers": answers_of(row),
    }
    ours = said_of(row, _OUR_COLUMNS)
    if are_creators(row["creators"]):
        item |= present({"creator": row["creators"]})
    else:
        ours["creators"] = row["creators"]
    return present(with_ours(item, ours, row))


def own_id_of(row: Mapping[str, Any]) -> Item:
    """The id of a question, where a reader would not make the same."""
    made = question_id(row["query_id"], row["question_text"] or "", row["facet_id"])
    return {} if row["question_id"] == made else {"question_id": row["question_id"]}


def importance_of(row: Mapping[str, Any]) -> Text | Number | None:
    """The importance: as the number that it came as, unless it was changed since."""
    number = kept_of(row).get("item", {}).get("importance")
    same = number is not None and str(number) == row["importance"]
    return number if same else row["importance"]


def answers_of(row: Mapping[str, Any], *, always_list: bool = False) -> Any:
    """The answer key with what came along with its answers: by text, or as a list where it has to be one."""
    if row["gold_answers"] is None:
        return None
    came: dict[str, list[Item]] = {}
    for answer in kept_of(row).get("item", {}).get("answers") or []:
        came.setdefault(answer["answer"], []).append(answer)
    records = [came[text].pop(0) if came.get(text) else {"answer": text} for text in row["gold_answers"]]
    by_text = {answer["answer"]: answer for answer in records}
    return records if always_list or len(by_text) < len(records) else by_text


def are_creators(creators: Any) -> bool:
    """Whether the format takes them: objects that say whether a human made it."""
    return creators is None or all(
        isinstance(creator, dict) and isinstance(creator.get("is_human"), bool) for creator in creators
    )


def with_ours(item: Item, ours: Item, row: Mapping[str, Any]) -> Item:
    """The item with what it has no field for in its metadata."""
    taken = {NAME} if kept_of(row) else set()
    others = {name: value for name, value in row["extra"].items() if name not in taken}
    ours = ours | ({"extra": others} if others else {})
    return item | {"metadata": {**item.get("metadata", {}), OURS: ours}} if ours else item


RAGTIME_VERSION = "RAGTIME26"
AGGREGATORS = ("AND", "OR")
_REMEDY_OF_RAGTIME = (
    'A line is one JSON object such as {"metadata": {"topic_id": "q1"}, "nugget_bank": [{"question": "Why?", '
    '"answers": [{"answer": "...", "references": ["d1"]}]}]}.'
)
_COLUMNS_OF_RAGTIME = ("weight", "enabled", "choices", "lineage", "facet_id", "facet_text", "creators")


class _RagtimeMetadata(msgspec.Struct):
    topic_id: Text


class _RagtimeFile(msgspec.Struct):
    metadata: _RagtimeMetadata
    nugget_bank: list[BankNugget]


@by_object(_RagtimeFile, "a nugget bank of RAGTIME 2026", _REMEDY_OF_RAGTIME)
def read_ragtime26(rows: BankRows, line: int, bank: _RagtimeFile, untyped: dict[str, Any]) -> None:
    """Take a nugget bank of RAGTIME 2026: the topic is the query, and questions get the ids that the authors' would."""
    query_id = str(bank.metadata.topic_id)
    if rows.is_first(line, query_id, "bank"):
        rows.query(line, query_id)
        common = bank_rest(untyped, ("metadata", "nugget_bank", "format_version"), RAGTIME_VERSION)
        metadata = beyond(untyped["metadata"], ("topic_id",))
        common |= {"metadata": metadata} if metadata else {}
        pair = (bank.nugget_bank, untyped["nugget_bank"])
        add_items(rows, line, query_id, QUESTION, pair, common)


def write_ragtime26(rows: list[dict[str, Any]], texts: Texts) -> BankLines:  # noqa: ARG001
    """Questions as nugget banks of RAGTIME 2026, a topic per line; claims have no place and are left out."""
    written = BankLines()
    for query_id, group in by_query(rows).items():
        questions = [row for row in group if row["kind"] != CLAIM]
        written.left_out["claims"] += len(group) - len(questions)
        if not questions:
            continue
        bank = bank_of(group) | {"format_version": RAGTIME_VERSION, "claim_bank": None}
        bank["metadata"] = {**bank.get("metadata", {}), "topic_id": query_id}
        bank["nugget_bank"] = [_ragtime_item(row) for row in questions]
        written.left_out["question_text"] += sum(row["question_text"] is None for row in questions)
        written.lines.append(msgspec.json.encode(present(bank)))
    return written


def _ragtime_item(row: Mapping[str, Any]) -> Item:
    item: Item = {
        **kept_of(row).get("item", {}),
        "question": row["question_text"] or "",
        "answers": answers_of(row, always_list=True),
        "importance": importance_of(row),
    }
    ours = said_of(row, _COLUMNS_OF_RAGTIME) | own_id_of(row)
    aggregator = item.get("aggregator_type")
    if aggregator is not None and aggregator not in AGGREGATORS:
        del item["aggregator_type"]
        ours["aggregator_type"] = aggregator
    return present(with_ours(item, ours, row))


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
