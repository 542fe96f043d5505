"""Labels that are words, and what numbers they stand for where their order is beyond doubt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from exam_core.formats.csv_cells import UNREADABLE
from exam_core.formats.numbers import as_whole

_FAILED = (
    "error err failed failure fail none nan null na n/a - -- ? unknown unreadable unparsable unparseable invalid "
    "timeout refused refusal missing skipped"
)
FAILED = UNREADABLE | frozenset(_FAILED.split()) | {""}
"""What stands in the place of a label that a model failed to give, in lower case."""

_LEVELS = (
    "not relevant|non relevant|nonrelevant|irrelevant|no|false|bad",
    "marginally relevant|slightly relevant|somewhat relevant|partially relevant|partly relevant|related|partial"
    "|partially|fair",
    "relevant|fairly relevant|moderately relevant|yes|true|good",
    "highly relevant|very relevant|excellent",
    "perfectly relevant|perfect",
)
_LEVEL = {word: level for level, words in enumerate(_LEVELS) for word in words.split("|")}
_NUMBERED = re.compile(r"([+-]?\d+)(?:\s*[:=)–—-]\s*|\s+)\(?[^\W\d]")
"""A word behind its number: `2: highly relevant`, `2 - highly relevant`, `2 (highly relevant)`."""
_APART = re.compile(r"[\s_-]+")


def numbers_of(labels: Iterable[str]) -> dict[str, int]:
    """What the words among all labels of a file stand for; nothing where their order is not known.

    Words for passages that are not relevant are 0, the others count up from 1: a file may have relevant ones alone.
    Two words of one level have no order, and neither have words beside numbers.
    """
    distinct = dict.fromkeys(label for label in labels if label.lower() not in FAILED)
    words = [name for name in distinct if as_whole(name) is None]
    numbered = {word: number for word in words if (number := number_before(word)) is not None}
    if len(numbered) == len(words):
        return numbered
    levels = {text: _LEVEL.get(_plain(text), -1) for text in words}
    order = sorted({*levels.values()} | {0})
    alike = {_plain(item) for item in words if levels[item]}
    if order[0] < 0 or len(alike) > len(order) - 1 or len(words) < len(distinct):
        return {}
    return {entry: order.index(level) for entry, level in levels.items()}


def about_words(numbers: Mapping[str, int]) -> list[str]:
    """A note on the numbers that words stand for."""
    meanings = ", ".join(
        f"{word} is {numbers[word]}" for word in sorted(numbers, key=lambda word: (numbers[word], word))
    )
    return [f"Its labels are words: {meanings}."] if numbers else []


def number_before(text: str) -> int | None:
    """The number in front of a word."""
    match = _NUMBERED.match(text)
    return as_whole(match[1]) if match else None


def _plain(text: str) -> str:
    return _APART.sub(" ", text.strip().lower())
