"""Cells of tables: quotes, guards against formulas, texts of a column, signs."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from exam_core.wording import counted, guarded, unguarded

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

    `never`: characters that a cell can't hold.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return repr(value)
    is_plain = (
        value.strip() == value != "" and not value.startswith(ESCAPE) and not any(name in value for name in never)
    )
    if not is_plain or any(line and line.isspace() for line in value.split("\n")[1:-1]):
        return ESCAPE + json.dumps(value, ensure_ascii=False)
    return guarded(value)


def csv_lines(header: Sequence[str], rows: Iterable[Mapping[str, str]]) -> list[bytes]:
    """Rows of cells as the lines of a CSV file, as one piece; a cell that a row lacks is empty."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([row.get(name, "") for name in header] for row in rows)
    return [buffer.getvalue().removesuffix("\n").encode()]


_USUAL = bytes(range(0x20, 0x7F)) + b"\t\n"
_BLANKS = bytes.maketrans(b"\t", b" ")
_WHOLE = "^-?[0-9]{1,9}$"


def texts_of(block: bytes, names: Sequence[str]) -> pa.Table | None:
    """Texts that blanks part in whole lines, a column for each name; None where a line has other ones, or is odd.

    A comment is odd, as are a blank line, a control character and what is no ASCII.
    """
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    if not block.endswith(b"\n") or block.translate(None, _USUAL):
        return None
    block = block.translate(_BLANKS)
    while b"  " in block:
        block = block.replace(b"  ", b" ")
    block = block.replace(b" \n", b"\n").replace(b"\n ", b"\n").removeprefix(b" ")
    if block.startswith((b"#", b"\n")) or b"\n#" in block or b"\n\n" in block:
        return None
    try:
        return arrow_csv.read_csv(
            pa.BufferReader(block),
            arrow_csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=names),
            arrow_csv.ParseOptions(delimiter=" ", quote_char=False),
            arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False),
        )
    except pa.ArrowInvalid:
        return None


def whole_numbers(texts: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Texts as whole numbers; None where one is not written as most are."""
    return texts.cast(pa.int32()) if pc.all(pc.match_substring_regex(texts, _WHOLE)).as_py() else None


def finite_numbers(texts: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Texts as finite numbers; None where one is none, or not written as most are."""
    try:
        values = texts.cast(pa.float64())
    except pa.ArrowInvalid:
        return None
    return values if pc.all(pc.is_finite(values)).as_py() else None


UNREADABLE = frozenset(
    "result_status=0 result_status=false status=error status=failed status=failure status=timeout".split()
)
"""What a column says, and its name, of a label that a judge failed to give."""
LEFT_OUT = frozenset(
    "assignment_status=rejected status=discarded status=draft status=rejected status=skipped "
    "was_cancelled=1 was_cancelled=true".split()
)
"""The same of work that was withdrawn or not approved."""
SIGNS: dict[str, tuple[str, ...]] = {sign.partition("=")[0]: () for sign in sorted(LEFT_OUT | UNREADABLE)}
"""These columns, as readers of tables take fields."""


def sign_of(cells: Mapping[str, Any]) -> str:
    """The sign in a row whose columns are called as in `SIGNS`, such as `status=discarded`; empty where there is none.

    Of several, one that leaves the row out comes first.
    """
    signs = [f"{name}={str(cells[name]).strip().lower()}" for name in SIGNS if name in cells]
    return next((sign for known in (LEFT_OUT, UNREADABLE) for sign in signs if sign in known), "")


def about_left_out(signs: Counter[str]) -> list[str]:
    """A note on rows that are left out."""
    signs_and_counts = ", ".join(f"{sign} {count:,}" for sign, count in signs.items())
    return (
        [f"Left out, as a column of the file says ({signs_and_counts}): {counted({'rows': signs.total()})}."]
        if signs
        else []
    )
