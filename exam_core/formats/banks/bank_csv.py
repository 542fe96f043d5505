r"""Banks as CSV with a header, read and written: a question per row.

The columns are the fields of a question. An empty cell says nothing. A list is JSON (`["a", "b"]`), or texts with `|`
between them. Texts are written as `csv_cells` has them, those of several lines as JSON, too
(`json:"two\nlines"`). Columns with other names stand in `extra` under `csv`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from exam_core.formats import delimited
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
from exam_core.formats.format import Format, Opening
from exam_core.formats.json_lines import BadLine, decode_object
from exam_core.formats.reading import Reading
from exam_core.progress import Progress, no_progress
from exam_core.wording import guarded

NAME = "csv"
LISTS, OBJECTS = ("gold_answers", "choices"), ("creators", "lineage", "extra")
_COLUMNS: dict[str, Sequence[str]] = {
    **dict.fromkeys(FIELDS, ()),
    "query_id": delimited.QUERY_ID,
    "query_text": delimited.QUERY_TEXT,
    "question_text": ("exam_question", "question_title"),
    "question": (),
    **{"nugget_id": (), "nugget_text": ("nugget",), "claim": ()},
}
"""The columns, with the names that people write; `FIELD_NAMES` says which of them are one field."""
_TAKEN = {delimited.folded(name) for field, names in _COLUMNS.items() for name in (field, *names)}
_ANY = msgspec.json.Decoder()
_ALWAYS = ("query_id", "question_id", "question_text")
_FLAGS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_REMEDY = (
    "The header names query_id and question_text, and if you like question_id, kind, importance, weight, enabled, "
    "gold_answers, choices, facet_id, facet_text, query_text."
)
_BARE = ("query_id", "question_text")


def read_csv(path: Path, *, bank_id: str, progress: Progress = no_progress) -> Reading:
    """Read rows of questions; one without question_id gets the id that the authors' would.

    Raises BadInput where a row lacks its query or a cell says what it can't, or an id occurs again with another
    question.
    """
    rows, opening = BankRows(path, bank_id), Opening(path)
    if opening.lines and not delimited.is_header(delimited.first_row(opening, _COLUMNS), _COLUMNS, ("query_id",)):
        what = "no header, and without one the columns are unknown"
        remedy = f"Add a first line that names each column in your order, such as {','.join(_BARE)}."
        rows.problems.add(1, what, opening.lines[0][:160], remedy)
        rows.problems.raise_if_any()
    for row in delimited.table_rows(path, _COLUMNS, rows.problems, progress, needed=("query_id",)):
        try:
            add_named(rows, row.line, _said(row), NAME)
        except BadLine as error:
            rows.problems.add(row.line, str(error), ",".join(row.cells.values())[:110], _REMEDY, cause=error.cause)
    return rows.reading()


def _said(row: delimited.Row) -> dict[str, Any]:
    """What the cells say by our names; one that can't be read stays a text, and is refused for it."""
    cells = {name: value for name, cell in row.cells.items() if (value := text_of(cell)) is not None}
    fields: dict[str, Any] = with_our_names(cells)
    if "weight" in fields:
        with suppress(ValueError):
            fields["weight"] = float(delimited.with_point(fields["weight"], row.separator))
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
        if delimited.folded(name) not in _TAKEN
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
    return any(delimited.has_columns(opening, _COLUMNS, "query_id", name) for name in FIELD_NAMES["question_text"])


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
