"""What a slide is, and what it is made of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd

from exam_core.analysis.choice import Evaluation
from exam_core.analysis.comparison import Comparison
from exam_core.analysis.contents import question_modes
from exam_core.analysis.figures import Figures
from exam_core.analysis.leaderboard import Leaderboard
from exam_core.analysis.outliers import Outliers
from exam_core.charts.enlarging import Figure
from exam_core.errors import UsageError
from exam_core.hiding import hidden_runs, shown_rows
from exam_core.measures import Measure
from exam_core.reports.part import Ask, Named
from exam_core.request import Request
from exam_core.results import ResultTable
from exam_core.store import Snapshot
from exam_core.view import View
from exam_core.wording import number

MOST_TICKS = 5
"""Series that have room beside a chart."""


@dataclass(frozen=True)
class Slide:
    """One chart, and what it says.

    Attributes
    ----------
    takeaway : one sentence, computed
    figure : the chart, which carries its words
    ticks : coefficients beside the chart, by what they are called; NaN is undefined
    table : the figures behind the chart, of the columns that `of` declares
    notes : what a reader must know
    left_out : what the chart leaves out
    ticks_of : of what the coefficients are: series, tau and reference
    settings : what it was computed with, where neither the control bar's choice nor tau has a part in it
    """

    takeaway: str
    figure: Figure
    table: pd.DataFrame
    of: ResultTable
    ticks: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    settings: str = ""
    ticks_of: str = ""
    left_out: str = ""


@dataclass(frozen=True)
class SlideContext(Named):
    """What a slide is made of: a view, the figures of its collection without the runs that it leaves out, and `ask`.

    `others` gives the store's other collections.
    """

    view: View
    figures: Figures
    ask: Ask
    others: Callable[[], Iterable[Snapshot]] = tuple

    @property
    def request(self) -> Request:
        """What is evaluated."""
        return self.view.asked

    @property
    def of_grades(self) -> bool:
        """Whether tau means something: a measure of grades, and no print."""
        return self.figures.of_grades(self.request)

    @property
    def first(self) -> str:
        """The series that a page about one series shows. Raises UsageError where none is chosen."""
        if not self.view.series:
            raise UsageError("Choose a grading mode or column in the bar on the left.")
        picked = self.view.own("mode")
        return picked if picked in self.view.series else self.view.series[0]

    @property
    def choice(self) -> Evaluation:
        """What is evaluated of the first series. Raises UsageError where it is printed, or can't be evaluated so."""
        evaluation = self.figures.of(self.request.of(self.first))
        if evaluation is None:
            raise UsageError(
                f"{self.figures.snapshot.collection} has printed figures only: there are no queries and no grades "
                "behind them."
            )
        return evaluation

    def agreed(self, kendall: float, reference: str | None) -> str:
        """How alike a board and its reference order the runs."""
        return f"{self.method} correlates with {self.reference(reference)}: Kendall {number(kendall, '.3f')}"

    def refuse_print(self, why: str = "{} has printed figures only: no grades are behind them.") -> None:
        """UsageError if the collection has printed figures only, which a sentence says that begins with its name."""
        if self.figures.in_print:
            raise UsageError(why.format(self.figures.snapshot.collection))

    @cached_property
    def comparison(self) -> Comparison:
        """The series side by side."""
        result = self.ask(self.figures.compare, self.view.series, self.request)
        if not result.boards:
            raise UsageError(" ".join(result.missing) or "There is no leaderboard for these choices.")
        return result

    @property
    def hidden(self) -> tuple[str, ...]:
        """The runs that the view's filter hides."""
        return hidden_runs(self.view.own("runs"), self.comparison.order)

    def shown(self, rows: Any, *columns: str) -> Any:
        """The rows that name no hidden run in these columns."""
        return shown_rows(rows, self.hidden, *columns)

    @property
    def _column(self) -> str:
        """The first series, if it is a printed column; else empty."""
        return self.first if self.figures.in_print else ""

    @property
    def heading(self) -> str:
        """The measure, or the printed column."""
        return self.called(self._column) or Measure.parse(self.request.measure).heading(self.request.depth)

    @property
    def at_tau(self) -> str:
        """Where the grades are cut, to end a sentence with; empty where tau means nothing."""
        return f" at tau {self.choice.tau}" if self.of_grades and not self.choice.grading.judgments else ""

    @property
    def mode(self) -> str:
        """The first series, and where its grades are cut: `Sun (tau 1)`; a printed column by its name."""
        if self._column:
            return self.called(self._column)
        called = self.called(self.first)
        return f"{called} ({self.at_tau.removeprefix(' at ')})" if self.at_tau else called

    @property
    def method(self) -> str:
        """What is measured, by which series: `P@20 of Sun (tau 1)`."""
        return self.mode if self._column else f"{self.heading} of {self.mode}"

    @property
    def displaced(self) -> tuple[Outliers, dict[str, Evaluation]]:
        """How far the series displace each run, as the page Outliers has it, and the methods by name.

        Raises UsageError where there is nothing to compare with.
        """
        also = self.view.address.get("outliers_also", self.figures.further_measures(self.request))
        return self.ask(self.figures.displaced, self.view.series, self.request, tuple(filter(None, also)))

    def displaced_by(self, series: str) -> pd.DataFrame:
        """The rows of `displaced` of one series and the measure that is asked for."""
        outliers, methods = self.displaced
        own = self.figures.of(self.request.of(series))
        names = [name for name, choice in methods.items() if choice == own] or [series]
        return outliers.rows[outliers.rows["method"].isin(names)]

    @property
    def _board(self) -> Leaderboard:
        return self.comparison.boards.get(self.first) or next(iter(self.comparison.boards.values()))

    @property
    def _agreements(self) -> pd.DataFrame:
        return self.comparison.agreements[self.comparison.agreements["series"] == self.first]

    @property
    def of_each(self) -> dict[str, Any]:
        """Kendall of each of several series beside the chart, of what, or nothing where they are too many."""
        each = self.comparison.boards.items()
        boards = [(name, board) for name, board in each if board.correlation and not board.of_itself]
        if len(self.comparison.boards) < 2 or not boards:
            return {}
        if len(boards) > MOST_TICKS:
            return {"ticks": {}, "ticks_of": ""}
        names = self.comparison.names
        kendall = {names.get(name, name): board.correlation.kendall for name, board in boards if board.correlation}
        return {"ticks": kendall, "ticks_of": f"Kendall with {self.reference(boards[0][1].reference)}, {self.heading}"}

    def ticks(self) -> dict[str, float]:
        """Spearman, Kendall and kappa of the first series, as far as it has them."""
        correlation = None if self._board.of_itself else self._board.correlation
        values = {"Spearman": correlation.spearman, "Kendall": correlation.kendall} if correlation else {}
        return values | dict(zip(["kappa"], self._agreements["kappa"], strict=False))

    @property
    def ticks_of(self) -> str:
        """Of which series `ticks` are, beside which reference, and where kappa cuts."""
        board = self._board
        beside = f" against {self.reference(board.reference)}" if board.correlation and not board.of_itself else ""
        cuts = [f"; kappa: {self.comparison.cut(series)}" for series in self._agreements["series"]]
        return f"{self.method}{beside}{''.join(cuts)}"

    def slide(self, text: str, figure: Figure, table: pd.DataFrame, of: ResultTable, **more: Any) -> Slide:
        """A slide with the coefficients of the first series beside its chart; arguments are those of a `Slide`."""
        return Slide(text, figure, table, of, **{"ticks": self.ticks(), "ticks_of": self.ticks_of} | more)


@dataclass(frozen=True)
class PageSlide:
    """The slide of a page, or of a part of one. A file of a room `slides` declares its own in `ROWS`.

    Attributes
    ----------
    title : of the page, or of the part
    make : the slide of a view
    order : its place in a presentation
    takes : whether a collection, by its snapshot, has what it takes; None where every one has
    of_questions : whether it says something only of grading modes that grade questions
    part_of : the page that has the part
    tabs : of that page, whose slide it is: the parameter that names the open tab, and the tabs
    former : what stories and links of earlier versions call the page
    of_store : whether it compares collections, so that a store of one has nothing to fill it with
    """

    title: str
    make: Callable[[SlideContext], Slide]
    order: int
    takes: Callable[[Snapshot], bool] | None = None
    of_questions: bool = False
    part_of: str = ""
    tabs: tuple[str, Collection[str]] = ("", ())
    former: tuple[str, ...] = ()
    of_store: bool = False

    def can_be_of(self, snapshot: Snapshot, series: Sequence[str]) -> bool:
        """Whether a collection, and one of the series that are chosen of it, have what it takes."""
        if self.of_questions and series and not question_modes(snapshot, series):
            return False
        return self.takes is None or self.takes(snapshot)
