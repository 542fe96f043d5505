"""Parts of a saved report: what each page's analysis shows there. Wings make them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import pandas as pd

from exam_core.aliases import in_words
from exam_core.analysis.contents.display_names import names_of
from exam_core.analysis.displacement.outliers import readable
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.references import find_reference
from exam_core.analysis.figures import Figures
from exam_core.asked import Asked
from exam_core.charts.enlarging import Figure
from exam_core.results import ResultTable
from exam_core.wording import method_in_words, reference_in_words

Found = TypeVar("Found")


class Ask(Protocol):
    """Calls an analysis with its arguments; a dashboard's keeps the answers."""

    def __call__(self, function: Callable[..., Found], /, *arguments: Any, **options: Any) -> Found:
        """What the analysis says."""


def ask_now(function: Callable[..., Found], /, *arguments: Any, **options: Any) -> Found:
    """What an analysis says, computed each time."""
    return function(*arguments, **options)


class Named:
    """What readers see in the place of ids, of what has figures of a collection."""

    figures: Figures

    @property
    def names(self) -> dict[str, str]:
        """What graders are called, by their ids."""
        return names_of(self.figures.snapshot)

    def called(self, series: str) -> str:
        """What a series is called."""
        return method_in_words(self.names.get(series, series))

    def titled(self, title: str, *choices: Evaluation | None) -> str:
        """The title of one of several methods, by its grading mode; of a printed column in words."""
        computed = [choice for choice in choices if choice]
        return in_words(method_in_words(title), {**self.names, **readable(computed, self.names)})

    def reference(self, name: str | None) -> str:
        """What a reference is called."""
        return reference_in_words(name or "the reference", self.names)


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
class Asking(Named):
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
