"""Figures that stand in print alone."""
# ruff: noqa: ARG002 - print has no use for all that a method of the protocol is asked

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
from exam_core.asked import Asked
from exam_core.defaults import Sampling
from exam_core.errors import ExamboardError, UsageError
from exam_core.measures import Measure
from exam_core.progress import Progress, no_progress
from exam_core.store import Snapshot
from exam_core.store.summary import leaderboard_ids, names_of
from exam_core.tables import OFFICIAL


@dataclass(frozen=True)
class Printed:
    """A collection of printed figures alone: leaderboards without values by query, and agreement tables.

    Both kinds of figures have the same methods, but for what print has no values for, and what it alone needs.
    """

    snapshot: Snapshot

    @property
    def in_print(self) -> Printed:
        """These; other figures have None."""
        return self

    def series(self, bank: str | None = None) -> list[str]:
        """The printed columns."""
        return printed.columns(self.snapshot)

    def banks(self) -> list[str]:
        """The banks that an agreement table is printed for."""
        return printed.banks(self.snapshot)

    def evaluation(self, asked: Asked) -> None:
        """Nothing: there is no value by query."""

    def of(self, asked: Asked) -> None:
        """Nothing, as `evaluation`."""

    def of_grades(self, asked: Asked) -> bool:
        """Never: no tau can be chosen."""
        return False

    def question(self, asked: Asked) -> dict[str, Any]:
        """What was asked, with the keys that other collections have."""
        measure = Measure.parse(asked.measure)
        check_range("--tau", asked.tau, TAUS[0], TAUS[-1])
        return {
            "collection": self.snapshot.collection,
            "bank": asked.bank,
            "grader": None,
            "judgments": None,
            "measure": str(measure),
            "tau": asked.tau,
            "depth": measure.depth,
            "label_rank": None,
        }

    def board(self, column: str, reference: str | None = None) -> Leaderboard:
        """One printed column. Raises UsageError where there is no such column, or reference."""
        if column not in (known := leaderboard_ids(self.snapshot)):
            raise UsageError(f"There is no printed column {column}. There are: {', '.join(known)}.")
        return printed.board(self.snapshot, column, reference)

    def boards(self, asked: Asked, at: Sequence[int] = ()) -> list[Leaderboard]:
        """The column of a measure and tau; at all taus, the one that there is."""
        self.question(asked)
        return [self.board(self.column(asked), asked.reference)]

    def correlations(self, asked: Asked, at: Sequence[int] = ()) -> list[Correlated]:
        """Of every column."""
        return comparison.correlated_boards(printed.boards(self.snapshot, asked.reference))

    def compare(self, series: Sequence[str], asked: Asked, *, progress: Progress = no_progress) -> Comparison:
        """Columns side by side, each with the agreement table of its bank, at the cut nearest to the column's tau."""
        boards = {name: self.board(name, asked.reference) for name in series}
        tables = {name: board.bank for name, board in boards.items() if board.bank in self.banks()}
        agreements = {
            name: self.nearest_agreement(asked.but(bank=bank, tau=boards[name].tau or asked.tau))
            for name, bank in tables.items()
        }
        return comparison.of_boards(boards, agreements, names_of(self.snapshot))

    def correlate(self, series: Sequence[str], asked: Asked) -> list[Correlated]:
        """Of each column."""
        if asked.reference is None and find_reference(self.snapshot, None) is None:
            return []
        return [one for one in self.correlations(asked) if one.leaderboard in series]

    def standing(self, series: str, asked: Asked) -> pd.DataFrame:
        """With printed error bars."""
        return leaderboard.of_board(self.board(series, asked.reference))

    def runs(self, series: Sequence[str]) -> list[str]:
        """The runs of printed columns, in the order of the first column that has them."""
        boards = [self.board(name).rows["run_id"] for name in series]
        return list(dict.fromkeys(run_id for board in boards for run_id in board))

    def agreement(self, asked: Asked, judgments: str = OFFICIAL) -> Agreement:
        """A printed table at a cut that it has."""
        self._refuse_map(asked)
        check_range("--tau", asked.tau, TAUS[0], TAUS[-1])
        tau = TAUS[-2] if asked.tau is None else asked.tau
        return printed.agreement(self.snapshot, bank=asked.bank, tau=tau, relevant_from=asked.relevant_from)

    def nearest_agreement(self, asked: Asked) -> Agreement:
        """A printed table at the cut, of those that it has, that is nearest to the one that is asked for."""
        cuts = self.agreement_grid(asked).rows
        tau, relevant_from = nearest_cut(cuts, asked.tau or TAUS[-2], asked.relevant_from)
        return self.agreement(asked.but(tau=tau, relevant_from=relevant_from))

    def table_of(self, series: Sequence[str]) -> str:
        """The bank whose agreement table is that of the first column which has one; else the first printed table's.

        Raises ExamboardError where no table is printed.
        """
        known = self.banks()
        if not known:
            raise ExamboardError(f"{self.snapshot.collection} has no agreement table.")
        return next((bank for name in series if (bank := self.board(name).bank) in known), known[0])

    def agreement_grid(self, asked: Asked, judgments: str = OFFICIAL) -> AgreementGrid:
        """Every cut that a printed table has."""
        self._refuse_map(asked)
        rows, notes = printed.agreement_grid(self.snapshot, bank=asked.bank)
        return AgreementGrid(rows, notes, asked.bank)

    def outliers(
        self,
        asked: Asked,
        measures: Sequence[str] = (),
        graders: Sequence[str] = (),
        sampling: Sampling | None = None,
        progress: Progress = no_progress,
    ) -> tuple[Outliers, dict[str, Evaluation]]:
        """By every printed column; nothing explains them."""
        other = needed_reference(self.snapshot, asked.reference)
        return outliers.of_boards(printed.boards(self.snapshot, asked.reference), other), {}

    def other_measures(self, asked: Asked) -> list[str]:
        """None: every column is a method."""
        return []

    def further_measures(self, asked: Asked) -> tuple[str, ...]:
        """None, as `other_measures`."""
        return ()

    def displaced(
        self, series: Sequence[str], asked: Asked, also: Sequence[str], *, progress: Progress = no_progress
    ) -> tuple[Outliers, dict[str, Evaluation]]:
        """By the printed columns that are set side by side, or by all where none is."""
        other = needed_reference(self.snapshot, asked.reference)
        boards = printed.boards(self.snapshot, asked.reference)
        mine = [board for board in boards if board.title in series and board.title != other.name]
        return outliers.of_boards(mine or boards, other), {}

    def column(self, asked: Asked) -> str:
        """The column of a bank, measure and tau."""
        return printed.find_column(self.snapshot, bank=asked.bank, measure=asked.measure, tau=asked.tau)

    def _refuse_map(self, asked: Asked) -> None:
        if asked.label_map is not None:
            raise UsageError(
                f"--label-map: {self.snapshot.collection} holds printed tables, whose labels can't be mapped. Leave it "
                "out."
            )
