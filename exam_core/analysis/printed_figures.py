"""Figures that stand in print alone."""
# ruff: noqa: ARG002 - methods have all parameters of those of `Graded`

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from exam_core.analysis import comparison, leaderboard, outliers, printed
from exam_core.analysis.agreement import Agreement, AgreementGrid
from exam_core.analysis.agreement_matrices import nearest_cut
from exam_core.analysis.choice import TAUS, Evaluation
from exam_core.analysis.choosing import check_range
from exam_core.analysis.comparison import Comparison, Correlated
from exam_core.analysis.leaderboard import Leaderboard
from exam_core.analysis.outliers import Outliers
from exam_core.analysis.references import find_reference, needed_reference
from exam_core.defaults import Sampling
from exam_core.errors import ExamboardError, UsageError
from exam_core.measures import Measure
from exam_core.progress import Progress, no_progress
from exam_core.request import Request
from exam_core.store import Snapshot
from exam_core.store.summary import leaderboard_ids, names_of
from exam_core.tables import OFFICIAL


@dataclass(frozen=True)
class Printed:
    """A collection of printed figures alone: leaderboards without values by query, and agreement tables.

    It has the methods of `Graded`, and some of its own.
    """

    snapshot: Snapshot

    @property
    def in_print(self) -> Printed:
        """These figures; computed ones have None."""
        return self

    def series(self, bank: str | None = None) -> list[str]:
        """The printed columns."""
        return printed.columns(self.snapshot)

    def banks(self) -> list[str]:
        """The banks with a printed agreement table."""
        return printed.banks(self.snapshot)

    def evaluation(self, request: Request) -> None:
        """None: there is no value by query."""

    def of(self, request: Request) -> None:
        """None, as `evaluation`."""

    def of_grades(self, request: Request) -> bool:
        """False: no tau can be chosen."""
        return False

    def question(self, request: Request) -> dict[str, Any]:
        """The options as used, with the keys of computed figures."""
        measure = Measure.parse(request.measure)
        check_range("--tau", request.tau, TAUS[0], TAUS[-1])
        return {
            "collection": self.snapshot.collection,
            "bank": request.bank,
            "grader": None,
            "judgments": None,
            "measure": str(measure),
            "tau": request.tau,
            "depth": measure.depth,
            "label_rank": None,
        }

    def board(self, column: str, reference: str | None = None) -> Leaderboard:
        """One printed column. Raises UsageError where there is no such column, or reference."""
        if column not in (known := leaderboard_ids(self.snapshot)):
            raise UsageError(f"There is no printed column {column}. There are: {', '.join(known)}.")
        return printed.board(self.snapshot, column, reference)

    def boards(self, request: Request, at: Sequence[int] = ()) -> list[Leaderboard]:
        """The column of a measure and tau; at all taus, the one that there is."""
        self.question(request)
        return [self.board(self.column(request), request.reference)]

    def correlations(self, request: Request, at: Sequence[int] = ()) -> list[Correlated]:
        """The correlation of every column."""
        return comparison.correlated_boards(printed.boards(self.snapshot, request.reference))

    def compare(self, series: Sequence[str], request: Request, *, progress: Progress = no_progress) -> Comparison:
        """Columns side by side, each with the agreement table of its bank, at the cut nearest to the column's tau."""
        boards = {name: self.board(name, request.reference) for name in series}
        tables = {name: board.bank for name, board in boards.items() if board.bank in self.banks()}
        agreements = {
            name: self.nearest_agreement(request.but(bank=bank, tau=boards[name].tau or request.tau))
            for name, bank in tables.items()
        }
        return comparison.of_boards(boards, agreements, names_of(self.snapshot))

    def correlate(self, series: Sequence[str], request: Request) -> list[Correlated]:
        """The correlation of each of some columns; none without a reference."""
        if request.reference is None and find_reference(self.snapshot, None) is None:
            return []
        return [correlation for correlation in self.correlations(request) if correlation.leaderboard in series]

    def standing(self, series: str, request: Request) -> pd.DataFrame:
        """A column's rows with tiers by printed error bars."""
        return leaderboard.of_board(self.board(series, request.reference))

    def agreement(self, request: Request, judgments: str = OFFICIAL) -> Agreement:
        """A printed table at a cut that it has."""
        self._refuse_map(request)
        check_range("--tau", request.tau, TAUS[0], TAUS[-1])
        tau = TAUS[-2] if request.tau is None else request.tau
        return printed.agreement(self.snapshot, bank=request.bank, tau=tau, relevant_from=request.relevant_from)

    def nearest_agreement(self, request: Request) -> Agreement:
        """A printed table at that one of its cuts which is nearest to the requested one."""
        cuts = self.agreement_grid(request).rows
        tau, relevant_from = nearest_cut(cuts, request.tau or TAUS[-2], request.relevant_from)
        return self.agreement(request.but(tau=tau, relevant_from=relevant_from))

    def table_of(self, series: Sequence[str]) -> str:
        """The bank of the first column that has an agreement table, or else of the first printed table.

        Raises ExamboardError where no table is printed.
        """
        known = self.banks()
        if not known:
            raise ExamboardError(f"{self.snapshot.collection} has no agreement table.")
        return next((bank for name in series if (bank := self.board(name).bank) in known), known[0])

    def agreement_grid(self, request: Request, judgments: str = OFFICIAL) -> AgreementGrid:
        """Every cut that a printed table has."""
        self._refuse_map(request)
        rows, notes = printed.agreement_grid(self.snapshot, bank=request.bank)
        return AgreementGrid(rows, notes, request.bank)

    def outliers(
        self,
        request: Request,
        measures: Sequence[str] = (),
        graders: Sequence[str] = (),
        sampling: Sampling | None = None,
        progress: Progress = no_progress,
    ) -> tuple[Outliers, dict[str, Evaluation]]:
        """Outliers by every printed column; no evaluation explains them."""
        other = needed_reference(self.snapshot, request.reference)
        return outliers.of_boards(printed.boards(self.snapshot, request.reference), other), {}

    def other_measures(self, request: Request) -> list[str]:
        """None: every column is a method."""
        return []

    def further_measures(self, request: Request) -> tuple[str, ...]:
        """None, as `other_measures`."""
        return ()

    def displaced(
        self, series: Sequence[str], request: Request, also: Sequence[str], *, progress: Progress = no_progress
    ) -> tuple[Outliers, dict[str, Evaluation]]:
        """Outliers by the printed columns of some series, or by all."""
        other = needed_reference(self.snapshot, request.reference)
        boards = printed.boards(self.snapshot, request.reference)
        mine = [board for board in boards if board.title in series and board.title != other.name]
        return outliers.of_boards(mine or boards, other), {}

    def column(self, request: Request) -> str:
        """The column of a bank, measure and tau."""
        return printed.find_column(self.snapshot, bank=request.bank, measure=request.measure, tau=request.tau)

    def _refuse_map(self, request: Request) -> None:
        if request.label_map is not None:
            raise UsageError(
                f"--label-map: {self.snapshot.collection} holds printed tables, whose labels can't be mapped. Leave it "
                "out."
            )
