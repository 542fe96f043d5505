"""Topics: what users ask, by query id, in tables, JSON and tagged text.

The text of a query is the first of these that a topic has: `query_text`, `query`, `problem_statement` (RAGTIME,
NeuCLIR), `text` (BEIR), `title` (TREC, RAG), `question`, `utterance`, `desc`, `narrative`, `description`. A title
beside another text is kept as the topic's title; all else is left out, and a note names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from html import unescape
from itertools import chain
from pathlib import Path
from typing import Any

from exam_core.errors import BadInput, Problems
from exam_core.formats import delimited
from exam_core.formats.format import Format, Kind, Opening, is_number
from exam_core.formats.json_lines import BadLine, Number, decoded, entries, objects, reporting
from exam_core.formats.lines import LONGEST_JSON, LONGEST_TEXT, numbered_lines, text_lines
from exam_core.formats.reading import MakeSpill, Reading, Rows
from exam_core.formats.records import first_records, refuse_texts_for_ids
from exam_core.formats.trec import are_qrels, is_run
from exam_core.progress import Progress, no_progress, part_of
from exam_core.tables import QUERIES

NAMES = {
    "query_id": (*delimited.QUERY_ID[:-2], "id", "_id", "num", "number", "no", "topic", "query"),
    "query_text": (
        *("query", "problem_statement", "topic_text", "topic", "text", "title", "question", "content"),
        *("untagged", "utterance", "raw_utterance", "desc", "narrative", "description", "narr"),
    ),
}
_OF_TABLES = (
    *(*delimited.DOC_ID, *delimited.RUN_ID, "nugget", "nugget_text", "measure", "metric", "score", "value"),
    *("relevance", "label", "grade", "question_id", "question_text", "rank", "answer"),
)
_OF_OBJECTS = (
    *(*_OF_TABLES, "contents", "content", "segment", "body", "passage", "url", "answers", "responses", "references"),
    *("sentences", "questions", "items", "nuggets", "rubrics", "model", "reviewer", "annotator", "annotations"),
)
"""What tables and objects have that are no topics."""
_LONG_TEXT = 250
"""Characters that texts of queries have at most, as a rule; those of passages have more."""
_REMEDY = 'A topic has an id and a query, such as {"id": "301", "title": "rising bread"}.'
_Topic = tuple[int, Mapping[str, Any]]
"""The line where a topic begins, and what it says under the names that the file has."""


def read_topics(path: Path, *, make_spill: MakeSpill | None = None, progress: Progress = no_progress) -> Reading:
    """Read topics: a table of two columns, id and text, or of those that a header names; JSON; or tagged text.

    JSON is an object a line, a list of objects, or texts or objects by query id. Tagged text is TREC's `<top>`, whose
    inner tags may stay open, or XML (`<topic number="1">`); zeros in front of a number stay. Raises BadInput where a
    topic has no id or text, the header is that of another table, or the file breaks off.
    """
    problems, opening, reads = Problems(path), Opening(path), part_of(progress, 0, 2)
    reading, rows, left_out = Reading(), Rows(QUERIES, problems, make_spill), dict[str, None]()
    if _is_tagged(opening):
        topics = _tagged(path, problems, reads)
    elif opening.is_json:
        topics = _objects(opening, problems, reads)
    else:
        topics = _table(opening, problems, reads, reading.notes)
    for line, fields in topics:
        filled = tuple(name for name, value in fields.items() if isinstance(value, str) and value.strip())
        own, text, title = _chosen(filled, tuple(name for name in filled if not isinstance(fields[name], Number)))
        is_text = delimited.folded(own) in delimited.TEXTS_OR_IDS and delimited.is_text(fields[own])
        if not own or not text or is_text:
            remedy = f"Write the id and the query's text, or remove the topic. {_REMEDY}"
            problems.add(line, "no query id or no text", " ".join(fields[name] for name in filled), remedy)
            continue
        rows.add(line, fields[own].strip(), fields[text].strip(), fields[title].strip() if title else None)
        if len(fields) > 2:
            others = [name for name in fields if name not in (own, text) and name.lower() != "title"]
            left_out |= dict.fromkeys(name for name in others if fields[name] not in (None, ""))
    frames = rows.decide("text", part_of(progress, 1, 2))
    problems.raise_if_any()
    reading.notes += [f"{rows.merged:,} repeated lines were merged."] if rows.merged else []
    reading.notes += [f"Columns that are not kept: {', '.join(left_out)}."] if left_out else []
    reading.take("queries", frames, make_spill)
    reading.counts["queries"] = reading.rows("queries")
    return reading


@lru_cache(2**10)
def _chosen(filled: tuple[str, ...], words: tuple[str, ...]) -> tuple[str, str, str]:
    """Which of the names that say something are id, text and title, the latter two of those that have words."""

    def first(names: Sequence[str], field: str) -> str:
        columns = delimited.columns_of(names, {field: NAMES[field]})
        return names[columns[field]] if columns else ""

    own = first(filled, "query_id")
    text = first([name for name in words if name != own], "query_text")
    return own, text, next((name for name in words if name.lower() == "title" and name not in (own, text)), "")


def _table(opening: Opening, problems: Problems, progress: Progress, notes: list[str]) -> Iterator[_Topic]:
    """Topics of a table; a note says what was taken for its header."""
    header = _header(opening)
    # Most lines end with a cell that is a number.
    separator = delimited.separator_of(opening.lines)
    ends = [line.rpartition(separator)[1:] for line in opening.lines]
    are_values = sum(bool(sign) and is_number(end) for sign, end in ends) * 2 > len(ends)
    if is_run(opening) or are_qrels(opening) or are_values:
        what = "numbers where the texts of queries belong"
        problems.add(1, what, opening.lines[0], "Write an id, a tab, and a text.")
    elif header and not _are_of_topics(header):
        what = "the header of another table than one of query ids and texts"
        problems.add(1, what, ", ".join(header), "Leave the columns of ids and texts.")
    problems.raise_if_any()
    if header:
        refuse_texts_for_ids(opening, NAMES)
        named = ", ".join(name.strip() for name in header)
        notes.append(f"{opening.path.name}: line 1 was taken for the header, {named}.")
    fields = tuple(NAMES)
    for row in delimited.table_rows(opening.path, NAMES, problems, progress, needed=fields, bare=fields):
        yield row.line, row.cells


def _objects(opening: Opening, problems: Problems, progress: Progress) -> Iterator[_Topic]:
    """Topics of JSON; what is none goes to the problems."""
    if (first := opening.first_object) and not _is_json(opening) and not _are_by_id(first):
        problems.add(1, "no object with the id and the text of a query", opening.text, _REMEDY)
        problems.raise_if_any()
    for line, raw in objects(opening.path, problems, progress):
        with reporting(problems, line, raw, "a topic", _REMEDY):
            fields = decoded(raw)
            if not isinstance(fields, dict):
                raise BadLine("no object")
            if not _are_by_id(fields):
                yield line, fields
                continue
            for query_id, (start, part) in entries(raw, line):
                value = decoded(part)
                yield start, {**(value if isinstance(value, dict) else {"query_text": value}), "query_id": query_id}


def _are_by_id(fields: Mapping[str, Any]) -> bool:
    """Whether the names of an object are ids: none is that of a field, and each has a text or a topic."""
    return not _has(tuple(fields), _OF_OBJECTS, *NAMES.values()) and all(
        _has(tuple(item), *NAMES.values()) if isinstance(item, dict) else type(item) is str for item in fields.values()
    )


@lru_cache(2**4)
def _has(header: tuple[str, ...], *names: tuple[str, ...]) -> bool:
    """Whether a header, or an object, has one of some names."""
    return bool(set(map(delimited.folded, header)) & set(map(delimited.folded, chain(*names))))


def _header(opening: Opening) -> tuple[str, ...]:
    """The header of a table; empty where its first line is a topic."""
    header = tuple(delimited.first_row(opening, NAMES))
    is_other = delimited.is_table(opening) and _has(header, _OF_TABLES)
    return header if is_other or delimited.is_header(header, NAMES, tuple(NAMES)) else ()


def _are_of_topics(header: tuple[str, ...]) -> bool:
    return delimited.columns_of(header, NAMES).keys() == NAMES.keys() and not _has(header, _OF_TABLES)


# Tagged text

_TOPIC = re.compile(r"<(top|topic|query)(?=[\s>])([^<>]*)>(.*?)(</\1\s*>|(?=<\1[\s>])|\Z)", re.DOTALL | re.IGNORECASE)
_OPENS = re.compile(r"<(?:top|topic|topics|queries)\b", re.IGNORECASE)
_NAME = r"[A-Za-z][\w:.-]*(?:\s[^<>]*)?"
_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]*)(?:\s[^<>]*)?>")
_HIDDEN = re.compile(rf"<!--.*?(?:-->|\Z)|<!\[CDATA\[|\]\]>|<[?!]{_NAME}>|<{_NAME}/>", re.DOTALL)
"""Comments, signs around texts, declarations, and tags that hold nothing."""
_NUMBER = re.compile(r"""(?:number|num|id|qid|topic_id|query_id)\s*=\s*["']?\s*([^"'\s>]+)""", re.IGNORECASE)
_LABELS = {"num": "Number:", "title": "Topic:", "desc": "Description:", "narr": "Narrative:"}
"""What TREC writes behind some tags."""
_ZEROS = re.compile(rb"Number:\s*0")


def _tagged(path: Path, problems: Problems, progress: Progress) -> Iterator[_Topic]:
    lines, last, size = list[str](), 0, 0
    for line, part in text_lines(path, problems, progress):
        lines.append("\n" * (line - last - 1) + part)
        last, size = line, size + len(lines[-1])
        if size > LONGEST_JSON:
            problems.add(line, f"more than {LONGEST_JSON // 2**20} MiB of topics", remedy="Split the file.")
            problems.raise_if_any()
    text = _HIDDEN.sub(lambda match: "\n" * match[0].count("\n"), "\n".join(lines))
    line, start, has_ends = 1, 0, False
    topics = list(_TOPIC.finditer(text))
    for topic in topics:
        line, start = line + text.count("\n", start, topic.start()), topic.start()
        if len(topic[3]) > LONGEST_TEXT:
            problems.add(line, "a topic of more than 1 MiB", remedy="Check that it is the right file.")
        elif has_ends and not topic[4] and topic is topics[-1]:
            problems.add(line, f"{delimited.CUT_OFF}: its last topic has no end", remedy=delimited.CUT_OFF_REMEDY)
        else:
            yield line, _fields(topic[2], topic[3])
        has_ends |= bool(topic[4])
    if not topics:
        problems.add(1, "no topic between tags", remedy="Write <top>, <num> Number: 301, <title> ..., </top>.")


def _fields(attributes: str, body: str) -> dict[str, str]:
    """What a topic says under its tags, and under none as `untagged`; a number in its attributes is `number`."""
    first, *rest = _TAG.split(body)
    fields = dict[str, str]()
    for ends, tag, text in [("/", "", first), *zip(rest[::3], rest[1::3], rest[2::3], strict=True)]:
        name = "untagged" if ends else "query_text" if tag.lower() == "query" else tag.lower()
        plain = " ".join(unescape(text).split()).removeprefix(_LABELS.get(name, "")).strip()
        fields[name] = f"{fields.get(name, '')} {plain}".strip()
    if number := _NUMBER.search(attributes):
        fields.setdefault("number", number[1])
    return fields


def has_zeros(path: Path) -> bool:
    """Whether a file has a number with zeros in front, which other files may leave out: `<num> Number: 051`."""
    with suppress(BadInput):  # its reader says so
        return any(_ZEROS.search(line) for _, line in numbered_lines(path))
    return False


def _is_tagged(opening: Opening) -> bool:
    return "".join(opening.lines[:1]).lstrip()[:1] == "<" and any(map(_OPENS.search, opening.lines))


def _is_table(opening: Opening) -> bool:
    """Two columns parted by a tab are query texts where most are texts of words, and not long; or a header says so."""
    if header := _header(opening):
        return _are_of_topics(header)
    rows = [line.split("\t") for line in opening.lines]
    if not rows or any(len(row) != 2 for row in rows):
        return False
    return sum(" " in row[1].strip() and len(row[1]) < _LONG_TEXT for row in rows) * 2 > len(rows)


def _is_json(opening: Opening) -> bool:
    """Objects that have an id and a text, which is short, and nothing that passages, banks and answers have."""
    first = opening.first_object
    names = [name for name, value in first.items() if isinstance(value, str | int)]
    columns = delimited.columns_of(names, NAMES)
    others = tuple(first_records(opening, NAMES)[0])
    if columns.keys() != NAMES.keys() or _has(tuple(first), _OF_OBJECTS) or _has(others, _OF_TABLES):
        return False
    name = names[columns["query_text"]]
    return name.lower() != "text" or not ("title" in first or len(str(first[name])) > _LONG_TEXT)


TOPICS = Kind(
    key="topics",
    noun="Query texts",
    order=50,
    main="queries",
    template="""\
query_id\tquery_text
q1\twhat makes bread dough rise
q2\twhy do leaves change colour
""",
    ending="tsv",
    columns={"query": ("query_id",), "text": ("query_text",)},
)
ROWS = (
    Format(
        kind=TOPICS,
        written="XML, <top>",
        looks="topics between tags",
        order=34,
        fits=_is_tagged,
        read=read_topics,
        explains=(),
    ),
    Format(kind=TOPICS, written="JSON", looks="query texts (JSON)", order=48, fits=_is_json, read=read_topics),
    Format(
        kind=TOPICS,
        written="TSV, CSV",
        looks="query texts",
        order=90,
        fits=_is_table,
        read=read_topics,
        explains=("JSON", "table", "text"),
        words=("topics", "queries"),
    ),
)
