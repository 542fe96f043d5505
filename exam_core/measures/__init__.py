"""Every measure, once: pages, command line, docs and property tests read this table."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from exam_core import wings
from exam_core.declared import read_fields, written
from exam_core.errors import UsageError
from exam_core.measures import effectiveness
from exam_core.measures.info import MeasureInfo

__all__ = ["MEASURES", "OF_GRADES", "Measure", "MeasureInfo", "table"]


def table(rows: Iterable[MeasureInfo]) -> dict[str, MeasureInfo]:
    """Measures by name, in the order that their rows declare. Raises ValueError where two have one name.

    >>> list(table([MEASURES["P"], MEASURES["Cover"]]))  # Cover has the smaller order
    ['Cover', 'P']
    """
    measures: dict[str, MeasureInfo] = {}
    for row in sorted(rows, key=lambda row: (row.order, row.name)):
        if row.name in measures:
            raise ValueError(f"Two measures are named {row.name}.")
        measures[row.name] = row
    return measures


MEASURES = table([*effectiveness.ROWS, *wings.declared("measures")])
OF_GRADES = {name: info for name, info in MEASURES.items() if info.of_grades}
"""Those that a gradebook has values of; the others look at texts, or at values that the store holds."""


CUTOFF = re.compile(r"(?:^|,)\s*cutoff\s*=\s*([1-9][0-9]{0,8})\s*(?=,|$)")
"""How ir_measures takes an @k among the options, too."""


@dataclass(frozen=True)
class Measure:
    """A measure as one asks for it; prints and parses as ir_measures spells it: `P@20`, `POURPRE(beta=5)`.

    Parameters
    ----------
    depth : of how many passages; None where it takes no @k, or reads all that is read of a ranking
    options : an instance of the measure's options; None where it has none
    """

    name: str
    depth: int | None = None
    options: Any = None

    @classmethod
    def parse(cls, text: str) -> Measure:
        """Read `Cover@20`, `AP`, `POURPRE(beta=5,terms=idf)`, `P(rel=2,judged_only=True)@10` and the like.

        Raises UsageError where there is no such measure, option or value; the message names those there are.

        >>> measure = Measure.parse("P(rel=2)@10")
        >>> print(measure.name, measure.depth, measure.rel, measure)
        P 10 2 P(rel=2)@10
        """
        match = re.fullmatch(r"(\w+)(?:\(([^()]*)\))?(?:@([1-9][0-9]{0,8}))?", text.strip())
        info = MEASURES.get(match[1]) if match else None
        if not match or not info:
            spellings = ", ".join(known.spelling for known in MEASURES.values())
            near = get_close_matches(text, [known.spelling for known in MEASURES.values()], n=1, cutoff=0.8)
            meant = f" Did you mean {near[0]}?" if near else ""
            raise UsageError(f"There is no measure {text}.{meant} There are: {spellings} (any number after the @).")
        name, options, depth = match.groups()
        if not depth and (cutoff := CUTOFF.search(options or "")):
            options, depth = CUTOFF.sub("", options).strip(" ,"), cutoff[1]
        if depth and info.cut == "none":
            raise UsageError(f"{text}: {info.name} uses each ranking as far as it is read; leave out @{depth}.")
        if not depth and info.cut == "needed":
            raise UsageError(f"{text}: give the number of passages, for instance {info.spelling}.")
        if info.options is None and options is not None:
            raise UsageError(f"{text}: {info.name} takes no options.")
        try:
            parsed = None if info.options is None else read_fields(info.options, options or "")
        except ValueError as error:
            raise UsageError(f"{text}: {error}") from error
        return cls(name, int(depth) if depth else None, parsed)

    @classmethod
    def at(cls, name: str, depth: int | None, options: Any = None) -> Measure:
        """The measure of the first `depth` passages, or of all that is read where it takes no @k; by default its usual
        options.

        >>> print(Measure.at("P", 5), Measure.at("AP", None))
        P@5 AP
        """
        info = MEASURES[name]
        usual = info.options() if info.options else None
        return cls(name, None if info.cut == "none" else depth, options or usual)

    @property
    def info(self) -> MeasureInfo:
        """The measure's row of the table."""
        return MEASURES[self.name]

    @property
    def rel(self) -> int | None:
        """The smallest grade or label that counts, where the options set it; None where tau decides."""
        return getattr(self.options, "rel", None)

    @property
    def judged_only(self) -> bool:
        """Whether passages without a label are first taken out of the rankings."""
        return getattr(self.options, "judged_only", False)

    @property
    def of_decimals(self) -> bool:
        """Whether it takes labels with their decimals."""
        return getattr(self.options, "grades", "whole") == "decimal"

    @property
    def tau_applies(self) -> bool:
        """Whether another tau may give other values."""
        return self.info.tau_applies and self.rel is None

    def heading(self, depth: int | None) -> str:
        """The measure as titles and columns name it, where `depth` passages are read.

        >>> print(Measure("AP").heading(20), Measure("AP").heading(None), Measure("AP", 10).heading(20), sep=", ")
        AP (first 20), AP, AP@10
        """
        whole = self.depth or depth is None or self.info.of == "scores"
        return str(self) if whole else f"{self} (first {depth})"

    def __str__(self) -> str:
        named = f"{self.name}{written(self.options)}"
        return f"{named}@{self.depth}" if self.depth else named
