"""Topics: what users ask, by query id, in tables, JSON and tagged text.

The text of a query is the first of these that a topic has: `query_text`, `query`, `problem_statement` (RAGTIME,
NeuCLIR), `text` (BEIR), `title` (TREC, RAG), `question`, `utterance`, `narrative`, `description`. A title beside
another text is kept as the topic's title; all else is left out, and a note names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any

import msgspec

from exam_core.errors import BadInput, Problems
from exam_core.formats import delimited
from exam_core.formats.format import Format, Kind, Opening, is_number
from exam_core.formats.json_lines import BadLine, decode_object, entries, objects, reporting
from exam_core.formats.lines import LONGEST_TEXT, numbered_lines, text_lines
from exam_core.formats.reading import MakeSpill, Reading, Rows
from exam_core.formats.records import first_records, refuse_texts_for_ids
from exam_core.formats.trec import are_qrels, is_run
from exam_core.progress import Progress, no_progress, part_of
from exam_core.tables import QUERIES

_TEXTS = (
    *("query_text", "query", "problem_statement", "topic_text", "text", "title", "question", "utterance"),
    *("raw_utterance", "narrative", "description"),
)
NAMES = {
    "query_id": (*delimited.QUERY_ID[:-2], "id", "_id", "number", "num", "no", "topic", "query"),
    "query_text": (*_TEXTS[:4], "topic", *_TEXTS[4:]),
}
_BOTH = tuple(NAMES)
_OTHER_TABLES = {
    **{
        "doc_id": delimited.DOC_ID,
        "run_id": delimited.RUN_ID,
        "question_id": (),
        "question_text": (),
        "nugget": ("nugget_text",),
    },
    **{"measure": ("metric",), "score": ("value",), "rank": (), "relevance": ("label", "grade"), "answer": ()},
}
_LONG_TEXT = 250
"""Characters that texts of queries have at most, as a rule; those of passages have more."""
_REMEDY = 'A topic has an id and a query, such as {"id": "301", "title": "rising bread"}.'
_OBJECT = msgspec.json.Decoder(dict[str, Any])


@dataclass
class _Topics:
    """Topics while their file is read.

    `make_spill`: where very many of them go.
    """

    path: Path
    make_spill: MakeSpill | None
    progress: Progress
    any: bool = False
    left_out: dict[str, None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.problems, self.rows = Problems(self.path), Rows(QUERIES, self.make_spill)
        self.reads = part_of(self.progress, 0, 2)

    def add(self, line: int, query_id: str, text: str, title: str = "") -> None:
        """Take a topic; one without an id or a text goes to the problems."""
        self.any = True
        if query_id.strip() and text.strip():
            title = title.strip()
            self.rows.add(line, query_id.strip(), text.strip(), title if title and title != text.strip() else None)
        else:
            remedy = "Write the id and the query's text, or remove the topic."
            self.problems.add(line, "no query id or no text", f"{query_id} {text}", remedy)

    def reading(self) -> Reading:
        """The queries that were taken, with what a user should hear."""
        frames = self.rows.decide(self.problems, "text", part_of(self.progress, 1, 2))
        self.problems.raise_if_any()
        merged = self.rows.merged
        reading = Reading(notes=[*self.notes, *([f"{merged:,} repeated lines were merged."] if merged else [])])
        if self.left_out:
            reading.notes.append(f"Columns that are not kept: {', '.join(self.left_out)}.")
        reading.take("queries", frames, self.make_spill)
        reading.counts["queries"] = reading.rows("queries")
        return reading


def read_topics(path: Path, *, make_spill: MakeSpill | None = None, progress: Progress = no_progress) -> Reading:
    """Read a table of topics: two columns, id and text, below no header; or any columns that a header names.

    JSON is an object a line, a list of objects, or texts or objects by query id. Raises BadInput where a row or an
    object has no id or text, or the header is that of another table.
    """
    topics, opening = _Topics(path, make_spill, progress), Opening(path)
    if opening.is_json:
        return _read_objects(topics, opening)
    # Most lines end with a cell that is a number.
    separator = delimited.separator_of(opening.lines)
    ends = [line.rpartition(separator)[1:] for line in opening.lines]
    are_values = sum(bool(sign) and is_number(end) for sign, end in ends) * 2 > len(ends)
    if is_run(opening) or are_qrels(opening) or are_values:
        remedy = "Write an id, a tab, and a text."
        topics.problems.add(1, "numbers where the texts of queries belong", opening.lines[0], remedy)
        topics.problems.raise_if_any()
    header = delimited.first_row(opening, NAMES)
    if delimited.is_header(header, NAMES, _BOTH) or (
        delimited.is_table(opening) and delimited.columns_of(header, _OTHER_TABLES)
    ):
        refuse_texts_for_ids(opening, NAMES)
        if delimited.columns_of(header, _OTHER_TABLES) or len(delimited.columns_of(header, NAMES)) < len(_BOTH):
            what = "the header of another table than one of query ids and texts"
            topics.problems.add(1, what, ", ".join(header), "Leave the columns of ids and texts.")
            topics.problems.raise_if_any()
        topics.notes.append(
            f"{path.name}: line 1 was taken for the header, {', '.join(name.strip() for name in header)}."
        )
    for row in delimited.table_rows(path, NAMES, topics.problems, topics.reads, needed=_BOTH, bare=_BOTH):
        if not topics.any:
            topics.left_out = dict.fromkeys(name for name in row.cells if name not in (*_BOTH, "title"))
        topics.add(row.line, row.of("query_id"), row.of("query_text"), row.of("title"))
    return topics.reading()


def _read_objects(topics: _Topics, opening: Opening) -> Reading:
    first = opening.first_object
    if first and not _is_json(opening) and not _are_by_id(first):
        topics.problems.add(1, "no object with the id and the text of a query", opening.text, _REMEDY)
        topics.problems.raise_if_any()
    for line, raw in objects(topics.path, topics.problems, topics.reads):
        with reporting(topics.problems, line, raw, "a topic", _REMEDY):
            _, fields = decode_object(raw, _OBJECT)
            if not _are_by_id(fields):
                _add_object(topics, line, fields)
                continue
            for query_id, (start, part) in entries(raw, line):
                value = msgspec.json.decode(part)
                topic = value if isinstance(value, dict) else {"query_text": value}
                _add_object(topics, start, {**topic, "query_id": query_id})
    return topics.reading()


def _are_by_id(fields: Mapping[str, Any]) -> bool:
    """Whether the names of an object are ids: none is that of a field, and each has a text or a topic."""
    values = all(
        isinstance(item, str) or (isinstance(item, dict) and delimited.columns_of(list(item), NAMES))
        for item in fields.values()
    )
    return values and not delimited.columns_of(list(fields), {**NAMES, **_OF_OTHERS})


def _add_object(topics: _Topics, line: int, fields: Mapping[str, Any]) -> None:
    """Take a topic that is an object. Raises BadLine where it has no id, or no text."""
    names = [name for name, value in fields.items() if value not in (None, "")]
    texts = [name for name in names if isinstance(fields[name], str)]
    ids = delimited.columns_of(names, {"query_id": NAMES["query_id"]})
    if not ids:
        raise BadLine("no id (id, _id, query_id, topic_id, ...)", cause="no id")
    place = names[ids["query_id"]]
    if not isinstance(fields[place], str | int) or isinstance(fields[place], bool):
        raise BadLine("no text", place=place)
    rest = [name for name in texts if name != place]
    words = delimited.columns_of(rest, {"query_text": NAMES["query_text"]})
    if not words:
        raise BadLine("no text of the query (query, text, title, ...)", cause="no text")
    word = rest[words["query_text"]]
    title = next((fields[name] for name in rest if name.lower() == "title"), "")
    topics.add(line, str(fields[place]), fields[word], title)
    topics.left_out |= dict.fromkeys(name for name in names if name not in (place, word) and name.lower() != "title")


# Tagged text

_TAG = re.compile(r"<([/?!]?)([A-Za-z][\w:.-]*)((?:\s[^<>]*)?)/?>")
_NUMBER = re.compile(r"""(?:number|num|id|qid|topic_id|query_id)\s*=\s*["']?\s*([^"'\s>]+)""", re.IGNORECASE)
_WRAPPERS = ("top", "topic", "query")
_ID_TAGS = ("num", "number", "qid", "id", "topic_id", "topicid", "query_id", "docno")
_TEXT_TAGS = ("title", "query", "question", "content", "text", "", "desc", "description", "narr", "narrative")
_LABELS = {
    "title": re.compile(r"Topic:\s*"),
    "desc": re.compile(r"Description:\s*"),
    "narr": re.compile(r"Narrative:\s*"),
}
_TREC_NUMBER, _ZEROS = re.compile(r"^Number:\s*"), re.compile(rb"Number:\s*0")


@dataclass
class _Top:
    """A topic between its tags: what stands under each, `""` being what stands under none."""

    wrapper: str
    line: int
    number: str = ""
    tag: str = ""
    size: int = 0
    said: dict[str, list[str]] = field(default_factory=dict)

    def text(self, tag: str) -> str:
        """What stands under a tag, without line ends and the label that TREC writes there."""
        text = " ".join(unescape(" ".join(self.said.get(tag, []))).split())
        label = _LABELS.get(tag)
        return label.sub("", text, count=1) if label and label.match(text) else text


def read_tagged(path: Path, *, make_spill: MakeSpill | None = None, progress: Progress = no_progress) -> Reading:
    """Read topics between tags: TREC's `<top>`, whose inner tags may stay open, and XML (`<topic number="1">`).

    The number is that of `<num>` without `Number:`, or an attribute of the topic; zeros in front stay, which other
    files of a track may leave out. Raises BadInput where a topic has no number or no text, or the file breaks off.
    """
    topics = _Topics(path, make_spill, progress)
    open_: _Top | None = None
    closed = False
    for line, text in _tagged_lines(topics.path, topics.problems, topics.reads):
        start = 0
        for tag in _TAG.finditer(text):
            ends, name = tag[1] == "/", tag[2].lower()
            _say(open_, text[start : tag.start()])
            start = tag.end()
            if tag[1] in ("?", "!") or tag[0].endswith("/>"):
                continue
            if open_ and name == open_.wrapper:
                _add_top(topics, open_)
                closed, open_ = closed or ends, None
            if open_:
                open_.tag = "" if ends else name
            elif name in _WRAPPERS and not ends:
                number = _NUMBER.search(tag[3])
                open_ = _Top(name, line, number[1] if number else "")
        _say(open_, text[start:])
        if open_ and open_.size > LONGEST_TEXT:
            topics.problems.add(open_.line, "a topic of more than 1 MiB", remedy="Check that it is the right file.")
            topics.problems.raise_if_any()
    if open_ and closed:
        topics.problems.add(
            open_.line, f"{delimited.CUT_OFF}: its last topic has no end", remedy=delimited.CUT_OFF_REMEDY
        )
    elif open_:
        _add_top(topics, open_)
    if not topics.any:
        topics.problems.add(1, "no topic between tags", remedy="Write <top>, <num> Number: 301, <title> ..., </top>.")
    return topics.reading()


def has_zeros(path: Path) -> bool:
    """Whether a file has a number with zeros in front, which other files may leave out: `<num> Number: 051`."""
    with suppress(BadInput):  # its reader says so
        return any(_ZEROS.search(line) for _, line in numbered_lines(path))
    return False


def _tagged_lines(path: Path, problems: Problems, progress: Progress) -> Iterator[tuple[int, str]]:
    """Lines without comments, which may go over several."""
    within = False
    for line, text in text_lines(path, problems, progress):
        parts: list[str] = []
        rest = text.replace("<![CDATA[", "").replace("]]>", "")
        while rest:
            if within:
                _, ends, rest = rest.partition("-->")
                within = not ends
            else:
                part, begins, rest = rest.partition("<!--")
                parts.append(part)
                within = bool(begins)
        yield line, "".join(parts)


def _say(top: _Top | None, text: str) -> None:
    if top and text.strip():
        top.said.setdefault(top.tag, []).append(text.strip())
        top.size += len(text)


def _add_top(topics: _Topics, top: _Top) -> None:
    named = next((tag for tag in _ID_TAGS if top.text(tag)), "")
    number = _TREC_NUMBER.sub("", top.text(named), count=1) if named else top.number
    worded = next((tag for tag in _TEXT_TAGS if top.text(tag)), "")
    topics.add(top.line, number, top.text(worded))
    topics.left_out |= dict.fromkeys(tag for tag in top.said if tag not in (named, worded, ""))


def _is_table(opening: Opening) -> bool:
    """Two columns parted by a tab are query texts where most are texts of words, and not long; or a header says so."""
    header = delimited.first_row(opening, NAMES)
    if set(delimited.columns_of(header, NAMES)) == set(_BOTH) and delimited.is_header(header, NAMES, _BOTH):
        return not delimited.columns_of(header, _OTHER_TABLES)
    rows = [line.split("\t") for line in opening.lines]
    if not rows or any(len(row) != 2 for row in rows):
        return False
    return sum(" " in row[1].strip() and len(row[1]) < _LONG_TEXT for row in rows) * 2 > len(rows)


def _is_json(opening: Opening) -> bool:
    """Objects that have an id and a text, which is short, and nothing that passages, banks and answers have."""
    first = opening.first_object
    names = [name for name, value in first.items() if isinstance(value, str | int)]
    columns = delimited.columns_of(names, NAMES)
    if set(columns) != set(_BOTH) or delimited.columns_of(list(first), _OF_OTHERS):
        return False
    if delimited.columns_of(first_records(opening, NAMES)[0], _OTHER_TABLES):
        return False
    name = names[columns["query_text"]]
    is_passage = name.lower() == "text" and ("title" in first or len(str(first[name])) > _LONG_TEXT)
    return not is_passage


_OF_OTHERS = {
    **_OTHER_TABLES,
    **{
        "contents": ("content", "segment", "body", "passage", "url"),
        "answers": ("responses", "references", "sentences"),
    },
    **{"questions": ("items", "nuggets", "rubrics"), "system": ("model", "reviewer", "annotator", "annotations")},
}


_OPENS = re.compile(r"<(?:top|topic|topics|queries)\b", re.IGNORECASE)
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
        fits=lambda opening: "".join(opening.lines[:1]).lstrip()[:1] == "<" and any(map(_OPENS.search, opening.lines)),
        read=read_tagged,
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
