"""Parts of a saved report: what each page's analysis shows there. Wings make them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import pandas as pd

from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.references import find_reference
from exam_core.analysis.figures import Figures
from exam_core.asked import Asked
from exam_core.charts.enlarging import Figure
from exam_core.results import ResultTable

Found = TypeVar("Found")


class Ask(Protocol):
    """Calls an analysis with its arguments; a dashboard's keeps the answers."""

    def __call__(self, function: Callable[..., Found], /, *arguments: Any, **options: Any) -> Found:
        """What the analysis says."""


def ask_now(function: Callable[..., Found], /, *arguments: Any, **options: Any) -> Found:
    """What an analysis says, computed each time."""
    return function(*arguments, **options)


@dataclass(frozen=True)
class ReportTable:
    """A table of a part, and what it shows in words."""

    frame: pd.DataFrame
    of: ResultTable
    caption: str


@dataclass(frozen=True)
class Part:
    """A section of a report; its charts by the ids of their elements.

    Attributes
    ----------
    missing : why something of it is not there
    is_early : whether it stands before the displacements
    """

    heading: str
    sentences: Sequence[str] = ()
    charts: Mapping[str, Figure] = field(default_factory=dict)
    tables: Sequence[ReportTable] = ()
    notes: Sequence[str] = field(default_factory=list)
    missing: Sequence[str] = ()
    is_early: bool = False


@dataclass(frozen=True)
class Asking:
    """What the parts are about.

    Attributes
    ----------
    series : those that have a leaderboard; parts about one series are about the first
    ask : calls an analysis with its arguments
    """

    figures: Figures
    series: Sequence[str]
    asked: Asked
    ask: Ask

    @property
    def of_grades(self) -> bool:
        """Whether there are grades, and the measure looks at them."""
        return self.figures.of_grades(self.asked)

    @property
    def has_reference(self) -> bool:
        """Whether there is something to compare with, asked for or not."""
        return bool(self.asked.reference) or find_reference(self.figures.snapshot, None) is not None

    def choice(self, place: int = 0, **changes: Any) -> Evaluation | None:
        """What is asked for of a series; None where it is printed."""
        return self.figures.of(self.asked.of(self.series[place]).but(**changes))


@dataclass(frozen=True)
class PagePart:
    """The part of a page; a file of a room `reports` of a wing declares its own in `PARTS`.

    Attributes
    ----------
    heading : named where the part can't be had
    make : the part; None where there is nothing to show
    order : its place in the report
    """

    heading: str
    make: Callable[[Asking], Part | None]
    order: int
