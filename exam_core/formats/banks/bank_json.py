"""Banks as plain JSON: a list of questions, texts by query, or the authors' older generated banks. Lists are written.

Fields of a question that have no column stand in `extra` under `json`, those of older banks under `genq`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from exam_core.formats.banks.rows import (
    BANK,
    FIELD_NAMES,
    BankLines,
    BankRows,
    Texts,
    add_named,
    beyond,
    by_object,
    named_row,
    with_our_names,
)
from exam_core.formats.format import Format, Opening
from exam_core.formats.json_lines import BadLine, Piece, decode_object, entries, objects, reporting
from exam_core.formats.reading import Reading
from exam_core.progress import Progress, no_progress
from exam_core.tables import id_of_digest

NAME, OLDER = "json", "genq"
_REMEDY = 'A bank is a list such as [{"query_id": "q1", "question_text": "Why?"}], or texts by query: {"q1": ["Why?"]}.'
_NUMBER = re.compile(r"^\d+\.\s+")
_ENTRY = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(:?)\s*([\[{]?)')
_START = re.compile(r'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\[\s*(?:"|\])')


class _Facet(msgspec.Struct):
    questions: list[str]
    title: str | None = None
    facet: str | None = None


_OF_OTHERS = {"items", "questions", "nuggets", "references", "answer", "columns"}
_OF_WORDS = re.compile(r"[^!->@-\[\]-~]")
"""What ids in a list don't have: a blank, a question mark, a letter that ASCII lacks."""

_LIST, _FACET = msgspec.json.Decoder(list[Any]), msgspec.json.Decoder(_Facet)


@by_object(dict[str, Any], "a question of a bank", _REMEDY)
def read_json(rows: BankRows, line: int, fields: dict[str, Any], _: Any) -> None:
    """Take a question: an object with query_id and question_text, or all that we write.

    A question without question_id gets the id that the authors' program would give it.
    """
    add_named(rows, line, with_our_names(fields), NAME)


def read_texts(path: Path, *, bank_id: str, progress: Progress = no_progress) -> Reading:
    """Read questions by query, as texts: `{query: [text]}`; or, in older generated banks, by facet.

    Those are `{query: {facet: {title, facet, questions}}}`. The numbers before their questions are no part of them, but
    their ids are made with the numbers. Raises BadInput where it is no such object, or names a query twice.
    """
    rows = BankRows(path, bank_id)
    for line, raw in objects(path, rows.problems, progress):
        with reporting(rows.problems, line, raw, "questions by query", _REMEDY):
            for query_id, (start, part) in entries(raw, line):
                with reporting(rows.problems, start, part, f"questions of query {query_id[:60]}", _REMEDY):
                    if part[:1] == b"{":
                        _add_facets(rows, query_id, (start, part))
                        continue
                    rows.query(start, query_id)
                    texts, _ = decode_object(part, _LIST)
                    if odd := [number for number, text in enumerate(texts, 1) if not isinstance(text, str)]:
                        raise BadLine(f"question {odd[0]} is not text", cause="no text")
                    for text in texts:
                        rows.question(start, query_id, {"question_text": text.strip()})
    return rows.reading()


def _add_facets(rows: BankRows, query_id: str, piece: Piece) -> None:
    line, raw = piece
    for facet_id, (start, part) in entries(raw, line):
        facet, untyped = decode_object(part, _FACET)
        common = beyond(untyped, ("questions", "title", "facet"))
        rows.query(start, query_id, facet.title or None)
        for text in facet.questions:
            words = _NUMBER.sub("", text)
            more = ({"question": text} if words != text else {}) | ({"facet": common} if common else {})
            question = {
                "question_id": id_of_digest(query_id, text, facet_id),
                "question_text": words,
                "facet_id": facet_id,
                "facet_text": facet.facet,
                "extra": {OLDER: more} if more else None,
            }
            rows.question(start, query_id, question)


def write_json(rows: list[dict[str, Any]], texts: Texts) -> BankLines:
    """A list of questions, one a line: all that a bank says."""
    lines = [msgspec.json.encode(named_row(row, texts, NAME)) for row in rows]
    ends = [b","] * (len(lines) - 1) + [b""]
    return BankLines([b"[", *(text + end for text, end in zip(lines, ends, strict=True)), b"]"])


def _fits_questions(opening: Opening) -> bool:
    if opening.objects & {"items", "questions", "nuggets"}:
        return False
    queries, *questions = (opening.objects & set(names) for names in FIELD_NAMES.values())
    if not (queries and any(questions)):
        return "question_text" in opening.objects
    # The workbench has a question's id under qid, beside query_id.
    ids = [str([first_object.get(name) for name in queries]) for first_object in opening.first_objects]
    return "question_text" in opening.objects or opening.is_list or len({*ids}) < len(ids)


def _fits_texts(opening: Opening) -> bool:
    if {"facet", "questions"} <= opening.fields:
        return not opening.fields & {"query_id", "qid", "facet_id"}
    entries = _ENTRY.findall(opening.text)
    if not _START.match(opening.text) or opening.fields & _OF_OTHERS:
        return False
    texts = [text for text, colon, _ in entries if not colon]
    return any(map(_OF_WORDS.search, texts)) and all(opens == "[" for _, colon, opens in entries if colon)


ROWS = (
    Format(kind=BANK, written="JSON", looks="a list of questions", order=6, fits=_fits_questions, read=read_json),
    Format(kind=BANK, written="JSON by query", looks="questions by query", order=7, fits=_fits_texts, read=read_texts),
)
