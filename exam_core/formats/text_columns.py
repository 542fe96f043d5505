"""Columns of many lines at once, where nothing about these is odd; whoever gets none reads them one by one.

What is read one by one and what is read at once is the same: only texts that both understand alike are taken here.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

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
        return csv.read_csv(
            pa.BufferReader(block),
            csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=names),
            csv.ParseOptions(delimiter=" ", quote_char=False),
            csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False),
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
