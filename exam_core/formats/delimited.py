"""The one reader of tables in text files: CSV, TSV, and what spreadsheets of any country save as "CSV" or "text".

    NAMES = {"query_id": QUERY_ID, "relevance": ("score", "label")}
    for row in table_rows(path, NAMES, problems, progress, needed=("query_id", "relevance")):
        row.line                   where the row begins, also if its cells go over several lines
        row.of("query_id")         the cell of a field, without blanks at its ends; empty where there is none
        row.number("relevance")    the same with a decimal point: 0,5 is 0.5 where no comma parts the cells
        row.cells                  all cells as they are, by field, or by the header's name in lower case

- **Separator**: comma, semicolon, tab or bar: the one that finds most fields in the header, if Excel's line `sep=;`
  does not say it.
- **Header**: names are compared by `folded`: `Query ID`, `query-id` and `queryId` are one name. A field has its own
  name and those of `NAMES`, the first before the next, and a column goes to one field: so in `query;question` the query
  is the id, and beside `qid` it is the text. A first line is a header if it has all that is `needed`, or nothing but
  names of columns. Otherwise its columns are those of `bare`, where a table may go without a header.
- **Cells**: in quotes as CSV has them, over several lines too. Between tabs most tools write no quotes but those of the
  text, so they only count there where a spreadsheet would have set them (`_tabbed`).
- **Left out**: blank rows, empty cells beyond the header, and columns without a name, such as row numbers of pandas.

Whoever reads rows that are no plain table takes `separator_of`, `cells_of`, `split` and `columns_of`.
"""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from exam_core.errors import Problems
from exam_core.formats.column_names import SEPARATORS as SEPARATORS
from exam_core.formats.format import Dialect, Opening
from exam_core.formats.lines import LONGEST_TEXT, first_lines, text_lines
from exam_core.formats.numbers import as_number
from exam_core.progress import Progress, no_progress

Names = Mapping[str, Sequence[str]]
"""Our fields, each with the names that files have for it; its own one needs no mention."""
TAB = "\t"
CUT_OFF = "the file seems to be cut off"
CUT_OFF_REMEDY = "Fetch the file again. If its last line is whole, end it with a line end."
QUERY_ID = (
    *("query_id", "qid", "q_id", "topic_id", "request_id", "narrative_id", "query_number", "topic_number"),
    *("query_no", "topic_no", "query_num", "topic_num", "qidx", "query_idx", "topic", "query"),
)
QUERY_TEXT = ("query_text", "query", "topic_text", "topic")
DOC_ID = (
    *("doc_id", "docno", "doc_no", "passage_id", "paragraph_id", "segment_id", "corpus_id", "document_id", "pid"),
    *("docidx", "passage_idx", "doc"),
)
TEXTS_OR_IDS = frozenset(("topic", "query", "doc", "document", "passage"))
"""Names of columns that may hold ids or texts."""
PERSON = (
    *("annotator", "assessor", "reviewer", "rater", "labeler", "worker", "worker_id"),
    *("annotator_id", "assessor_id", "reviewer_id", "rater_id", "username"),
)
"""What columns of people are called who judge, label or review."""
RUN_ID = ("run_id", "system", "method", "run", "name", "run_name", "run_tag", "system_id", "system_name")
_HEADINGS = (
    *(*QUERY_ID, *QUERY_TEXT, *DOC_ID, *RUN_ID, "id", "_id", "number", "num", "text", "title", "question"),
    *("question_id", "question_text", "nugget_id", "nugget_text", "nugget", "claim", "importance", "weight"),
    *("measure", "metric", "score", "rank", "value", "relevance", "label", "grade", "rel", "iteration", "iter"),
    *("judgment", "judgement", "rating", "reason", "explanation"),
)
_EXCELS = re.compile(r"sep=(.)")
_RULE = re.compile(r"\s*(?::?-{2,}:?)?\s*")
"""A cell of the line below the header of a table in Markdown."""
_APART = re.compile(r"[\s_-]+")
_IS_TEXT = re.compile(r"\s|[?？؟。]$|[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")
"""What a text has and an id has not: blanks, the sign of a question, letters of scripts without blanks."""
_CROWD = re.compile(r"(?:answer|output|assignment)[.:](.+?)(?:\.label)?|input[.:](\w*(?:id|docno))")
_LINES, _WIDTH = 20, 4096
_DECIMAL = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")


class Row(NamedTuple):
    """A row below the header, and the line where it begins."""

    line: int
    cells: dict[str, str]
    separator: str = ","

    def of(self, field: str) -> str:
        """A field's cell without blanks at its ends; empty if there is none."""
        return self.cells.get(field, "").strip()

    def number(self, field: str) -> str:
        """A field's cell as a number with a decimal point is written, if it is one at all."""
        return with_point(self.of(field), self.separator)


def with_point(text: str, separator: str) -> str:
    """A number with a decimal comma as one with a point, where no comma parts cells; all other texts as they are."""
    return text.replace(",", ".") if separator != "," and _DECIMAL.fullmatch(text) else text


@lru_cache(2**12)
def folded(name: str) -> str:
    """A name as headers are compared: without case, quotes, a `#` in front, and blanks, `-` and `_` between words.

    Mechanical Turk's `Answer.relevance.label` is `relevance`, and so are ids behind `Input.` and Toloka's prefixes;
    what else is behind `Input.` was shown to people, and is none of their answers.
    """
    plain = _APART.sub("", name.strip().strip("#\"'").lower())
    match = _CROWD.fullmatch(plain)
    return (match[1] or match[2]) if match else plain


_KNOWN = frozenset(map(folded, _HEADINGS))


def is_heading(name: str) -> bool:
    """Whether a name is what columns are called, whatever the table."""
    return folded(name) in _KNOWN


def columns_of(header: Sequence[str], names: Names) -> dict[str, int]:
    """Where fields stand in a header. Their own names count first, then other ones; a column is one field."""
    own = [folded(name) for name in header]
    columns = {field: own.index(folded(field)) for field in names if folded(field) in own}
    for field, spellings in names.items():
        places = (own.index(name) for name in map(folded, spellings) if name in own)
        if (
            field not in columns
            and (place := next((index for index in places if index not in columns.values()), None)) is not None
        ):
            columns[field] = place
    return columns


def split(text: str, separator: str) -> list[str]:
    """The cells of one line; of a line that is no row by itself, roughly."""
    if separator == TAB:
        return next(_tabbed(iter([(1, text)])))[1]
    try:
        return next(csv.reader([text], delimiter=separator), [])
    except csv.Error:
        return text.split(separator)


def separator_of(lines: Sequence[str], names: Names = MappingProxyType({}), bare: Sequence[str] = ()) -> str:
    """What parts the cells of a table that begins with these lines: Excel's sign, or what finds most in the first.

    That is most fields of `names`, then most cells. Where a table may go without a header, its columns being those of
    `bare`, and no line is one, it is what parts every line into these.
    """
    if not lines:
        return ","
    if match := _EXCELS.fullmatch(lines[0]):
        return match[1]
    cells = {sign: split(lines[0], sign) for sign in SEPARATORS}
    fields = {sign: len(columns_of(cells[sign], names)) for sign in SEPARATORS}
    best = max(SEPARATORS, key=lambda sign: (fields[sign], len(cells[sign])))
    if fields[best] > 1 or not bare:
        return best
    for sign in SEPARATORS:
        rows = [split(line, sign) for line in lines]
        # A text with a comma is no row, since no id has a blank in it.
        if all(len(cells) >= len(bare) and (sign == TAB or " " not in cells[0].strip()) for cells in rows):
            return sign
    return TAB


def first_rows(opening: Opening, names: Names) -> list[list[str]]:
    """The cells of a file's first lines, of which the first may be a header; one without cells of an empty file."""
    lines = [] if opening.is_json else opening.whole
    separator = separator_of(lines, names)
    rows = lines[1:] if lines and _EXCELS.fullmatch(lines[0]) else lines
    return [split(line, separator) for line in rows] or [[]]


def first_row(opening: Opening, names: Names) -> list[str]:
    """The cells of a file's first line, which may be a header; none of an empty file."""
    return first_rows(opening, names)[0]


def is_text(cell: str) -> bool:
    """Whether a cell holds words and no id."""
    return _IS_TEXT.search(cell.strip()) is not None


def dialect_of(opening: Opening) -> Dialect:
    """How a file is written."""
    return "JSON" if opening.is_json else "table" if is_table(opening) else "text"


def is_table(opening: Opening) -> bool:
    """Whether a file begins with the header of a table, of whatever kind: names above numbers, or names that are known.

    Names are not empty, no numbers, and each is there once.
    """
    header, *rows = first_rows(opening, {})
    if not opening.is_json and opening.whole and _EXCELS.fullmatch(opening.whole[0]):
        return True
    names = list(map(folded, header))
    if len(names) < 2 or not all(names) or len(set(names)) < len(names) or any(map(_is_number, header)):
        return False
    return any(map(is_heading, header)) or any(len(row) == len(header) and any(map(_is_number, row)) for row in rows)


def _is_number(cell: str) -> bool:
    return as_number(cell.strip().replace(",", ".")) is not None


def has_columns(opening: Opening, names: Names, *fields: str) -> bool:
    """Whether a file begins with a header that has a column for each of these fields."""
    return set(fields) <= set(columns_of(first_row(opening, names), names))


def cells_of(
    path: Path, separator: str, problems: Problems, progress: Progress = no_progress
) -> Iterator[tuple[int, list[str]]]:
    """Rows as lists of cells, each with the line where it begins.

    Blank ones, Excel's first line and Markdown's rules are left out. What can't be a row ends them, and goes to
    `problems`.
    """
    lines = text_lines(path, problems, progress)
    rows = _tabbed(lines) if separator == TAB else _quoted(lines, separator, problems)
    for line, cells in rows:
        is_sign = (line == 1 and _EXCELS.fullmatch(separator.join(cells))) or all(map(_RULE.fullmatch, cells))
        if any(cells) and not is_sign:
            yield line, cells


def table_rows(
    path: Path,
    names: Names,
    problems: Problems,
    progress: Progress = no_progress,
    *,
    needed: Sequence[str] = (),
    bare: Sequence[str] = (),
) -> Iterator[Row]:
    """Rows below a header; one with another number of cells goes to `problems`, as does a header that lacks a field.

    Parameters
    ----------
    names : our fields, with what files call them
    needed : fields that the header must have
    bare : the columns of a table without a header, the last of which takes the rest of a line; none: it must have one
    """
    separator = separator_of(first_lines(path, _LINES, _WIDTH), names, bare)
    rows = cells_of(path, separator, problems, progress)
    first = next(rows, None)
    if first is None:
        return
    header, line = first[1], first[0]
    if bare and not is_header(header, names, needed):
        # The last cell has the rest of its line.
        last, whole = len(bare) - 1, chain([first], rows)
        rows = (
            (line, [*cells[:last], separator.join(cells[last:])] if cells[last:] else cells) for line, cells in whole
        )
        header = list(bare)
    keys = _keys(line, header, names, needed, problems)
    places = [place for place, key in enumerate(keys) if key]
    taken = [keys[place] for place in places]
    width, least, plain = len(keys), max(places, default=0) + 1, len(places) == len(keys)
    for line, cells in rows if keys else ():
        if len(cells) == width or (len(cells) >= least and not any(map(str.strip, cells[width:]))):
            if plain:
                yield Row(line, dict(zip(taken, cells, strict=False)), separator)
            else:
                yield Row(line, {keys[place]: cells[place] for place in places}, separator)
        elif any(map(str.strip, cells)):
            belong = f"{width} belong: {', '.join(bare)}" if header == list(bare) else f"the header has {width}"
            _refuse_width(line, cells, width, belong, separator, problems)


def is_header(cells: Sequence[str], names: Names, needed: Sequence[str]) -> bool:
    """Whether a first line is a header: it has all that is needed, or holds nothing but names of columns."""
    places = columns_of(cells, names)
    if needed and set(needed) <= set(places):
        return True
    folded_names = [name for cell in cells if (name := folded(cell))]
    return len(folded_names) > 1 and all(
        is_heading(name) or place in places.values() for place, name in enumerate(folded_names)
    )


def _keys(line: int, header: Sequence[str], names: Names, needed: Sequence[str], problems: Problems) -> list[str]:
    """What the cells below a header are called: fields, or its own names in lower case; none if it can't be taken."""
    places = columns_of(header, names)
    by_place = {place: field for field, place in places.items()}
    keys = [by_place.get(place, name.strip().lower()) for place, name in enumerate(header)]
    alike = [
        (name.partition(".")[0] if _CROWD.fullmatch(name.strip().lower()) else "", folded(name)) for name in header
    ]
    again = (key for index, key in enumerate(keys) if key and (key in keys[:index] or alike[index] in alike[:index]))
    if twice := next(again, None):
        problems.add(line, f"two columns are named {twice}", remedy="Name each column once.")
        return []
    if missing := [field for field in needed if field not in places]:
        shown = [[name for name in dict.fromkeys((field, *names[field])) if " " not in name][:2] for field in missing]
        wanted = "; ".join(f"{spellings[0]} ({' or '.join(spellings)})" for spellings in shown)
        remedy = "Name the columns in the first line, in any order."
        problems.add(line, f"no column for {wanted}", ", ".join(header), remedy)
        return []
    return keys


def _refuse_width(line: int, cells: Sequence[str], width: int, belong: str, separator: str, problems: Problems) -> None:
    if line == problems.unfinished and len(cells) < width:
        what = f"{CUT_OFF}: its last line has {len(cells)} cells where {belong}, and no line end"
        problems.add(line, what, ", ".join(cells), CUT_OFF_REMEDY)
        return
    what = f"{len(cells)} cells where {belong}"
    sign = {TAB: "tabs", ";": "semicolons", ",": "commas", "|": "bars"}.get(separator, separator)
    remedy = f"Write {width} cells, separated as in the other lines; put a text with {sign} or quotes in quotes."
    problems.add(line, what, ", ".join(cells), remedy)


def _quoted(lines: Iterator[tuple[int, str]], separator: str, problems: Problems) -> Iterator[tuple[int, list[str]]]:
    """Rows as CSV has them; a blank line within a cell stays one."""
    csv.field_size_limit(LONGEST_TEXT)
    reader = csv.reader(_whole(lines), strict=True, delimiter=separator)
    begins = 1
    try:
        for cells in reader:
            yield begins, cells
            begins = reader.line_num + 1
    except csv.Error as error:
        ends = reader.line_num
        where = f" (it goes on up to line {ends})" if ends > begins else ""
        remedy = "Double the quotes within a cell in quotes, and close it; or save the file as CSV again."
        problems.add(begins, f"not a line of a table: {error}{where}", remedy=remedy)


def _whole(lines: Iterator[tuple[int, str]]) -> Iterator[str]:
    """Lines with their ends, and those between them that were left out as blank."""
    last = 0
    for number, text in lines:
        if number > last + 1:
            yield from ["\n"] * (number - last - 1)
        yield f"{text}\n"
        last = number


def _tabbed(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, list[str]]]:
    """Rows parted by tabs.

    Excel quotes a cell with a tab, comma, quote or line end; tools that write TSV quote nothing, and a query may be in
    quotes itself. So quotes count where such a sign is within, or where the first line has them around each name.
    A cell goes on over lines up to its closing quote, as long as these have no tab before it.
    """
    waiting, all_quoted = deque[tuple[int, str]](), None
    while pair := waiting.popleft() if waiting else next(lines, None):
        number, text = pair
        if all_quoted is None:
            all_quoted = all(map(_QUOTED.fullmatch, text.split(TAB)))
        if '"' not in text:
            yield number, text.split(TAB)
            continue
        read, cells, last = list[tuple[int, str]](), _CELL.findall(text + TAB), number
        while _OPEN.fullmatch(cells[-1]) and len(read) < _MOST_LINES:
            if (pair := waiting.popleft() if waiting else next(lines, None)) is None:
                break
            read.append(pair)
            if _CLOSING.match(pair[1]):
                for line, more in read:
                    text, last = text + "\n" * (line - last) + more, line
                read, cells = [], _CELL.findall(text + TAB)
            elif not _GOES_ON.fullmatch(pair[1]):
                break
        waiting.extendleft(reversed(read))
        if _OPEN.fullmatch(cells[-1]):  # and no line closes it
            cells[-1:] = cells[-1].split(TAB)
        for place, cell in enumerate(cells):
            if _QUOTED.fullmatch(cell) and (all_quoted or _NEEDS_QUOTES.search(cell, 1, len(cell) - 1)):
                cells[place] = cell[1:-1].replace('""', '"')
        yield number, cells


_QUOTED, _OPEN = re.compile(r'"(?:[^"]|"")*"'), re.compile(r'"(?:[^"]|"")*')
_CELL = re.compile(r'("(?:[^"]|"")*"|"(?:[^"]|"")*(?=\t\Z)|[^\t]*)\t')
_GOES_ON, _CLOSING = re.compile(r'(?:[^"\t]|"")*'), re.compile(r'(?:[^"\t]|"")*"(?:\t|\Z)')
"""The lines of a cell that began in another line: those between, and the last."""
_NEEDS_QUOTES = re.compile(r'[\t\n",]')
_MOST_LINES = 1000
"""A cell between tabs goes on over so many lines at most."""
