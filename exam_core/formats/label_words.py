"""Labels that are words, and what numbers they stand for where their order is beyond doubt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from exam_core.formats.numbers import as_whole
from exam_core.formats.trec_faults import FAILED

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


def as_label(text: str) -> int | None:
    """A whole number, or the level of a word, or the number in front of one; None of other texts.

    Levels tell the order of words; the numbers that they stand for depend on the other words of their file.
    """
    whole = as_whole(text)
    return whole if whole is not None else _LEVEL.get(_plain(text), number_before(text))


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
