"""Banks as chat models answer: a heading for each query, and the list of its questions below.

    ## Query 301: rising bread
    1. What makes dough rise?
    - **Which flour** has most gluten?

A heading says `Query` or `Topic` and the query's id. What is neither heading nor item is left out, and counted. Without
such headings, items below items are the questions of these (`301. rising bread`), as are those below `301:`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import or_
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
_OUTER = re.compile(r"""(?:[-*+•]\s+)?["']?([\w./-]*\d[\w-]*)["']?\s*[.):]\s*(.*)""")
"""An item that has others below it: the query's id, and its text."""
_MARKS = re.compile(r"\*\*|__|`|^#+\s*|\s*#+$")


def read_lists(path: Path, *, bank_id: str, progress: Progress = no_progress) -> Reading:
    """Read headings and lists. Raises BadInput where a question stands below no heading."""
    rows = BankRows(path, bank_id)
    query_id, is_nested = "", _are_nested(Opening(path).whole)
    for line, text in text_lines(path, rows.problems, progress):
        if heading := _outer(text) if is_nested else _heading(text):
            query_id, title = heading
            rows.query(line, query_id, title)
        elif not (item := _ITEM.fullmatch(text)):
            rows.left["{:,} lines are neither a heading nor an item of a list, and were left out."] += 1
        elif query_id:
            rows.question(line, query_id, {"question_text": _unquoted(_MARKS.sub("", item[1]).strip())})
        else:
            what, remedy = "a question below no heading", "Write a heading above it, such as: ## Query 301"
            rows.problems.add(line, what, text, remedy)
    return rows.reading()


def _unquoted(text: str) -> str:
    """A text without the quotes in which YAML puts it."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _heading(text: str) -> tuple[str, str | None] | None:
    """The id and the text of the query that a line names; None if it is no heading."""
    found = _HEADING.fullmatch(_MARKS.sub("", text.strip()).strip())
    return (found[1], (found[2] or found[3] or "").strip() or None) if found else None


def _outer(text: str) -> tuple[str, str | None] | None:
    """The id and the text of the query that an item names which is not indented; None if it names none."""
    found = _OUTER.fullmatch(text.rstrip())
    return (found[1], found[2].strip() or None) if found else None


def _are_nested(lines: Sequence[str]) -> bool:
    """Whether indented items stand below others, which name queries, and nothing else is among the lines."""
    inner = [bool(line[:1].isspace() and _ITEM.fullmatch(line)) for line in lines]
    outer = [bool(_outer(line)) for line in lines]
    return outer[:1] == [True] and any(inner) and all(map(or_, inner, outer))


def _fits(opening: Opening) -> bool:
    """A heading and an item are among the first lines, or items below items."""
    lines = [] if opening.is_json else opening.whole
    return _are_nested(lines) or (any(map(_heading, lines)) and any(map(_ITEM.fullmatch, lines)))


ROWS = (
    Format(
        kind=BANK,
        written="lists",
        looks="lists of questions below headings",
        order=29,
        fits=_fits,
        read=read_lists,
        explains=(),
    ),
)
