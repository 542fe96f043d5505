"""What can be asked of a collection, whether its figures are computed from grades or stand in print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import pandas as pd

from exam_core.analysis.beside.comparison import Comparison
from exam_core.analysis.beside.correlation import Correlated
from exam_core.analysis.beside.grid import Grid
from exam_core.analysis.beside.rank_swaps import Swaps
from exam_core.analysis.causes.circularity import Circularity
from exam_core.analysis.causes.outliers import Outliers
from exam_core.analysis.chance.cutoffs import Cutoffs
from exam_core.analysis.chance.fidelity import Fidelity
from exam_core.analysis.chance.significance import Significance
from exam_core.analysis.evaluation.choice import TAUS, Evaluation
from exam_core.analysis.evaluation.leaderboard import Leaderboard
from exam_core.analysis.judges.agreement import Agreement, AgreementGrid
from exam_core.analysis.judges.votes import Votes
from exam_core.asked import Asked, PairTest
from exam_core.defaults import DRAWS, SEED, SPLITS
from exam_core.measures import Measure
from exam_core.progress import Progress, no_progress
from exam_core.store import Snapshot
from exam_core.tables import OFFICIAL

Basis = Literal["grades", "print"]


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

    @property
    def snapshot(self) -> Snapshot:
        """The collection."""

    @property
    def basis(self) -> Basis:
        """What the figures come from."""

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

    def circularity(
        self, asked: Asked, measures: Sequence[str], graders: Sequence[str], tags: Sequence[str], sampling: Sampling
    ) -> Circularity | None:
        """Displacement of tagged against other runs by every method; None where there are no values by query."""

    def significance(self, asked: Asked, test: PairTest, sampling: Sampling) -> Significance | None:
        """Which runs can be told apart; None where nothing is known that could."""

    def fidelity(self, asked: Asked, test: PairTest, sampling: Sampling, top: int) -> Fidelity | None:
        """Pairs of runs that leaderboard and reference tell apart; None where there are no values by query."""

    def votes(
        self,
        asked: Asked,
        graders: Sequence[str],
        sampling: Sampling,
        judgments: str = OFFICIAL,
        progress: Progress = no_progress,
    ) -> Votes | None:
        """What grading modes are worth together, by default those of `voters`; None where there are no labels."""

    def swaps(self, asked: Asked, width: float | None = None) -> Swaps:
        """Pairs of runs that leaderboard and reference order differently."""
