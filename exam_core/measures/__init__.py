"""Every measure, once: pages, command line, docs and property tests read this table."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module

from exam_core.errors import UsageError
from exam_core.measures import effectiveness
from exam_core.measures.info import MeasureInfo

__all__ = ["MEASURES", "Measure", "MeasureInfo", "table"]


def table(rows: Iterable[MeasureInfo]) -> dict[str, MeasureInfo]:
    """Measures by name, in the order that they ask for; it is not that of the files, so menus can be read.

    Raises
    ------
    ValueError : a name is declared twice
    """
    found: dict[str, MeasureInfo] = {}
    for row in sorted(rows, key=lambda row: (row.order, row.name)):
        if row.name in found:
            raise ValueError(f"Two measures are named {row.name}.")
        found[row.name] = row
    return found


def _declared() -> list[MeasureInfo]:
    """The rows of every file of `effectiveness`."""
    names = [found.name for found in pkgutil.iter_modules(effectiveness.__path__)]
    return [row for name in names for row in import_module(f"{effectiveness.__name__}.{name}").ROWS]


MEASURES = table(_declared())


@dataclass(frozen=True)
class Measure:
    """A measure with its number of passages, if it has one; prints and parses as ir_measures spells it: `P@20`."""

    name: str
    depth: int | None = None

    @classmethod
    def parse(cls, text: str) -> Measure:
        """Read `Cover@20`, `AP` and the like.

        Raises
        ------
        UsageError : no such measure; the message names those there are
        """
        match = re.fullmatch(r"(\w+)(?:@([1-9]\d*))?", text.strip())
        info = MEASURES.get(match[1]) if match else None
        if not match or not info:
            spellings = ", ".join(known.spelling for known in MEASURES.values())
            raise UsageError(f"There is no measure {text}. There are: {spellings} (any number after the @).")
        if match[2] and info.cut == "none":
            raise UsageError(f"{text}: {info.name} looks at all that is read of a ranking; leave out @{match[2]}.")
        if not match[2] and info.cut == "needed":
            raise UsageError(f"{text}: say of how many passages, for instance {info.spelling}.")
        return cls(match[1], int(match[2]) if match[2] else None)

    @classmethod
    def at(cls, name: str, depth: int | None) -> Measure:
        """The measure of the first `depth` passages, or of all that is read where it takes no @k."""
        return cls(name, None if MEASURES[name].cut == "none" else depth)

    @property
    def info(self) -> MeasureInfo:
        """What there is to know of it."""
        return MEASURES[self.name]

    def __str__(self) -> str:
        return f"{self.name}@{self.depth}" if self.depth else self.name
