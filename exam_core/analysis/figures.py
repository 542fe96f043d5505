"""The figures of a collection, computed or printed, by one interface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from exam_core.analysis import agreement as agreements
from exam_core.analysis import comparison, outliers
from exam_core.analysis.agreement import Agreement, AgreementGrid
from exam_core.analysis.choice import Evaluation
from exam_core.analysis.choosing import choose, choose_labelling, choose_tau, evaluation_of, series_of, with_ensembles
from exam_core.analysis.comparison import Comparison, Correlated
from exam_core.analysis.grade_scales import about_decimals, about_scale
from exam_core.analysis.leaderboard import Leaderboard, bank_name, leaderboard, standing
from exam_core.analysis.outliers import Outliers
from exam_core.analysis.printed import is_printed
from exam_core.analysis.printed_figures import Printed
from exam_core.analysis.references import find_reference
from exam_core.analysis.unlabelled import measures_of
from exam_core.defaults import Sampling
from exam_core.measures import Measure
from exam_core.progress import Progress, no_progress
from exam_core.request import Request
from exam_core.store import Snapshot
from exam_core.store.names import BankRef
from exam_core.store.scales import scale
from exam_core.store.snapshot import cached_by_snapshot
from exam_core.tables import OFFICIAL


@dataclass(frozen=True)
class Graded:
    """A collection of grades or judgments: figures are computed.

    A *series* is a grading mode or a printed column. Methods raise UsageError where a request names something unknown.
    """

    snapshot: Snapshot

    @property
    def in_print(self) -> None:
        """None: nothing is printed."""

    def series(self, bank: str | None = None) -> list[str]:
        """The grading modes of a bank and of whole passages; the human judgments where there are none."""
        return series_of(self.snapshot, BankRef.parse(bank).name if bank else None)

    def evaluation(self, request: Request) -> Evaluation:
        """The evaluation that a request asks for."""
        return choose(self.snapshot, request)

    def of(self, request: Request) -> Evaluation:
        """The evaluation that a request asks for, with tau and label rank within those of its grader."""
        return evaluation_of(self.snapshot, request, request.grader or "")[0]

    def of_grades(self, request: Request) -> bool:
        """Whether the requested measure looks at grades, so that tau means something."""
        return Measure.parse(request.measure).info.of_grades

    def question(self, request: Request) -> dict[str, Any]:
        """The options as used."""
        return question_of(self.snapshot, self.evaluation(request))

    def boards(self, request: Request, at: Sequence[int] = ()) -> list[Leaderboard]:
        """A leaderboard for each tau."""
        return [leaderboard(self.snapshot, choice) for choice in self._at(request, at)]

    def correlations(self, request: Request, at: Sequence[int] = ()) -> list[Correlated]:
        """A correlation for each tau."""
        return comparison.correlations_of(self.snapshot, self._at(request, at))

    def compare(self, series: Sequence[str], request: Request, *, progress: Progress = no_progress) -> Comparison:
        """Grading modes side by side."""
        return comparison.of_modes(self.snapshot, series, request, progress=progress)

    def correlate(self, series: Sequence[str], request: Request) -> list[Correlated]:
        """Every coefficient of each mode that can be evaluated; none without a reference."""
        if request.reference is None and find_reference(self.snapshot, None) is None:
            return []
        return comparison.correlations_of_modes(self.snapshot, series, request)

    def standing(self, series: str, request: Request) -> pd.DataFrame:
        """A leaderboard's rows with tests and draws over the queries."""
        return standing(self.snapshot, self.of(request.of(series)))

    def agreement(self, request: Request, judgments: str = OFFICIAL) -> Agreement:
        """Agreement of the labels of one grading mode with judgments."""
        labelling = choose_labelling(self.snapshot, request)
        agreement = agreements.agreement(
            self.snapshot,
            labelling,
            tau=choose_tau(self.snapshot, labelling, request.tau),
            relevant_from=request.relevant_from,
            judgments=judgments,
        )
        grader = labelling.grading.grader
        own = scale(self.snapshot, grader or "")
        return replace(
            agreement,
            bank=bank_name(self.snapshot, labelling.grading),
            grader=grader,
            judgments=judgments,
            scale=own.largest,
            scale_from=own.source,
            notes=[
                *about_scale(self.snapshot, [str(grader)]),
                *about_decimals(self.snapshot, str(grader), agreement.tau),
                *agreement.notes,
            ],
        )

    def agreement_grid(self, request: Request, judgments: str = OFFICIAL) -> AgreementGrid:
        """Agreement at every tau, judgment cut and some label ranks."""
        labelling = choose_labelling(self.snapshot, request)
        return AgreementGrid(
            agreements.agreement_grid(self.snapshot, labelling, judgments),
            agreements.grid_notes(self.snapshot, labelling, judgments),
            bank_name(self.snapshot, labelling.grading),
            labelling.grading.grader,
            judgments,
            labelling.written_map,
        )

    def outliers(
        self,
        request: Request,
        measures: Sequence[str],
        graders: Sequence[str],
        sampling: Sampling,
        progress: Progress = no_progress,
    ) -> tuple[Outliers, dict[str, Evaluation]]:
        """Outliers by every grading mode and measure, or by the judgments of the request, and the methods' choices."""
        choices, notes = outliers.method_choices(self.snapshot, request, measures, graders)
        return self._outliers(choices, notes, sampling, progress)

    def other_measures(self, request: Request) -> list[str]:
        """The measures by which runs can be displaced, but for the requested one."""
        return [name for name in measures_of(self.snapshot) if name != Measure.parse(request.measure).name]

    def further_measures(self, request: Request) -> tuple[str, ...]:
        """Those of `other_measures` that are taken by default."""
        return ("P",) if "P" in self.other_measures(request) else ()

    def displaced(
        self, series: Sequence[str], request: Request, also: Sequence[str], *, progress: Progress = no_progress
    ) -> tuple[Outliers, dict[str, Evaluation]]:
        """Outliers by each series, evaluated as `compare` does, and each measure.

        `also` names measures beside the requested one, which are read to the same depth.
        """
        measures = [request.measure, *(str(Measure.at(name, request.depth)) for name in also)]
        graders = series if self.of_grades(request) else ()
        choices, notes = outliers.method_choices(self.snapshot, request, measures, graders, self.of)
        return self._outliers(choices, notes, Sampling(), progress)

    def _outliers(
        self, choices: Sequence[Evaluation], notes: Sequence[str], sampling: Sampling, progress: Progress
    ) -> tuple[Outliers, dict[str, Evaluation]]:
        result = outliers.outliers(self.snapshot, choices, draws=sampling.draws, seed=sampling.seed, progress=progress)
        result.notes.extend(notes)
        return result, dict(zip(outliers.method_titles(choices), choices, strict=True))

    def _at(self, request: Request, at: Sequence[int]) -> list[Evaluation]:
        first = self.evaluation(request)
        return [replace(first, tau=tau) for tau in at] or [first]


def question_of(snapshot: Snapshot, choice: Evaluation) -> dict[str, Any]:
    """The options as used, as the head of a JSON answer."""
    labelling, grading = choice.labelling, choice.grading
    return {
        "collection": snapshot.collection,
        "bank": grading.bank_id,
        "grader": grading.grader,
        "judgments": grading.judgments,
        "measure": str(choice.measure),
        "tau": choice.tau if choice.of_grades and not grading.judgments else None,
        "depth": labelling.depth,
        "label_rank": labelling.label_rank,
        **left_out(snapshot),
    }


def left_out(snapshot: Snapshot) -> dict[str, Any]:
    """The runs, and the queries' own documents, that were left out, as part of a question; empty where nothing was."""
    runs: dict[str, Any] = {"without": list(snapshot.left_out)} if snapshot.left_out else {}
    return runs if snapshot.own_documents else runs | {"own_document": "no"}


Figures = Graded | Printed


def figures_of(snapshot: Snapshot, *named: str | None) -> Figures:
    """A collection's figures: printed ones where there are some and nothing that could be evaluated, else computed.

    `named` are texts that may name ensembles, such as `majority(a,b,c)`, which `figures.snapshot` then has, too. Raises
    UsageError where one of them can't be made.
    """
    return _kept(with_ensembles(snapshot, filter(None, named)))


@cached_by_snapshot(64)
def _kept(snapshot: Snapshot) -> Figures:
    return Printed(snapshot) if is_printed(snapshot) else Graded(snapshot)
