"""Questions in lists with numbers or bullets, and in lines."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from exam_core.wings.banks.replies import rejection_reasons

ITEM = re.compile(
    r"""[ \t>]*(?:\*\*|__)?(?:
        [-*+•‣◦▪–—](?=[ \t])
        | \(?\d{1,3}\\?[.):](?!\d)\)?
        | \(?(?:[a-zA-Z]|[ivxIVX]{2,5})[.)](?=[ \t])
        | (?:Q|Question)[ \t]*\#?\d{0,3}[ \t]*[:.)]
        | \#{1,6}(?=[ \t])
    )(?:\*\*|__)?[ \t]*""",
    re.VERBOSE | re.IGNORECASE,
)
_MARKS = "?？؟\u037e"
_ENDING = re.compile(rf"[{_MARKS}][\"'”’»)\]*_`.]*$")
_LABEL = re.compile(r"\*\*[^*?\n]{1,80}?(?::\*\*|\*\*[ \t]*[:–—-])[ \t]+")
_BOLD = re.compile(rf"(\*\*|__)(.+?[{_MARKS}])\1")
_REMARK = re.compile(rf"(.+?[{_MARKS}])[ \t]+(?:\(.*\)|\[.*\]|[–—-][ \t].*|→.*|\#.*)")
_TAG = re.compile(r"<(q|question|li|item)>(.*)</\1>,?", re.IGNORECASE)
_PAIRS = (('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"), ("«", "»"), ("**", "**"), ("`", "`"), ("_", "_"), ("*", "*"))
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_OFFER = re.compile(
    r"(?:would you|do you|shall i|should i|can i|may i|could you|is there anything|let me know)\b", re.I
)
_WRAPPED = 60
"""Characters of a line that somebody may have broken because it was full."""


@dataclass
class ListedQuestions:
    """Questions that a list has, and what else was in it."""

    found: list[str] = field(default_factory=list)
    lost: Counter[str] = field(default_factory=Counter)


def asks(text: str) -> bool:
    """Whether a text ends with a question mark, be it Arabic, Chinese or Greek, or with one in quotes or brackets."""
    return _ENDING.search(text.rstrip()[-20:]) is not None


def items(text: str, *, cut: bool = False) -> ListedQuestions:
    """The questions among the items of lists.

    A line break within an item becomes a blank.

    Parameters
    ----------
    cut : whether the text may go on where it ends
    """
    listed, marked = ListedQuestions(), _marked(text)
    for place, (words, ends_text) in enumerate(marked):
        question = _bare(words)
        last = ends_text and place == len(marked) - 1
        if last and (cut or not asks(question)):
            listed.lost[rejection_reasons.CUT] += 1
        elif asks(question):
            listed.found.append(question)
        else:
            listed.lost[rejection_reasons.NO_QUESTION if question else rejection_reasons.BLANK] += 1
    return listed


def lines(text: str, *, cut: bool = False) -> ListedQuestions:
    """Questions that stand in lines of their own; a single one is part of what a model says around a list."""
    rows = [row.strip() for row in text.split("\n")]
    found = [(place, _bare(row)) for place, row in enumerate(rows) if row and not _FENCE.match(row)]
    asking = [(place, row) for place, row in found if asks(row) and row.count("?") < 3 and not _OFFER.match(row)]
    if len(asking) < 2:
        return ListedQuestions()
    may_go_on = cut and asking[-1][0] == len(rows) - 1
    return ListedQuestions(
        [row for _, row in asking[: -1 if may_go_on else None]], Counter({rejection_reasons.CUT: int(may_go_on)})
    )


def _marked(text: str) -> list[tuple[str, bool]]:
    """The items, each with whether the text ends with it."""
    found: list[tuple[str, bool]] = []
    open_item, first_line = False, ""
    rows = text.split("\n")
    for place, row in enumerate(rows):
        last = place == len(rows) - 1
        mark = ITEM.match(row)
        if mark and not re.fullmatch(r"[ \t*_=-]*", row):
            words = row[mark.end() :]
            while again := ITEM.match(words):
                words = words[again.end() :]
            found.append((words if "**" not in mark[0] else _rebolded(mark[0], words), last))
            open_item, first_line = True, row
        elif open_item and _goes_on(found[-1][0], first_line, row):
            found[-1] = (f"{found[-1][0].rstrip()} {row.strip()}", last)
        elif row.strip():
            open_item = False
    return found


def _rebolded(mark: str, words: str) -> str:
    """Words whose bold began before their number: `**1. Why?**` is `**Why?**`."""
    return f"**{words}" if mark.count("**") == 1 and "**" in words else words


def _goes_on(so_far: str, first_line: str, row: str) -> bool:
    """Whether a line without a mark belongs to the item before it."""
    words = row.strip()
    if not words or asks(so_far) or _FENCE.match(row):
        return False
    return words[0].islower() or (len(first_line) >= _WRAPPED and row[:1] in " \t")


def _bare(words: str) -> str:
    """An item without labels, remarks, and what stands around it."""
    words = words.strip()
    if tagged := _TAG.fullmatch(words):
        words = tagged[2].strip()
    words = _LABEL.sub("", words, count=1) if _LABEL.match(words) else words
    if bold := _BOLD.match(words):
        return bold[2].strip()
    for _ in range(4):
        stripped = words.rstrip(",;") if words[:1] in "\"'“‘" else words
        for left, right in _PAIRS:
            size = len(left)
            if len(stripped) > 2 * size and stripped.startswith(left) and stripped.endswith(right):
                inner = stripped[size:-size]
                if left not in inner and right not in inner:
                    stripped = inner.strip()
        if stripped == words:
            break
        words = stripped
    if not asks(words) and (remark := _REMARK.fullmatch(words)):
        return remark[1]
    return words
