"""Files that hold no text and are not read, known by how they begin: what they are, and what to do with them."""

from __future__ import annotations

import re

START = 512
"""Bytes that are looked at."""
_WRITE = "write it as CSV or JSON lines, and import that"
_SAVE = "save its table as CSV UTF-8, and import that"
_SIGNS = {
    rb"ARROW1": f"is an Arrow file; {_WRITE}",
    rb"\x80[\x02-\x05]": f"is a pickle of Python; {_WRITE}",
    rb"\x93NUMPY": f"is an array of NumPy; {_WRITE}",
    rb"\x89HDF\r\n": f"is HDF5; {_WRITE}",
    rb"SQLite format 3\0": f"is a database of SQLite; {_WRITE}",
    rb"PK\x03\x04.{26}(?:\[Content_Types\]|_rels/|docProps/|xl/|word/|mimetype|Index/)|\xd0\xcf\x11\xe0": (
        f"is a spreadsheet or a document; {_SAVE}"
    ),
    rb"%PDF-|\{\\rtf": f"is a document; {_SAVE}",
    rb"PK\x03\x04|7z\xbc\xaf|Rar!|.{257}ustar": "is an archive; unpack it and name its folder",
}


def foreign_form(start: bytes) -> str:
    """What a file is that begins so (`is HDF5; write it ...`), empty where it may be a text.

    Of a compressed file, `start` is what it holds.
    """
    return next((form for sign, form in _SIGNS.items() if re.match(sign, start, re.DOTALL)), "")
