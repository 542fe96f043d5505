"""The questions in a model's reply, whatever it wraps them in; what may be cut off is left out, nothing is invented.

Servers ignore the format that they are asked for, so a reply is read for what it holds: JSON, Python, nearly either,
lists with numbers or bullets, lines. Reading takes time that grows with the length of the reply alone.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from exam_core.texts.scripts import about_tokens
from exam_core.wings.banks.replies import listed, quoted, rejection_reasons

Way = Literal["quoted", "listed", "lines", "mended", "nothing"]
"""How a reply was read: strings in brackets, marked items, lines that end with a question mark; `mended` where a
question was found among quotes that are unclear."""
LONGEST_REPLY = 20_000
"""Characters of a reply that are read: ten questions have some 1,500."""
MOST_TAGS = 1_000
"""Closing tags at the end of a reply among which the end of the thoughts is looked for."""
LONGEST = 1_000
"""Characters of a question."""
_THOUGHTS = r"(?:think|thinking|thought|thoughts|reasoning|reflection)"
_END = re.compile(rf"</{_THOUGHTS}>", re.IGNORECASE)
_BEGIN = re.compile(rf"^[ \t]*<{_THOUGHTS}>", re.IGNORECASE | re.MULTILINE)
_UNREADABLE = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufffd]")
_NUMBER = re.compile(r"(?:\(?\d{1,3}[.)]|Q(?:uestion)?\s?\d{1,3}[.:)])\s+", re.IGNORECASE)


@dataclass(frozen=True)
class Read:
    """What was read of a reply.

    Parameters
    ----------
    questions : each once, as they stand in the reply but for escapes, and blanks and list marks around them
    lost : what was left out, counted by reason (`reasons`)
    """

    questions: tuple[str, ...]
    lost: Counter[str] = field(default_factory=Counter)
    way: Way = "nothing"


def read(reply: str, *, cut: bool = False) -> Read:
    """The questions in a reply.

    Parameters
    ----------
    cut : whether the model was stopped before its end, so that what stands last may be half of something
    """
    lost: Counter[str] = Counter()
    text = _unwrapped(_after_thoughts(reply, lost))
    if len(text) > LONGEST_REPLY:
        text, cut = text[:LONGEST_REPLY], True
        lost[rejection_reasons.BEYOND] += 1
    strings = quoted.scan(text)
    lost |= strings.lost
    lost += Counter({rejection_reasons.UNCLEAR: len(strings.unclear)})
    found, again = strings.found, [question for piece in strings.unclear for question in quoted.standing(piece)]
    items = listed.items(strings.rest, cut=cut)
    plain = listed.ListedQuestions() if found or again or items.found else listed.lines(strings.rest, cut=cut)
    lost += items.lost + plain.lost
    way: Way = "mended" if again else "quoted" if found else "listed" if items.found else "lines"
    questions = _kept([*_parted(found), *again, *items.found, *plain.found], lost)
    if not questions and not lost:
        lost[rejection_reasons.NOTHING] += 1
    return Read(questions, lost, way if questions else "nothing")


def _after_thoughts(reply: str, lost: Counter[str]) -> str:
    """What stands after the thoughts; of thoughts that never end, what stands before them."""
    text = reply[_end_of_thoughts(reply) :]
    if begin := _BEGIN.search(text):
        lost[rejection_reasons.THOUGHTS] += 1
        text = text[: begin.start()]
    return text


def _end_of_thoughts(reply: str) -> int:
    """Where the last tag ends that ends thoughts; 0 where none does."""
    place = len(reply)
    for _ in range(MOST_TAGS):
        place = reply.rfind("</", 0, place)
        if place < 0:
            break
        tag = _END.match(reply, place)
        if tag and _ends_a_line(reply, place, tag.end()):
            return tag.end()
    # In the middle of a line a tag ends only what the reply begins with.
    first = _END.search(reply) if _BEGIN.match(reply.lstrip()) else None
    return first.end() if first else 0


def _ends_a_line(text: str, begin: int, end: int) -> bool:
    """Whether a tag begins a line or ends it; else it is what a question is about."""
    return (
        not text[max(0, text.rfind("\n", 0, begin)) : begin].strip()
        or not text[end : end + 80].partition("\n")[0].strip()
    )


def _unwrapped(text: str) -> str:
    """A reply that is a JSON string holds what that string says."""
    text = text.lstrip("\ufeff")
    if text.lstrip().startswith('"'):
        try:
            said = json.loads(text)
        except (ValueError, RecursionError):
            return text
        return said if isinstance(said, str) else text
    return text


def _parted(found: Iterable[str]) -> Iterable[str]:
    """Strings as they are; one that holds a list itself as its items."""
    for one in found:
        items = listed.items(one).found if "\n" in one.strip() else []
        yield from items or [one]


def _kept(found: Iterable[str], lost: Counter[str]) -> tuple[str, ...]:
    kept: dict[str, None] = {}
    for one in found:
        question = _NUMBER.sub("", one.strip(), count=1) if _NUMBER.match(one.strip()) else one.strip()
        if reason := _fault(question) or (rejection_reasons.REPEATED if question in kept else ""):
            lost[reason] += 1
        else:
            kept[question] = None
    return tuple(kept)


def _fault(question: str) -> str:
    if not question:
        return rejection_reasons.BLANK
    if len(question) > LONGEST:
        return rejection_reasons.LONG
    if _UNREADABLE.search(question):
        return rejection_reasons.UNREADABLE
    if not listed.asks(question) and (about_tokens(question, 1) < 2 or not re.search(r"[^\W\d_]", question)):
        return rejection_reasons.NO_QUESTION
    return ""
