"""Passages with their texts, as corpora have them: JSON lines, JSON documents, or a table with tabs.

A corpus may have millions of them, so they are read one after the other, and nothing is kept here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from exam_core.errors import Problems
from exam_core.formats.format import FIRST_LINES, Format, Kind, Opening
from exam_core.formats.json_lines import BadLine, Piece, add_bad_line, bad_line, excerpt, is_cut_off, objects
from exam_core.formats.lines import LONGEST_JSON, UTF8_REMEDY, numbered_blocks, numbered_lines, numbered_lines_of
from exam_core.formats.reading import TOGETHER
from exam_core.progress import Progress, no_progress
from exam_core.wording import counted

IDS = ("_id", "pid", "id", "docid", "doc_id", "docno")
"""What files call a passage's id; of several the first counts, as MS MARCO v2 has pid beside the docid of its page."""
TEXTS = ("text", "contents", "segment", "body", "passage")
"""What files call its text; of several that hold words the first counts."""
_ID_HEADINGS = {*IDS, "passage_id", "corpus_id", "document_id"}
_TEXT_HEADINGS = {*TEXTS, "passage_text", "content", "document"}
_OF_OTHERS = {
    *("query_id", "qid", "topic_id", "run_id", "request_id", "narrative_id", "question", "question_text", "nuggets"),
    *("nugget_bank", "annotations", "answer", "answers", "responses", "exam_grades", "criteria"),
}
"""Fields by which JSON with an id and a text is of another kind."""
LONG_TEXT = 250
"""Characters that most texts of passages have, and few of queries."""
_OF_ANY = {"id", "_id", "text"}
"""Headings that a table of queries may have, too."""
_OF_QUERIES, _OF_CORPORA = re.compile("quer|topic"), re.compile("corpus|collection|passage|document|docs|psgs")
_JSON_REMEDY = (
    f'A line is an object such as {{"id": "d1", "text": "..."}}; its id may be {", ".join(IDS[:-1])} or docno.'
)
NO_TEXT = f"no line has a text ({', '.join(TEXTS[:-1])} or {TEXTS[-1]})"
_TABLE_REMEDY = "A line is an id, a tab, and a text."

Passage = tuple[int, str, str, str | None]
"""Line, id, title and text of a passage; title and text may be empty, and None says that no field has a text."""


class Passages(NamedTuple):
    """Lines, ids, titles and texts of some passages."""

    lines: Sequence[int]
    ids: Sequence[str]
    titles: Sequence[str]
    texts: Sequence[str | None]

    def taken(self, taken: Callable[[Sequence[Any]], Sequence[Any]]) -> Passages:
        """Some of them: what a function takes of each column."""
        return Passages(taken(self.lines), taken(self.ids), taken(self.titles), taken(self.texts))


_Id = str | int | None


class _PassageLine(msgspec.Struct):
    underscore_id: _Id = msgspec.field(name="_id", default=None)
    pid: _Id = None
    id: _Id = None
    docid: _Id = None
    doc_id: _Id = None
    docno: _Id = None
    title: str | None = None
    text: str | None = None
    contents: str | None = None
    segment: str | None = None
    body: str | None = None
    passage: str | None = None


def read_passages(path: Path, *, progress: Progress = no_progress) -> Iterator[Passages]:
    """Passages of a file, some at a time, as it has them: the same id may come again.

    Raises BadInput where a line is no passage; at the end, when all others have been given.
    """
    problems = Problems(path)
    read = _of_json if Opening(path).is_json else _of_table
    yield from read(path, problems, progress)
    problems.raise_if_any()


def _first_lines(path: Path, count: int) -> list[Piece]:
    return list(islice(numbered_lines(path), count))


def with_title(title: str, text: str | None) -> str:
    """A passage's text as it is stored: its title, a line end, its text; no title where the text begins with it."""
    title, text = title.strip(), text or ""
    return text if not title or text.lstrip().startswith(title) else f"{title}\n{text}" if text.strip() else title


def some_at_a_time(passages: Iterable[Passage]) -> Iterator[Passages]:
    """Passages that come one after the other."""
    rest = iter(passages)
    while some := list(islice(rest, TOGETHER)):
        yield Passages(*zip(*some, strict=True))


def _of_json(path: Path, problems: Problems, progress: Progress) -> Iterator[Passages]:
    first = next(iter(_first_lines(path, 1)), (0, b""))[1]
    if not first.startswith(b"{") or is_cut_off(first):
        yield from some_at_a_time(_of_objects(objects(path, problems, progress), problems))
        return
    for before, block in numbered_blocks(path, progress):
        regular = _regular_objects(before, block)
        lines = numbered_lines_of(path, before, block)
        yield from [regular] if regular else some_at_a_time(_of_objects(lines, problems))


def _regular_objects(before: int, block: bytes) -> Passages | None:
    """Passages of lines, all at once; None where one is wrong or odd."""
    count = block.count(b"\n")
    # A line break within an object never stands between } and {, so that each line has one object.
    ends = block.count(b"}\n") + block.count(b"}\r\n")
    if not block.startswith(b"{") or not ends == count == block.count(b"\n{") + 1:
        return None
    try:
        lines = _DECODER.decode_lines(block)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    passages = [_of_object(line) for line in lines]
    if len(block) > LONGEST_JSON or len(lines) != count or not all(passage[0] is not None for passage in passages):
        return None
    ids, titles, texts = zip(*passages, strict=True)
    return Passages(range(before + 1, before + count + 1), ids, titles, texts)


_DECODER = msgspec.json.Decoder(_PassageLine)


def _of_object(line: _PassageLine) -> tuple[str | None, str, str | None]:
    """Id, title and text."""
    ids = (line.underscore_id, line.pid, line.id, line.docid, line.doc_id, line.docno)
    doc_id = next((item for item in ids if item is not None), None)
    text = line.text or line.contents or line.segment or line.body or line.passage
    if not text:
        texts = (line.text, line.contents, line.segment, line.body, line.passage)
        text = "" if any(name is not None for name in texts) else None
    return str(doc_id) if isinstance(doc_id, int) else doc_id, line.title or "", text


def _of_objects(pieces: Iterable[Piece], problems: Problems) -> Iterator[Passage]:
    for number, raw in pieces:
        try:
            doc_id, title, text = _of_object(_DECODER.decode(raw))
            if doc_id is None:
                raise BadLine("no id")
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            known = error if isinstance(error, BadLine) else bad_line(error, raw)
            add_bad_line(problems, number, raw, known, "a passage", _JSON_REMEDY)
            continue
        yield number, doc_id, title, text


def _of_table(path: Path, problems: Problems, progress: Progress) -> Iterator[Passages]:
    begin = _first_lines(path, FIRST_LINES)
    if not begin:
        return
    rows = [text.decode("utf-8", "replace").split("\t") for _, text in begin]
    headed = _is_header(rows[0])
    try:
        places = _places_of_header(rows[0]) if headed else _places_of_shape(rows)
    except BadLine as error:
        problems.add(begin[0][0], str(error), excerpt(begin[0][1]), _TABLE_REMEDY)
        return
    width, plain = len(rows[0]), _unquoted if headed else None
    for before, block in numbered_blocks(path, progress):
        regular = None if headed and not before else _regular_rows(before, block, width, places, plain)
        lines = (pair for pair in numbered_lines_of(path, before, block) if not headed or pair[0] > begin[0][0])
        yield from [regular] if regular else some_at_a_time(_of_rows(lines, width, places, plain, problems))


def _regular_rows(before: int, block: bytes, width: int, places: _Places, plain: _Plain) -> Passages | None:
    """Passages of rows, all at once; None where one is wrong or odd."""
    block = block.replace(b"\r\n", b"\n") if b"\r" in block else block
    if not block.endswith(b"\n") or b"\r" in block or b"\0" in block or len(block) > LONGEST_JSON:
        return None
    signs = np.frombuffer(block, np.uint8)
    signs = signs[(signs == _TAB) | (signs == _LINE_END)]
    if len(signs) % width or not np.array_equal(signs == _LINE_END, np.arange(1, len(signs) + 1) % width == 0):
        return None
    try:
        cells = block[:-1].decode("utf-8").replace("\n", "\t").split("\t")
    except UnicodeDecodeError:
        return None
    count = len(cells) // width
    columns = [[""] * count if place is None else cells[place::width] for place in places]
    ids, titles, texts = [list(map(plain, column)) for column in columns] if plain else columns
    lines = range(before + 1, before + count + 1)
    return Passages(lines, ids, titles, texts) if all(map(str.strip, ids)) else None


def _of_rows(
    lines: Iterable[Piece], width: int, places: _Places, plain: _Plain, problems: Problems
) -> Iterator[Passage]:
    for number, raw in lines:
        try:
            cells = raw.decode("utf-8").split("\t")
        except UnicodeDecodeError as error:
            problems.add(number, f"not UTF-8 at byte {error.start + 1}", excerpt(raw), UTF8_REMEDY)
            continue
        if len(cells) != width:
            what = f"{counted({'columns': len(cells)})} between tabs where the first line has {width}"
            remedy = "Write blanks for tabs within a text, and an empty cell for what is missing."
            problems.add(number, what, excerpt(raw), remedy, cause="another number of columns")
            continue
        doc_id, title, text = (
            "" if place is None else plain(cells[place]) if plain else cells[place] for place in places
        )
        yield number, doc_id, title, text


_TAB, _LINE_END = b"\t\n"
_Places = tuple[int, int | None, int]
"""Columns of id, title and text."""
_Plain = Callable[[str], str] | None
"""What makes a cell of what stands there."""


def _is_header(row: Sequence[str]) -> bool:
    names = [_heading(cell) for cell in row]
    return any(name in _ID_HEADINGS for name in names) and any(name in _TEXT_HEADINGS for name in names)


def _heading(cell: str) -> str:
    name = cell.strip().strip('"').lower().removeprefix("\ufeff")
    return name if name == "_id" else re.sub(r"[^a-z0-9]+", "_", name).strip("_")


def _places_of_header(row: Sequence[str]) -> _Places:
    names = [_heading(cell) for cell in row]
    doc = min((names.index(name) for name in _ID_HEADINGS if name in names), default=0)
    text = min(names.index(name) for name in _TEXT_HEADINGS if name in names)
    return doc, names.index("title") if "title" in names else None, text


def _places_of_shape(rows: Sequence[Sequence[str]]) -> _Places:
    """Columns of a table without a header: id and text; of three or four the text is the longest by far.

    Raises BadLine where nobody can say which is the text.
    """
    width = len(rows[0]) if rows else 2
    if width == 2:
        return 0, None, 1
    ids = [row[1] for row in rows if len(row) == width == 4]
    if ids and all(name and " " not in name and "://" not in name for name in ids):
        return 1, None, 3  # MS MARCO's candidates: query, passage, and their texts
    if width not in (3, 4):
        raise BadLine("no tab between an id and a text" if width == 1 else f"{width} columns between tabs")
    whole = [row for row in rows if len(row) == width]
    size = {place: sum(len(row[place]) for row in whole) for place in range(1, width)}
    text = max(size, key=lambda place: size[place])
    others = [place for place in size if place != text]
    addresses = [place for place in others if all("://" in row[place] or not row[place] for row in whole)]
    titles = [place for place in others if place not in addresses]
    if len(titles) > 1 or any(size[text] < 3 * size[place] for place in others):
        raise BadLine(
            f"{width} columns, and no header that says which is the text: begin the file with one (id, title, text)"
        )
    return 0, titles[0] if titles else None, text


def _unquoted(cell: str) -> str:
    """A cell without the quotes in which writers of tables put it."""
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        inner = cell[1:-1]
        return inner.replace('""', '"') if '"' not in inner.replace('""', "") else cell
    return cell


def _fits_json(opening: Opening) -> bool:
    """An id and a text; where a query may have them, too, a title, a long text or the name of the file tells."""
    fields, name = frozenset(opening.first_object), opening.path.name.lower()
    ids, texts = fields & set(IDS), fields & set(TEXTS)
    if not ids or not texts or fields & _OF_OTHERS or _OF_QUERIES.search(name):
        return False
    sure = "title" in fields or ids - {"_id", "id"} or texts - {"text"}
    return bool(sure) or len(opening.text) >= LONG_TEXT or bool(_OF_CORPORA.search(name))


def _fits_table(opening: Opening) -> bool:
    """A header that says so, or long texts behind tabs."""
    rows = [line.split("\t") for line in opening.lines]
    if not rows or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows) or len(rows[0]) > 4:
        return False
    if headed := _is_header(rows[0]):
        names = {_heading(cell) for cell in rows[0]}
        if names & _OF_OTHERS:
            return False
        if not names <= _OF_ANY:
            return True
    long = sum(max(map(len, row[1:])) >= LONG_TEXT for row in rows[headed:])
    return long * 2 > len(rows[headed:]) and all(" " not in row[0].strip() for row in rows)


PASSAGES = Kind(
    key="passages",
    noun="Passage texts",
    order=55,
    main="passages",
    template="""\
{"id": "d1", "text": "Yeast turns sugar into carbon dioxide, which makes dough rise."}
{"id": "d2", "text": "Bread is sold by weight in many towns."}
{"id": "d3", "text": "Chlorophyll is broken down in autumn, and other colours show."}
{"id": "d4", "text": "Trees stand in rows along the street."}
""",
    ending="jsonl",
    columns={"doc": ("_id", *_ID_HEADINGS), "text": ("text", *_TEXT_HEADINGS), "title": ("title",)},
)
ROWS = tuple(
    Format(
        kind=PASSAGES,
        written=written,
        looks="texts of passages",
        order=order,
        fits=fits,
        read=read_passages,
        explains=("JSON", "table", "text"),
    )
    for written, order, fits in (("JSON lines", 8, _fits_json), ("TSV", 89, _fits_table))
)
