"""Graded passages: the authors' workbench file, read and written, and tables of grades, read.

A line of a workbench file is `[query_id, [passage, ...]]`; a file may have one line for each query or one for each
passage. Nothing is lost: whatever an export would not write by itself is kept in `extra`, because
the reader builds each passage as the writer would and stores the difference.
"""

import re

from exam_core.formats.format import Format
from exam_core.formats.workbench import grade_tables
from exam_core.formats.workbench.graded_files import page_of, read_workbench, write_workbench
from exam_core.formats.workbench.graded_lines import WORKBENCH, text_hash

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
