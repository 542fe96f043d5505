"""Numbers and texts as a live page stores them: what occurs often once, undefined numbers as null."""

from __future__ import annotations

import base64
import gzip
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from exam_core.numbers.arrays import Floats


@dataclass(frozen=True)
class Numbered:
    """Values that occur often, each once, by number."""

    values: list[Any] = field(default_factory=list)
    places: dict[Any, int] = field(default_factory=dict)

    def of(self, value: Any) -> int:
        """The number of a value, which is kept if it is new."""
        key = tuple(value) if isinstance(value, list) else value
        if key not in self.places:
            self.places[key] = len(self.values)
            self.values.append(value)
        return self.places[key]


def plain(values: Sequence[float] | Floats) -> list[float | int | None]:
    """Numbers as JSON has them: whole ones without a point, undefined ones null."""
    return [None if math.isnan(one) else int(one) if float(one).is_integer() else float(one) for one in values]


def thousandths(values: Sequence[float] | Floats) -> list[int | None]:
    """Numbers as they are printed with three digits, without the point; undefined ones null."""
    return [None if math.isnan(one) else int(f"{one:.3f}".replace(".", "")) for one in values]


def packed(text: str) -> str:
    """A text compressed, the same bytes for the same text."""
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()
