"""Graded passages: the authors' workbench file, read and written, and tables of grades, read."""

import re

from exam_core.formats.format import Format
from exam_core.formats.workbench import grade_tables
from exam_core.formats.workbench.graded_files import WORKBENCH, page_of, read_workbench, text_hash, write_workbench

__all__ = ["ROWS", "page_of", "read_workbench", "text_hash", "write_workbench"]

_STARTS = re.compile(r'\[\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*,\s*\[')
"""How a line begins: a list of a query's id and a list."""
ROWS = (
    Format(
        kind=WORKBENCH,
        written="JSONL of the workbench",
        looks="graded passages of the workbench",
        order=10,
        fits=lambda opening: bool(_STARTS.match(opening.text)),
        read=read_workbench,
    ),
    *grade_tables.ROWS,
)
