"""What can be asked of a collection, whether its figures are computed from grades or stand in print: the one door.

Pages and commands ask `figures_of`; that figures are printed makes no difference to them but in what they get.
"""
# ruff: noqa: ARG002 - print has no use for all that a method of the protocol is asked

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, Protocol

import pandas as pd

from exam_core.analysis.beside import comparison, correlation, rank_swaps, residuals, run_pair, versus
from exam_core.analysis.beside import grid as grids
from exam_core.analysis.beside.comparison import Comparison
from exam_core.analysis.beside.correlation import Correlated
from exam_core.analysis.beside.grid import Grid
from exam_core.analysis.beside.rank_swaps import Swaps
from exam_core.analysis.beside.residuals import Residuals
from exam_core.analysis.beside.versus import Versus
from exam_core.analysis.causes import outliers
from exam_core.analysis.causes.outliers import Outliers
from exam_core.analysis.chance import cutoffs as cutoff
from exam_core.analysis.chance import significance
from exam_core.analysis.chance.cutoffs import Cutoffs
from exam_core.analysis.chance.significance import Significance
from exam_core.analysis.evaluation import standing
from exam_core.analysis.evaluation.choice import TAUS, Evaluation
from exam_core.analysis.evaluation.choosing import check_range, choose, choose_labelling, choose_tau, of_series
from exam_core.analysis.evaluation.leaderboard import Leaderboard, bank_name, leaderboard
from exam_core.analysis.evaluation.references import find_reference, needed_reference
from exam_core.analysis.judges import agreement as agreements
from exam_core.analysis.judges.agreement import Agreement, AgreementGrid
from exam_core.analysis.printed import boards as columns
from exam_core.analysis.printed import tables, taus
from exam_core.asked import Asked, PairTest
from exam_core.defaults import DEFAULT_MEASURES, DRAWS, SEED, SPLITS
from exam_core.errors import ExamboardError, UsageError
from exam_core.measures import Measure
from exam_core.progress import Progress, no_progress
from exam_core.store import Snapshot
from exam_core.store.banks import BankRef
from exam_core.store.summary import graded_banks, leaderboard_ids
from exam_core.tables import OFFICIAL

Basis = Literal["grades", "print"]
RULES = ("depth", "label_rank", "label_map", "missing", "order", "ncover_pool", "rounded")
"""Rules that every grading mode of a grid is evaluated by."""


@dataclass(frozen=True)
class Sampling:
    """How much is drawn, and from which seed."""

    draws: int = DRAWS
    seed: int = SEED
    splits: int = SPLITS


class Figures(Protocol):
    """A collection's figures.

    A *series* is what can be set side by side: a grading mode, or a printed column. Errors are those of the analyses:
    UsageError where something is asked for that there is not.
    """

    snapshot: Snapshot
    basis: Basis

    def series(self, bank: str | None = None) -> list[str]:
        """What can be compared."""

    def evaluation(self, asked: Asked) -> Evaluation | None:
        """What is asked for, as it can be computed; None where it can't, because there is print alone."""

    def of(self, asked: Asked) -> Evaluation | None:
        """The same of one series of several, as far as its grades go; see `of_series`."""

    def question(self, asked: Asked) -> dict[str, Any]:
        """What was asked, as the head of a JSON answer: the options as used."""

    def boards(self, asked: Asked, at: Sequence[int] = ()) -> list[Leaderboard]:
        """Leaderboards at some taus; at the one that is asked for where none is named."""

    def correlations(self, asked: Asked, at: Sequence[int] = ()) -> list[Correlated]:
        """Correlations with the reference, as `boards`; of print, those of every column."""

    def compare(self, series: Sequence[str], asked: Asked) -> Comparison:
        """Series side by side."""

    def correlate(self, series: Sequence[str], asked: Asked) -> list[Correlated]:
        """Every coefficient of each series; nothing where there is no reference."""

    def standing(self, series: str, asked: Asked) -> pd.DataFrame:
        """Where each run stands on the board of a series; see `standing`."""

    def swaps_of(self, series: str, asked: Asked) -> Swaps:
        """Rank swaps of the board of a series."""

    def agreement(self, asked: Asked, judgments: str = OFFICIAL) -> Agreement:
        """Labels against human judgments."""

    def agreement_grid(self, asked: Asked, judgments: str = OFFICIAL) -> AgreementGrid:
        """The same at every cut that there is."""

    def grid(
        self,
        asked: Asked,
        measures: Sequence[Measure] = (),
        graders: Sequence[str] = (),
        at: Sequence[int] = TAUS,
        progress: Progress = no_progress,
    ) -> Grid:
        """Every series at every tau under several measures."""

    def cutoffs(self, asked: Asked, sampling: Sampling, progress: Progress = no_progress) -> Cutoffs:
        """Every tau of a measure."""

    def outliers(
        self,
        asked: Asked,
        measures: Sequence[str],
        graders: Sequence[str],
        sampling: Sampling,
        progress: Progress = no_progress,
    ) -> tuple[Outliers, dict[str, Evaluation]]:
        """Displacements, and the evaluation of each method by its name, where there is one that explains them."""

    def significance(self, asked: Asked, test: PairTest, sampling: Sampling) -> Significance | None:
        """Which runs can be told apart; None where nothing is known that could."""

    def swaps(self, asked: Asked, width: float | None = None) -> Swaps:
        """Pairs of runs that leaderboard and reference order differently."""


@dataclass(frozen=True)
class Graded:
    """A collection of grades or judgments: figures are computed."""

    snapshot: Snapshot
    basis: Basis = "grades"

    def series(self, bank: str | None = None) -> list[str]:
        """The grading modes of a bank, and those of whole passages."""
        wanted = {None, BankRef.parse(bank).name} if bank else set()
        return [mode for mode, banks in graded_banks(self.snapshot).items() if not wanted or wanted & set(banks)]

    def evaluation(self, asked: Asked) -> Evaluation:
        """What is asked for, completed and checked."""
        return choose(self.snapshot, asked)

    def of(self, asked: Asked) -> Evaluation:
        """What is asked for of its grader, as far as that one's labels go."""
        return of_series(self.snapshot, asked, asked.grader or "")[0]

    def question(self, asked: Asked) -> dict[str, Any]:
        """The options as used."""
        return question_of(self.snapshot, self.evaluation(asked))

    def boards(self, asked: Asked, at: Sequence[int] = ()) -> list[Leaderboard]:
        """A leaderboard for each tau."""
        return [leaderboard(self.snapshot, choice) for choice in self._at(asked, at)]

    def correlations(self, asked: Asked, at: Sequence[int] = ()) -> list[Correlated]:
        """A correlation for each tau."""
        return correlation.correlations_of(self.snapshot, self._at(asked, at))

    def compare(self, series: Sequence[str], asked: Asked) -> Comparison:
        """Grading modes side by side."""
        return comparison.of_modes(self.snapshot, series, asked)

    def correlate(self, series: Sequence[str], asked: Asked) -> list[Correlated]:
        """Of each mode that can be evaluated."""
        if asked.reference is None and find_reference(self.snapshot, None) is None:
            return []
        return comparison.correlations_of_modes(self.snapshot, series, asked)

    def standing(self, series: str, asked: Asked) -> pd.DataFrame:
        """With tests and draws over the queries."""
        return standing.standing(self.snapshot, self.of(asked.but(grader=series)))

    def swaps_of(self, series: str, asked: Asked) -> Swaps:
        """Of one grading mode."""
        return rank_swaps.rank_swaps(self.snapshot, self.of(asked.but(grader=series)))

    def agreement(self, asked: Asked, judgments: str = OFFICIAL) -> Agreement:
        """Of the labels of one grading mode."""
        labelling = choose_labelling(self.snapshot, asked)
        found = agreements.agreement(
            self.snapshot,
            labelling,
            tau=choose_tau(self.snapshot, labelling, asked.tau),
            relevant_from=asked.relevant_from,
            judgments=judgments,
        )
        bank = bank_name(self.snapshot, labelling.grading)
        return replace(found, bank=bank, grader=labelling.grading.grader, judgments=judgments)

    def agreement_grid(self, asked: Asked, judgments: str = OFFICIAL) -> AgreementGrid:
        """Of every tau, judgment cut and some label ranks."""
        labelling = choose_labelling(self.snapshot, asked)
        return AgreementGrid(
            agreements.agreement_grid(self.snapshot, labelling, judgments),
            agreements.grid_notes(self.snapshot, labelling, judgments),
            bank_name(self.snapshot, labelling.grading),
            labelling.grading.grader,
            judgments,
            labelling.written_map,
        )

    def grid(
        self,
        asked: Asked,
        measures: Sequence[Measure] = (),
        graders: Sequence[str] = (),
        at: Sequence[int] = TAUS,
        progress: Progress = no_progress,
    ) -> Grid:
        """Every grading mode, by default of every bank, under the papers' measures."""
        measures = measures or [Measure.parse(name) for name in DEFAULT_MEASURES]
        choices = grids.grid_choices(self.snapshot, asked, measures, graders)
        found = grids.grid(self.snapshot, choices, measures, taus=at, progress=progress)
        question = {"bank": asked.bank, "graders": list(graders) or None, "taus": list(at), **left_out(self.snapshot)}
        return replace(found, question=question | {name: getattr(asked, name) for name in RULES})

    def cutoffs(self, asked: Asked, sampling: Sampling, progress: Progress = no_progress) -> Cutoffs:
        """Of the taus that the grader has grades for."""
        return cutoff.cutoffs(
            self.snapshot,
            self.evaluation(asked),
            relevant_from=asked.relevant_from,
            draws=sampling.draws,
            splits=sampling.splits,
            seed=sampling.seed,
            progress=progress,
        )

    def outliers(
        self,
        asked: Asked,
        measures: Sequence[str],
        graders: Sequence[str],
        sampling: Sampling,
        progress: Progress = no_progress,
    ) -> tuple[Outliers, dict[str, Evaluation]]:
        """By every grading mode and measure, or by the judgments that are asked for."""
        notes: list[str] = []
        if asked.judgments:
            choices = [self.evaluation(asked.but(measure=measure)) for measure in measures]
        else:
            choices, notes = outliers.method_choices(self.snapshot, asked, measures, graders)
        found = outliers.outliers(self.snapshot, choices, draws=sampling.draws, seed=sampling.seed, progress=progress)
        found.notes.extend(notes)
        return found, dict(zip(outliers.named(choices), choices, strict=True))

    def significance(self, asked: Asked, test: PairTest, sampling: Sampling) -> Significance:
        """By tests over the queries."""
        return significance.significance(
            self.snapshot, self.evaluation(asked), test=test, draws=sampling.draws, seed=sampling.seed
        )

    def swaps(self, asked: Asked, width: float | None = None) -> Swaps:
        """With what a paired test tells apart."""
        return rank_swaps.rank_swaps(self.snapshot, self.evaluation(asked), width)

    def _at(self, asked: Asked, at: Sequence[int]) -> list[Evaluation]:
        first = self.evaluation(asked)
        return [replace(first, tau=tau) for tau in at] or [first]


@dataclass(frozen=True)
class Printed:
    """A collection of printed figures alone: leaderboards without values by query, and agreement tables."""

    snapshot: Snapshot
    basis: Basis = "print"

    def series(self, bank: str | None = None) -> list[str]:
        """The printed columns."""
        return columns.columns(self.snapshot)

    def banks(self) -> list[str]:
        """The banks that an agreement table is printed for."""
        return tables.banks(self.snapshot)

    def evaluation(self, asked: Asked) -> None:
        """Nothing: there is no value by query."""

    def of(self, asked: Asked) -> None:
        """Nothing, as `evaluation`."""

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
        """One printed column.

        Raises
        ------
        UsageError : there is no such column, or reference
        """
        if column not in (known := leaderboard_ids(self.snapshot)):
            raise UsageError(f"There is no printed column {column}. There are: {', '.join(known)}.")
        return columns.board(self.snapshot, column, reference)

    def boards(self, asked: Asked, at: Sequence[int] = ()) -> list[Leaderboard]:
        """The column of a measure and tau; at all taus, the one that there is."""
        self.question(asked)
        return [self.board(self._column(asked), asked.reference)]

    def correlations(self, asked: Asked, at: Sequence[int] = ()) -> list[Correlated]:
        """Of every column."""
        return correlation.of_boards(columns.boards(self.snapshot, asked.reference))

    def compare(self, series: Sequence[str], asked: Asked) -> Comparison:
        """Columns side by side, and the agreement tables."""
        boards = {name: self.board(name, asked.reference) for name in series}
        found, problems = {}, []
        for bank in tables.banks(self.snapshot):
            try:
                found[bank] = self.agreement(asked.but(bank=bank))
            except ExamboardError as error:
                problems.append(str(error))
        return comparison.of_boards(boards, found, problems)

    def correlate(self, series: Sequence[str], asked: Asked) -> list[Correlated]:
        """Of each column."""
        if asked.reference is None and find_reference(self.snapshot, None) is None:
            return []
        return [one for one in self.correlations(asked) if one.leaderboard in series]

    def standing(self, series: str, asked: Asked) -> pd.DataFrame:
        """With printed error bars."""
        return standing.of_board(self.board(series, asked.reference))

    def swaps_of(self, series: str, asked: Asked) -> Swaps:
        """Of one printed column."""
        other = needed_reference(self.snapshot, asked.reference)
        return rank_swaps.of_board(self.board(series, asked.reference), other)

    def residuals(self, series: str, asked: Asked, raw: bool = False) -> Residuals:
        """A printed column run by run, beside the reference."""
        other = needed_reference(self.snapshot, asked.reference)
        return residuals.of_board(self.snapshot, self.board(series, other.name), other, raw=raw)

    def versus(self, series_a: str, series_b: str) -> Versus:
        """Two printed columns beside each other."""
        return versus.of_boards(self.board(series_a), self.board(series_b))

    def run_pair(self, series: Sequence[str], run_a: str, run_b: str) -> pd.DataFrame:
        """Two runs on each printed column that has both."""
        return run_pair.of_boards([self.board(name) for name in series], run_a, run_b)

    def runs(self, series: Sequence[str]) -> list[str]:
        """The runs of printed columns, in the order of the first column that has them."""
        boards = [self.board(name).rows["run_id"] for name in series]
        return list(dict.fromkeys(run_id for board in boards for run_id in board))

    def agreement(self, asked: Asked, judgments: str = OFFICIAL) -> Agreement:
        """A printed table at a cut that it has."""
        self._refuse_map(asked)
        check_range("--tau", asked.tau, TAUS[0], TAUS[-1])
        tau = TAUS[-2] if asked.tau is None else asked.tau
        return tables.agreement(self.snapshot, bank=asked.bank, tau=tau, relevant_from=asked.relevant_from)

    def agreement_grid(self, asked: Asked, judgments: str = OFFICIAL) -> AgreementGrid:
        """Every cut that a printed table has."""
        self._refuse_map(asked)
        rows, notes = tables.agreement_grid(self.snapshot, bank=asked.bank)
        return AgreementGrid(rows, notes, asked.bank)

    def grid(
        self,
        asked: Asked,
        measures: Sequence[Measure] = (),
        graders: Sequence[str] = (),
        at: Sequence[int] = TAUS,
        progress: Progress = no_progress,
    ) -> Grid:
        """The cells that a leaderboard is printed for, by default of every printed measure."""
        found = taus.grid(self.snapshot, measures, bank=asked.bank, taus=at, reference=asked.reference)
        return replace(found, question={"bank": asked.bank, "taus": list(at)})

    def cutoffs(self, asked: Asked, sampling: Sampling, progress: Progress = no_progress) -> Cutoffs:
        """Of the taus that a leaderboard is printed for."""
        measure = Measure.parse(asked.measure)
        return taus.cutoffs(self.snapshot, measure, bank=asked.bank, reference=asked.reference)

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
        return outliers.of_boards(columns.boards(self.snapshot, asked.reference), other), {}

    def significance(self, asked: Asked, test: PairTest, sampling: Sampling) -> Significance | None:
        """By printed standard errors."""
        if self.snapshot.frame("leaderboards")["stderr"].isna().all():
            return None
        return significance.of_board(self.board(self._column(asked)))

    def swaps(self, asked: Asked, width: float | None = None) -> Swaps:
        """Of the column of a measure and tau."""
        other = needed_reference(self.snapshot, asked.reference)
        return rank_swaps.of_board(self.board(self._column(asked)), other, width)

    def _column(self, asked: Asked) -> str:
        return columns.find_column(self.snapshot, bank=asked.bank, measure=asked.measure, tau=asked.tau)

    def _refuse_map(self, asked: Asked) -> None:
        if asked.label_map is not None:
            raise UsageError(
                f"--label-map: {self.snapshot.collection} holds printed tables, whose labels can't be mapped. Leave it "
                "out."
            )


@lru_cache(maxsize=64)
def figures_of(snapshot: Snapshot) -> Graded | Printed:
    """A collection's figures: in print where there are printed ones, and nothing that could be evaluated."""
    return Printed(snapshot) if _is_printed(snapshot) else Graded(snapshot)


def question_of(snapshot: Snapshot, choice: Evaluation) -> dict[str, Any]:
    """What was asked, as the head of a JSON answer: the options as used."""
    labelling, grading = choice.labelling, choice.grading
    return {
        "collection": snapshot.collection,
        "bank": grading.bank_id,
        "grader": grading.grader,
        "judgments": grading.judgments,
        "measure": str(choice.measure),
        "tau": None if grading.judgments else choice.tau,
        "depth": labelling.depth,
        "label_rank": labelling.label_rank,
        **left_out(snapshot),
    }


def left_out(snapshot: Snapshot) -> dict[str, list[str]]:
    """The runs that were left out, as part of a question; nothing where none is."""
    return {"without": list(snapshot.left_out)} if snapshot.left_out else {}


def _is_printed(snapshot: Snapshot) -> bool:
    if any(_has(snapshot, table) for table in ("grades", "rankings", "judgments")):
        return False
    return _has(snapshot, "confusions") or bool(columns.columns(snapshot))


def _has(snapshot: Snapshot, table: str) -> bool:
    """Whether a table has a row."""
    if not snapshot.tables.get(table):
        return False
    return bool(snapshot.query(f"SELECT count(*) > 0 AS some FROM {table}")["some"].iloc[0])
