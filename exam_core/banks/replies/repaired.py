"""The last step: strings whose quotes are unclear, mended by json-repair, and believed only where they stand whole.

json-repair closes what is open, drops what it can't place, and takes time that grows with the square of stray quotes.
So it gets short pieces, few of them, and of what it says only strings count that stand between two quotes in the piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from exam_core.banks.replies.listed import asks
from exam_core.banks.replies.quoted import unescaped

LONGEST_PIECE, MOST_PIECES = 600, 10
MOST_QUOTES = 12
"""Quotes in a piece."""


def questions(pieces: Sequence[str]) -> list[list[str]]:
    """The questions that stand whole in each piece; none in what is too long, or has too many quotes, to be mended."""
    return [_mended(piece) if place < MOST_PIECES and _is_small(piece) else [] for place, piece in enumerate(pieces)]


def _is_small(piece: str) -> bool:
    return len(piece) <= LONGEST_PIECE and sum(map(piece.count, "\"'")) <= MOST_QUOTES


def _mended(piece: str) -> list[str]:
    from json_repair import repair_json  # Loaded for the few replies that need it.

    try:
        said = repair_json(f"[{piece}]", return_objects=True, skip_json_loads=True)
    except (ValueError, RecursionError, IndexError):
        return []
    stands = set(map(unescaped, _standing(piece)))
    return [text for text in dict.fromkeys(_strings(said)) if text in stands and asks(text)]


def _standing(piece: str) -> Iterator[str]:
    """What stands between two quotes of a kind, with no other of that kind within, as strings in a list do."""
    for quote in "\"'":
        for found in re.finditer(rf"(?=(?:^|[\[,:{{]\s*){quote}([^{quote}\n]+){quote}\s*(?:[,\]}}]|$))", piece):
            yield found[1]


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _strings(one)
