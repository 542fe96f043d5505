r"""Banks as CSV with a header, read and written: a question per row.

The columns are the fields of a question. Questions may stand in columns of their own (`question_1`), and several in one
cell: a line each, all with numbers or signs of a list. An empty cell says nothing. A list is JSON (`["a", "b"]`), or
texts with `|` between them. Texts are written as `csv_cells` has them, those of several lines as JSON, too
(`json:"two\nlines"`). Columns with other names stand in `extra` under `csv`.

A table without a header is read where it can only be a bank: two cells a line, a query's id and a sentence.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from exam_core.formats.banks.rows import (
    BANK,
    FIELD_NAMES,
    FIELDS,
    BankLines,
    BankRows,
    Texts,
    add_named,
    kept_under,
    named_row,
    with_our_names,
)
from exam_core.formats.csv_cells import cell_of, csv_lines, text_of
from exam_core.formats.delimited import (
    QUERY_ID,
    QUERY_TEXT,
    SEPARATORS,
    Row,
    cells_of,
    columns_of,
    first_row,
    folded,
    has_columns,
    is_header,
    split,
    table_rows,
    with_point,
)
from exam_core.formats.format import Format, Opening
from exam_core.formats.json_lines import BadLine, decode_object
from exam_core.formats.reading import Reading
from exam_core.progress import Progress, no_progress
from exam_core.wording import guarded

NAME = "csv"
LISTS, OBJECTS = ("gold_answers", "choices"), ("creators", "lineage", "extra")
_COLUMNS: dict[str, Sequence[str]] = {
    **dict.fromkeys(FIELDS, ()),
    "query_id": QUERY_ID,
    "query_text": QUERY_TEXT,
    "question_text": ("exam_question", "question_title"),
    "question": ("questions",),
    **{"nugget_id": (), "nugget_text": ("nugget",), "claim": ()},
}
"""The columns, with the names that people write; `FIELD_NAMES` says which of them are one field."""
_TAKEN = {folded(name) for field, names in _COLUMNS.items() for name in (field, *names)}
_ANY = msgspec.json.Decoder()
_ALWAYS = ("query_id", "question_id", "question_text")
_FLAGS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_REMEDY = (
    "The header names query_id and question_text, and if you like question_id, kind, importance, weight, enabled, "
    "gold_answers, choices, facet_id, facet_text, query_text."
)
_BARE = ("query_id", "question_text")
_NUMBERED = re.compile(r"(q|question|nugget|claim)(_text)?[\s_-]*\d+", re.IGNORECASE)
_ITEM = re.compile(r"(?:[-*•]|\(?\d+[.)])\s+(\S.*)")
"""A column with one of several questions, and a line with one of several in a cell."""
_ASKS = re.compile(r"[?？؟]\W*$")
_ENDS = re.compile(r"[.!?。！？؟।]\W*$")
_HEADINGS = frozenset(("question", "questions", "query", "topic", "claim", "nugget", "text", "id", "title"))


def read_csv(path: Path, *, bank_id: str, progress: Progress = no_progress) -> Reading:
    """Read rows of questions; one without question_id gets the id that the authors' would.

    Raises BadInput where a row lacks its query or a cell says what it can't, or an id occurs again with another
    question.
    """
    rows, opening = BankRows(path, bank_id), Opening(path)
    if (separator := _bare_separator(opening)) is not None:
        for line, cells in cells_of(path, separator, rows.problems, progress):
            if len(cells) == len(_BARE) and all(map(str.strip, cells)):
                _add(rows, line, dict(zip(_BARE, cells, strict=True)), separator)
            else:
                what = f"{len(cells)} cells where 2 belong: {', '.join(_BARE)} (the file has no header)"
                named = f"If there are more columns, name each in a first line: {_REMEDY}"
                remedy = f"Put quotes around a text with a separator. {named}"
                rows.problems.add(line, what, separator.join(cells), remedy, cause="cells")
        return rows.reading("The file has no header: its columns were taken for the query's id and the question.")
    if opening.lines and not is_header(first_row(opening, _COLUMNS), _COLUMNS, ("query_id",)):
        what = "no header, and without one the columns are unknown"
        remedy = f"Add a first line that names each column in your order, such as {','.join(_BARE)}."
        rows.problems.add(1, what, opening.lines[0][:160], remedy)
        rows.problems.raise_if_any()
    for row in table_rows(path, _COLUMNS, rows.problems, progress, needed=("query_id",)):
        for asked in _asked(row.cells):
            _add(rows, row.line, asked, row.separator)
    return rows.reading()


def _asked(cells: dict[str, str]) -> Iterator[dict[str, str]]:
    """A row's cells for each question that it asks."""
    wide = [name for name in cells if _NUMBERED.fullmatch(name)]
    common = {name: cell for name, cell in cells.items() if name not in wide}
    for name in wide:
        if cells[name].strip():
            yield {**common, "question_text": cells[name]}
    if wide:
        return
    name = next((name for name in FIELD_NAMES["question_text"] if name in cells), "")
    items = [_ITEM.fullmatch(line.strip()) for line in cells.get(name, "").splitlines() if line.strip()]
    if len(items) > 1 and all(items):
        yield from ({**common, name: item[1]} for item in items if item)
    else:
        yield cells


def _add(rows: BankRows, line: int, cells: dict[str, str], separator: str) -> None:
    try:
        add_named(rows, line, _said(Row(line, cells, separator)), NAME)
    except BadLine as error:
        rows.problems.add(line, str(error), ",".join(cells.values())[:110], _REMEDY, cause=error.cause)


def _bare_separator(opening: Opening) -> str | None:
    """What parts a query's id from a question in each of the first lines; None where they may be something else."""
    for separator in SEPARATORS:
        rows = [split(line, separator) for line in opening.lines]
        # An id has no blank, and a text of words has some.
        pairs = [(row[0].strip(), row[1].strip()) for row in rows if len(row) == len(_BARE)]
        if len(pairs) < len(rows) or not all(
            query_id and " " not in query_id and (" " in text or _ASKS.search(text)) for query_id, text in pairs
        ):
            continue
        first = rows[0][1].strip() if rows else ""
        is_heading = len(first.split()) <= 3 and not _ENDS.search(first) and _HEADINGS & set(first.lower().split())
        asks = sum(bool(_ASKS.search(text)) for _, text in rows) * 2 > len(rows)
        return separator if rows and not is_heading and (asks or _repeats(rows)) else None
    return None


def _repeats(rows: Sequence[Sequence[str]]) -> bool:
    """Whether a query has several texts, as one of a table of queries has not."""
    texts = Counter(query_id for query_id, _ in {(row[0].strip(), row[1].strip()) for row in rows})
    return any(count > 1 for count in texts.values())


def _said(row: Row) -> dict[str, Any]:
    """What the cells say by our names; one that can't be read stays a text, and is refused for it."""
    cells = {name: value for name, cell in row.cells.items() if (value := text_of(cell)) is not None}
    fields: dict[str, Any] = with_our_names(cells)
    if "weight" in fields:
        with suppress(ValueError):
            fields["weight"] = float(with_point(fields["weight"], row.separator))
    if "enabled" in fields:
        fields["enabled"] = _FLAGS.get(fields["enabled"].lower(), fields["enabled"])
    for name in fields.keys() & set(LISTS):
        text = fields[name]
        value = _decoded(text) if text.startswith("[") else text
        parts = [part.strip() for part in text.split("|") if part.strip()]
        fields[name] = value if isinstance(value, list) else parts
    for name in fields.keys() & set(OBJECTS):
        fields[name] = _decoded(fields[name])
    return fields


def _decoded(text: str) -> Any:
    """The value of JSON; what is none stays a text."""
    try:
        return decode_object(text.encode(), _ANY)[0]
    except BadLine:
        return text


def write_csv(rows: list[dict[str, Any]], texts: Texts) -> BankLines:
    """Rows of questions: all that a bank says; a column that would be empty is left out."""
    names = [
        name
        for name in dict.fromkeys(name for row in rows for name in kept_under(row, NAME))
        # A field of `extra` can be a column again.
        if name == name.strip().lower() != "" and name.isprintable() and name == guarded(name)
        if folded(name) not in _TAKEN
    ]
    own = ([name for name in names if isinstance(kept_under(row, NAME).get(name), str)] for row in rows)
    values = (named_row(row, texts, NAME, its) for row, its in zip(rows, own, strict=True))
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


def _fits(opening: Opening) -> bool:
    header = first_row(opening, _COLUMNS)
    wide = [name for name in header if _NUMBERED.fullmatch(name.strip()) and "query_id" in columns_of(header, _COLUMNS)]
    if wide or any(has_columns(opening, _COLUMNS, "query_id", name) for name in FIELD_NAMES["question_text"]):
        return True
    separator = _bare_separator(opening)
    return separator is not None and _repeats([split(line, separator) for line in opening.lines])


ROWS = (
    Format(
        kind=BANK,
        written="CSV",
        looks="a table of questions",
        order=29,
        fits=_fits,
        read=read_csv,
        explains=("table", "text"),
    ),
)
