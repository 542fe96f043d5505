"""Banks as chat models answer: a heading for each query, and the list of its questions below.

    ## Query 301: rising bread
    1. What makes dough rise?
    - **Which flour** has most gluten?

A heading says `Query` or `Topic` and the query's id. What is neither heading nor item is left out, and counted.
"""

from __future__ import annotations

import re
from pathlib import Path

from exam_core.formats.banks.kind import BANK
from exam_core.formats.banks.rows import BankRows
from exam_core.formats.format import Format, Opening
from exam_core.formats.lines import text_lines
from exam_core.formats.reading import Reading
from exam_core.progress import Progress, no_progress

_HEADING = re.compile(
    r"(?:query|topic)(?:[\s_-]*(?:id|no\.?|number))?\s*[:#]?\s*(?=\S*\d)(\S+?)(?:[:.)]?\s*|\s*[-–—:]\s+(.*)|[:.)]\s+(.*))",
    re.I,
)
_ITEM = re.compile(r"\s*(?:[-*+•–]|\(?\d+[.)]|[a-z][.)]|Q\d+[.:)])\s+(\S.*)")
_MARKS = re.compile(r"\*\*|__|`|^#+\s*|\s*#+$")


def read_lists(path: Path, *, bank_id: str, progress: Progress = no_progress) -> Reading:
    """Read headings and lists. Raises BadInput where a question stands below no heading."""
    rows = BankRows(path, bank_id)
    query_id = ""
    for line, text in text_lines(path, rows.problems, progress):
        if heading := _heading(text):
            query_id, title = heading
            rows.query(line, query_id, title)
        elif not (item := _ITEM.fullmatch(text)):
            rows.left["{:,} lines are neither a heading nor an item of a list, and were left out."] += 1
        elif query_id:
            rows.question(line, query_id, {"question_text": _MARKS.sub("", item[1]).strip()})
        else:
            what, remedy = "a question below no heading", "Write a heading above it, such as: ## Query 301"
            rows.problems.add(line, what, text, remedy)
    return rows.reading()


def _heading(text: str) -> tuple[str, str | None] | None:
    """The id and the text of the query that a line names; None if it is no heading."""
    found = _HEADING.fullmatch(_MARKS.sub("", text.strip()).strip())
    return (found[1], (found[2] or found[3] or "").strip() or None) if found else None


def _fits(opening: Opening) -> bool:
    """A heading and an item are among the first lines."""
    lines = [] if opening.is_json else opening.whole
    return any(map(_heading, lines)) and any(map(_ITEM.fullmatch, lines))


ROWS = (
    Format(
        kind=BANK, written="lists", looks="lists of questions below headings", order=29, fits=_fits, read=read_lists
    ),
)
