"""Banks as rows of questions: tables with a header and lists in JSON, read and written; and texts by query, read.

The fields are those of a question. In a table, an empty cell says nothing, and a list is JSON (`["a", "b"]`), or texts
with `|` between them; texts are written as `csv_cells` has them, those of several lines as JSON, too. Other fields
stand in `extra` under `csv` or `json`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec

from exam_core.formats import delimited
from exam_core.formats.banks.rows import (
    BANK,
    FIELDS,
    NAMES,
    BankLines,
    BankRows,
    Texts,
    add_named,
    by_object,
    kept_under,
    named_row,
    present,
)
from exam_core.formats.csv_cells import cell_of, csv_lines, text_of
from exam_core.formats.format import Format, Opening
from exam_core.formats.json_lines import BadLine, decode_object, entries, objects, reporting
from exam_core.formats.plain_tables import Column, PlainTable, number
from exam_core.formats.reading import Reading
from exam_core.progress import Progress, no_progress

LISTS, OBJECTS = ("gold_answers", "choices"), ("creators", "lineage", "extra")
_ANY, _LIST = msgspec.json.Decoder(), msgspec.json.Decoder(list[Any])
_ALWAYS = ("query_id", "question_id", "question_text")
_FLAGS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_HEADER_REMEDY = (
    "The header names query_id and question_text, and if you like question_id, kind, importance, weight, enabled, "
    "gold_answers, choices, facet_id, facet_text, query_text."
)


def _flag(cell: str) -> bool:
    if (flag := _FLAGS.get(cell.lower())) is None:
        raise ValueError("is neither yes nor no")
    return flag


def _decoded(cell: str) -> Any:
    """The value of JSON; what is none stays a text."""
    text = text_of(cell)
    try:
        return decode_object(text.encode(), _ANY)[0] if text else text
    except BadLine:
        return text


def _list(cell: str) -> Any:
    text = text_of(cell) or ""
    value = _decoded(cell) if text.startswith("[") else None
    return value if isinstance(value, list) else [part.strip() for part in text.split("|") if part.strip()]


_READ = {"enabled": _flag, **dict.fromkeys(LISTS, _list), **dict.fromkeys(OBJECTS, _decoded)}
_SPELLINGS = {
    "query_id": delimited.QUERY_ID,
    "query_text": delimited.QUERY_TEXT,
    "question_text": ("exam_question", "question_title"),
    "nugget_text": ("nugget",),
}
_TABLE = PlainTable(
    columns={
        name: number(needed=False)
        if name == "weight"
        else Column(_SPELLINGS.get(name, ()), _READ.get(name, text_of), needed=False, remedy=_HEADER_REMEDY)
        for name in (*FIELDS, "question", "nugget_id", "nugget_text", "claim")
    },
    in_header=("query_id",),
    texts_as_ids=True,
)
"""The columns, with the names that people write; `NAMES` says which of them are one field."""
_PLAIN = re.compile(r"[a-z0-9]+(?:[ _-][a-z0-9]+)*")
_TAKEN = {delimited.folded(name) for field, names in _TABLE.names.items() for name in (field, *names)}


def read_csv(path: Path, *, bank_id: str, progress: Progress = no_progress) -> Reading:
    """Read rows of questions; one without question_id gets the id that the authors' would.

    Raises BadInput where a row lacks its query or a cell says what it can't, or an id occurs again with another
    question.
    """
    rows = BankRows(path, bank_id)
    for lines, columns, cells in _TABLE.columns_of_rows(path, rows.problems, progress):
        for index, (line, texts) in enumerate(zip(lines, cells, strict=True)):
            fields = {name: columns[name][index] if name in columns else text_of(cell) for name, cell in texts.items()}
            with reporting(
                rows.problems, line, ",".join(texts.values()).encode(), "a question of a bank", _HEADER_REMEDY
            ):
                add_named(rows, line, present(fields), "csv")
    return rows.reading()


def write_csv(rows: list[dict[str, Any]], texts: Texts) -> BankLines:
    """Rows of questions: all that a bank says; a column that would be empty is left out."""
    known = dict.fromkeys(name for row in rows for name in kept_under(row, "csv"))
    # A field of `extra` can be a column again, where no other column is read as the same.
    by_folded = {delimited.folded(name): name for name in known if _PLAIN.fullmatch(name)}
    names = [name for folded, name in by_folded.items() if folded not in _TAKEN]
    own = ([name for name in names if isinstance(kept_under(row, "csv").get(name), str)] for row in rows)
    values = (named_row(row, texts, "csv", its) for row, its in zip(rows, own, strict=True))
    as_json = (*LISTS, *OBJECTS)
    cells = [
        {
            name: json.dumps(value, ensure_ascii=False) if name in as_json else cell_of(value, never="\0\r\n")
            for name, value in row.items()
        }
        for row in values
    ]
    header = [name for name in (*FIELDS, *names) if name in _ALWAYS or any(name in row for row in cells)]
    return BankLines(csv_lines(header, cells))


_REMEDY = 'A bank is a list such as [{"query_id": "q1", "question_text": "Why?"}], or texts by query: {"q1": ["Why?"]}.'
_OF_OTHERS = {"items", "questions", "nuggets", "references", "answer", "columns"}
_OF_WORDS = re.compile(r"[^!->@-\[\]-~]")
"""What ids in a list don't have: a blank, a question mark, a letter that ASCII lacks."""


@by_object(dict[str, Any], "a question of a bank", _REMEDY)
def read_json(rows: BankRows, line: int, fields: dict[str, Any], _: Any) -> None:
    """Take a question: an object with query_id and question_text, or all that we write.

    A question without question_id gets the id that the authors' program would give it.
    """
    add_named(rows, line, fields, "json")


def read_texts(path: Path, *, bank_id: str, progress: Progress = no_progress) -> Reading:
    """Read questions by query, as texts: `{query: [text]}`. Raises BadInput where it is no such object."""
    rows = BankRows(path, bank_id)
    for line, raw in objects(path, rows.problems, progress):
        with reporting(rows.problems, line, raw, "questions by query", _REMEDY):
            for query_id, (start, part) in entries(raw, line):
                with reporting(rows.problems, start, part, f"questions of query {query_id[:60]}", _REMEDY):
                    rows.query(start, query_id)
                    for place, text in enumerate(decode_object(part, _LIST)[0], 1):
                        if not isinstance(text, str):
                            raise BadLine(f"question {place} is not text", cause="no text")
                        rows.question(start, query_id, {"question_text": text.strip()})
    return rows.reading()


def write_json(rows: list[dict[str, Any]], texts: Texts) -> BankLines:
    """A list of questions, one a line: all that a bank says."""
    lines = [msgspec.json.encode(named_row(row, texts, "json")) for row in rows]
    return BankLines([b"[", *(line + b"," for line in lines[:-1]), *lines[-1:], b"]"])


def _is_table(opening: Opening) -> bool:
    return any(delimited.has_columns(opening, _TABLE.names, "query_id", name) for name in NAMES["question_text"])


def _is_list(opening: Opening) -> bool:
    if opening.objects & {"items", "questions", "nuggets"}:
        return False
    queries, *questions = (opening.objects & set(NAMES[name]) for name in _ALWAYS)
    if not (queries and any(questions)):
        return "question_text" in opening.objects
    # The workbench has a question's id under qid, beside query_id.
    ids = [str([first_object.get(name) for name in queries]) for first_object in opening.first_objects]
    return "question_text" in opening.objects or opening.is_list or len({*ids}) < len(ids)


def _has_texts(opening: Opening) -> bool:
    lists = list(opening.first_object.values())
    if opening.is_list or opening.fields & _OF_OTHERS or not all(isinstance(texts, list) for texts in lists):
        return False
    texts = [text for own in lists for text in own]
    return all(isinstance(text, str) for text in texts) and any(map(_OF_WORDS.search, texts))


ROWS = (
    Format(kind=BANK, written="JSON", looks="a list of questions", order=6, fits=_is_list, read=read_json),
    Format(kind=BANK, written="JSON by query", looks="questions by query", order=7, fits=_has_texts, read=read_texts),
    Format(
        kind=BANK,
        written="CSV",
        looks="a table of questions",
        order=29,
        fits=_is_table,
        read=read_csv,
        explains=("table", "text"),
    ),
)
