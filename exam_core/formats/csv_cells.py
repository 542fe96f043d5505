r"""Texts as cells of CSV that every reader takes for what they are, and back.

A cell that begins like a formula is written with an apostrophe in front, so that no spreadsheet computes it; reading
takes it away (`wording.guarded`). What a cell can't hold as it is (ends that are blank, carriage returns, the empty
text) is written as JSON after `json:`, for instance `json:" two\r\nlines"`.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from exam_core.wording import guarded, unguarded

ESCAPE = "json:"


def text_of(cell: str) -> str | None:
    """What a cell says, without blanks at its ends; None where it says nothing."""
    cell = cell.strip()
    if not cell.startswith(f'{ESCAPE}"'):
        return unguarded(cell) or None
    try:
        return msgspec.json.decode(cell.removeprefix(ESCAPE), type=str)
    except (msgspec.MsgspecError, UnicodeError):
        return cell


def cell_of(value: str | bool | float | None, *, never: str = "\0\r") -> str:
    """A value as a cell that `text_of` reads as the same, and no spreadsheet as a formula.

    Parameters
    ----------
    never : characters that a cell can't hold
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return repr(value)
    held = value.strip() == value != "" and not value.startswith(ESCAPE) and not any(one in value for one in never)
    if not held or any(line and line.isspace() for line in value.split("\n")[1:-1]):
        return ESCAPE + json.dumps(value, ensure_ascii=False)
    return guarded(value)


def csv_lines(header: Sequence[str], rows: Iterable[Mapping[str, str]]) -> list[bytes]:
    """Rows of cells as the lines of a CSV file, as one piece; a cell that a row lacks is empty."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([row.get(name, "") for name in header] for row in rows)
    return [buffer.getvalue().removesuffix("\n").encode()]
