"""Parts of the report for print, and its picture."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

import pandas as pd

from exam_core.aliases import in_words
from exam_core.analysis.choice import Evaluation
from exam_core.analysis.comparison import Comparison
from exam_core.analysis.contents import hole_shares, names_of
from exam_core.analysis.figures import Figures
from exam_core.analysis.leaderboard import own_order
from exam_core.analysis.outliers import readable_titles
from exam_core.analysis.references import find_reference
from exam_core.charts.chart_layout import HOLES, Outside, ScoreAxis, View, scale_of
from exam_core.charts.enlarging import Figure
from exam_core.charts.leaderboard_lines import leaderboard_figure
from exam_core.measures import Measure
from exam_core.names import NAMED, enumerated, listed
from exam_core.request import Request
from exam_core.results import ResultTable
from exam_core.wording import counted, method_in_words, reference_in_words

Result = TypeVar("Result")


class Ask(Protocol):
    """Calls an analysis with its arguments; a dashboard's keeps the answers."""

    def __call__(self, function: Callable[..., Result], /, *arguments: Any, **options: Any) -> Result:
        """What the analysis says."""


def ask_now(function: Callable[..., Result], /, *arguments: Any, **options: Any) -> Result:
    """What an analysis says, computed each time."""
    return function(*arguments, **options)


class Named:
    """Names for the ids of graders and references, for classes that have figures of a collection."""

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
        return in_words(method_in_words(title), {**self.names, **readable_titles(computed, self.names)})

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
    request: Request
    ask: Ask

    @property
    def of_grades(self) -> bool:
        """Whether there are grades, and the measure looks at them."""
        return self.figures.of_grades(self.request)

    @property
    def has_reference(self) -> bool:
        """Whether there is something to compare with, asked for or not."""
        return bool(self.request.reference) or find_reference(self.figures.snapshot, None) is not None

    def choice(self, place: int = 0, **changes: Any) -> Evaluation | None:
        """What is asked for of a series; None where it is printed."""
        return self.figures.of(self.request.of(self.series[place]).but(**changes))


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


NOTABLE = 0.1
"""Share of a run's places without a grade from which a sentence names it."""


@dataclass(frozen=True)
class BoardView:
    """How somebody wants to see leaderboards.

    Attributes
    ----------
    view : scores re-normalised or as they are, or ranks
    whole : whether the axis holds every run, however far off
    own_order : runs in the order of the first board, not of the reference
    hidden : runs that are not shown
    """

    view: View = "re-normalised"
    whole: bool = False
    own_order: bool = False
    hidden: Collection[str] = ()


@dataclass(frozen=True)
class Picture:
    """Leaderboards as a chart takes them.

    Attributes
    ----------
    boards : rows by series, as the chart names it
    order : the runs from left to right
    reference : whose order it is
    outside : the runs far from the others, also where the axis holds them all
    depth : passages of each ranking that are read; None where that is not known
    lacking : other runs of which more than a quarter of these passages have no grade
    """

    boards: Mapping[str, pd.DataFrame]
    order: list[str]
    reference: str | None
    measured: str
    scale: ScoreAxis
    outside: tuple[Outside, ...] = ()
    depth: int | None = None
    lacking: Sequence[str] = ()

    def figure(self, *, highlighted: str | None = None, ringed: str | None = None) -> Figure:
        """The chart; arguments as `leaderboard_figure`."""
        look: dict[str, Any] = {"scale": self.scale, "reference": self.reference, "measured": self.measured}
        return leaderboard_figure(self.boards, self.order, highlighted=highlighted, ringed=ringed, **look)


def picture_of(
    figures: Figures, comparison: Comparison, request: Request, look: BoardView | None = None, ask: Ask = ask_now
) -> Picture:
    """Leaderboards of a comparison, which was made from `figures` and `request`, as they are drawn."""
    look = look or BoardView()
    order, reference = (own_order(comparison.boards), None) if look.own_order else (comparison.order, request.reference)
    order = [run for run in order if run not in look.hidden]
    boards = {comparison.names[name]: board.rows for name, board in comparison.boards.items()}
    view: View = "re-normalised" if look.view == "ranks" and not comparison.has_queries else look.view
    if view == "re-normalised" and all(rows["normalised"].isna().all() for rows in boards.values()):
        view = "raw"  # All runs have one score, which has no other scale.
    if view == "ranks":
        boards = {comparison.names[name]: ask(figures.standing, name, request) for name in comparison.boards}
    holes = _holes(figures, comparison, request, ask)
    scale = scale_of(boards, order, view, holes, [board.bounds for board in comparison.boards.values()])
    beyond = {outside.run_id for outside in scale.outside}
    many = {run for of in holes.values() for run in of.index[of > HOLES]} - beyond
    depth = (Measure.parse(request.measure).depth or request.depth) if request.measure else None
    shown = replace(scale, span=None, outside=()) if look.whole else scale
    lacking = [run for run in order if run in many]
    return Picture(boards, order, reference, comparison.measured, shown, scale.outside, depth, lacking)


def plain_picture(comparison: Comparison, reference: str | None) -> Picture:
    """Leaderboards re-normalised, where nothing is known but these."""
    boards = {comparison.names[name]: board.rows for name, board in comparison.boards.items()}
    scale = scale_of(boards, comparison.order)
    return Picture(boards, comparison.order, reference, comparison.measured, scale, scale.outside)


def _holes(figures: Figures, comparison: Comparison, request: Request, ask: Ask) -> dict[str, pd.Series]:
    """Shares of places without a grade, of the series that are graded here."""
    shares = {}
    for name in comparison.boards:
        choice = figures.of(request.but(grader=name))
        if choice is not None and choice.of_grades:
            shares[comparison.names[name]] = ask(hole_shares, figures.snapshot, choice)
    return shares


def about_outside(picture: Picture) -> list[str]:
    """Which runs are beyond the axis, those below and those above, and which others have many ungraded passages."""
    sentences = []
    for above in (False, True):
        runs: dict[str, list[Outside]] = {}
        for outside in picture.outside:
            if outside.above == above:
                runs.setdefault(outside.run_id, []).append(outside)
        if runs:
            sentences.append(_sentence(picture, runs, above=above))
    if n := len(picture.lacking):
        who = listed(picture.lacking) if n <= NAMED else f"{n} of {counted({'runs': len(picture.order)})}"
        first = f"first {picture.depth} " if picture.depth else ""
        sentences.append(f"More than {HOLES:.0%} of the {first}passages of {who} are ungraded.")
    return sentences


def _sentence(picture: Picture, runs: Mapping[str, Sequence[Outside]], *, above: bool) -> str:
    every = [outside for of_run in runs.values() for outside in of_run]
    far = "far " if all(outside.far for outside in every) else ""
    series = list(dict.fromkeys(outside.series for outside in every))
    by = f" by {enumerated(series)}" if len(series) < len(picture.boards) else ""
    are = "is" if len(runs) == 1 else "are"
    text = f"{enumerated(list(runs))} {are} {far}{'above' if above else 'below'} all others{by}"
    end = 1.0 if above else 0.0
    ends = list(dict.fromkeys(outside.run_id for outside in every if outside.value == end))
    if picture.scale.view == "re-normalised" and ends:
        which = " and" if len(ends) == len(runs) else f"; {enumerated(ends)}"
        text += f"{which} {'sets' if len(ends) == 1 else 'set'} the {end:.0f} of the scale"
    lacking = [outside.holes for outside in every if not math.isnan(outside.holes) and outside.holes >= NOTABLE]
    if lacking:
        shares = " to ".join(dict.fromkeys(f"{share:.0%}" for share in (min(lacking), max(lacking))))
        first = f"first {picture.depth} " if picture.depth else ""
        text += f"; {shares} of {'its' if len(runs) == 1 else 'their'} {first}passages are ungraded"
    return f"{text}."
