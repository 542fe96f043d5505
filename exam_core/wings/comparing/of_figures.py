"""Taus, residuals, swaps and comparisons of a collection, computed or printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from exam_core.analysis.choice import TAUS, Evaluation
from exam_core.analysis.figures import Figures, left_out
from exam_core.analysis.leaderboard import Leaderboard
from exam_core.analysis.printed import boards, facts
from exam_core.analysis.printed_figures import Printed
from exam_core.analysis.references import about_left_out, find_reference, needed_reference, no_reference, pair_with
from exam_core.analysis.scope import scope_of
from exam_core.analysis.values import Values
from exam_core.defaults import DEFAULT_MEASURES, Sampling
from exam_core.errors import ExamboardError
from exam_core.measures import Measure
from exam_core.numbers.arrays import Floats, Ints
from exam_core.numbers.means import mean_and_stderr
from exam_core.numbers.rank_correlations import Correlations, correlations
from exam_core.numbers.resampling import bootstrap_means
from exam_core.progress import Progress, no_progress
from exam_core.request import Request
from exam_core.store import Snapshot
from exam_core.wings.comparing import cutoffs, residuals, swaps, two_boards
from exam_core.wings.comparing import grid as grids
from exam_core.wings.comparing.cutoffs import COEFFICIENTS, CUTOFFS, Cutoffs, typed_rows
from exam_core.wings.comparing.grid import GRID, NOT_PRINTED, Grid, cell, styled_grid
from exam_core.wings.comparing.residuals import Residuals
from exam_core.wings.comparing.swaps import Swaps
from exam_core.wings.comparing.two_boards import Versus


def grid(
    snapshot: Snapshot,
    measures: Sequence[Measure] = (),
    *,
    bank: str | None = None,
    taus: Sequence[int] = TAUS,
    reference: str | None = None,
) -> Grid:
    """The cells that a printed collection prints a leaderboard for, of all banks by default; other cells are NaN.

    Raises UsageError where there is no such reference.
    """
    known = boards(snapshot, reference)
    names = [str(measure) for measure in measures] or list(dict.fromkeys(board.measure for board in known))
    cells = {
        (*_mode_of(snapshot, board), board.measure): board
        for board in known
        if board.measure in names and bank in (None, board.bank) and (board.tau is None or board.tau in taus)
    }
    modes = dict.fromkeys(cell[:3] for cell in cells)
    rows = [_row(mode, name, cells.get((*mode, name))) for mode in modes for name in names]
    notes = ["All figures are printed in papers; a cell without a printed leaderboard is undefined."]
    if not rows:
        notes = [f"None of these figures is printed. Printed are: {'; '.join(board.title for board in known)}."]
    return styled_grid(snapshot.collection, reference, measures or names, GRID.of(rows), notes)


def _mode_of(snapshot: Snapshot, board: Leaderboard) -> tuple[str | None, str | None, float | None]:
    """Bank, what is said of the grading, and tau of a printed column; a column of which nothing is known is its own."""
    if board.bank is None:
        return None, board.title, None
    return board.bank, facts(snapshot, board.title).grading, board.tau


def _row(mode: Sequence[Any], measure: str, board: Leaderboard | None) -> dict[str, Any]:
    if board is None or board.correlation is None:
        return cell(mode, measure, why=NOT_PRINTED)
    return cell(mode, measure, board.correlation.spearman, board.correlation.kendall, board.correlation.n)


def printed_cutoffs(
    snapshot: Snapshot, measure: Measure, *, bank: str | None = None, reference: str | None = None
) -> Cutoffs:
    """The correlations of the taus that a printed collection prints a leaderboard for; all else is NaN.

    Raises UsageError: no such reference; ExamboardError: the measure is not printed for the bank, or for several banks.
    """
    known = boards(snapshot, reference)
    mine = [board for board in known if board.measure == str(measure) and bank in (None, board.bank)]
    by_tau = {board.tau: board for board in mine if board.tau}
    if not mine or len(by_tau) < sum(board.tau is not None for board in mine):
        what = " ".join(filter(None, (bank, str(measure))))
        many = "is printed for more than one bank" if mine else "is not printed"
        listed = "; ".join(board.title for board in known)
        raise ExamboardError(f"{what} {many} in {snapshot.collection}. Printed are: {listed}.")
    rows = pd.DataFrame({"tau": TAUS}).reindex(columns=CUTOFFS.names)
    for row, tau in enumerate(TAUS):
        result = by_tau[tau].correlation if tau in by_tau else None
        for name in (*COEFFICIENTS, "n") if result else ():
            rows.loc[row, name] = getattr(result, name)
    taus = " and ".join(str(tau) for tau in sorted(by_tau))
    notes = [
        f"Only tau {taus} is printed; without grades and queries there is no other tau, interval or recommendation."
    ]
    if not by_tau:
        notes = ["No tau is printed; without grades and queries there is none to compare."]
    return Cutoffs(
        snapshot.collection,
        " ".join(filter(None, (bank, str(measure)))),
        str(measure),
        mine[0].reference,
        typed_rows(rows, None),
        notes=notes + [f"{board.title} is printed without a tau and left out." for board in mine if not board.tau],
    )


RULES = ("depth", "label_rank", "label_map", "missing", "order", "ncover_pool", "rounded")
"""Rules that every grading mode of a grid is evaluated by."""


def swaps_of(figures: Figures, request: Request, series: str | None = None, width: float | None = None) -> Swaps:
    """Pairs of runs that a grading mode, or a printed column, and the reference order differently.

    Without `series` the request is taken as it is; `width` is that of the histogram's bins.
    """
    if isinstance(figures, Printed):
        other = needed_reference(figures.snapshot, request.reference)
        return swaps.of_board(figures.board(series or figures.column(request)), other, width)
    choice = figures.evaluation(request) if series is None else figures.of(request.of(series))
    return swaps.rank_swaps(figures.snapshot, choice, width)


def columns_beside(figures: Printed, column_a: str, column_b: str) -> Versus:
    """Two printed columns beside each other."""
    return two_boards.of_boards(figures.board(column_a), figures.board(column_b))


def residuals_of(figures: Figures, series: str, request: Request, *, raw: bool = False) -> Residuals:
    """A grading mode, or a printed column, run by run beside the reference."""
    if isinstance(figures, Printed):
        other = needed_reference(figures.snapshot, request.reference)
        return residuals.of_board(figures.snapshot, figures.board(series, other.name), other, raw=raw)
    return residuals.residuals(figures.snapshot, figures.of(request.of(series)), raw=raw)


def grid_of(
    figures: Figures,
    request: Request,
    measures: Sequence[Measure] = (),
    graders: Sequence[str] = (),
    at: Sequence[int] = TAUS,
    progress: Progress = no_progress,
) -> Grid:
    """Every grading mode, by default of every bank, under the papers' measures; of print, the cells that it has."""
    snapshot = figures.snapshot
    if isinstance(figures, Printed):
        result = grid(snapshot, measures, bank=request.bank, taus=at, reference=request.reference)
        return replace(result, question={"bank": request.bank, "taus": list(at)})
    measures = measures or [Measure.parse(name) for name in DEFAULT_MEASURES]
    result = grids.grid(
        snapshot, grids.grid_choices(snapshot, request, measures, graders), measures, taus=at, progress=progress
    )
    question = {"bank": request.bank, "graders": list(graders) or None, "taus": list(at), **left_out(snapshot)}
    return replace(result, question=question | {name: getattr(request, name) for name in RULES})


def cutoffs_of(
    figures: Figures,
    request: Request,
    sampling: Sampling,
    progress: Progress = no_progress,
    *,
    series: str | None = None,
) -> Cutoffs:
    """Of the taus that the grader has grades for, or that a leaderboard is printed for.

    `series`: evaluated as far as its labels go; None takes what is asked for as it is.
    """
    if isinstance(figures, Printed):
        measure = Measure.parse(request.measure)
        return printed_cutoffs(figures.snapshot, measure, bank=request.bank, reference=request.reference)
    return cutoffs.cutoffs(
        figures.snapshot,
        figures.evaluation(request) if series is None else figures.of(request.of(series).but(tau=None)),
        relevant_from=request.relevant_from,
        draws=sampling.draws,
        splits=sampling.splits,
        seed=sampling.seed,
        progress=progress,
    )


ITSELF = "leaderboard"
"""What a redrawn leaderboard is compared with besides the reference: the leaderboard as it is."""


@dataclass(frozen=True)
class ReferenceBoard:
    """A leaderboard to compare redrawn ones with, over the n runs that both have.

    `runs` (n,) are rows of the values, `fixed` (n,) scores, and `by_query` (n, Q) values on the same queries, where the
    leaderboard was computed here.
    """

    name: str
    runs: Ints
    fixed: Floats
    by_query: Floats | None = None

    def over(self, means: Floats, counts: Ints | None, which: Sequence[str]) -> Correlations:
        """Coefficients of (draws, R) means; the reference's queries are drawn along where it has them."""
        along = counts is not None and self.by_query is not None
        truth = bootstrap_means(self.by_query, counts) if along else self.fixed  # type: ignore[arg-type]
        return correlations(means[:, self.runs], truth, which)


def boards_to_compare(snapshot: Snapshot, choice: Evaluation, values: Values) -> list[ReferenceBoard]:
    """The reference, if there is one, and the leaderboard as it is; over the runs that have a mean."""
    mean, _, _ = mean_and_stderr(values.values)
    has_mean = ~np.isnan(mean)
    runs = np.flatnonzero(has_mean)
    itself = ReferenceBoard(ITSELF, runs, mean[runs])
    result = find_reference(snapshot, choice.reference, choice)
    if result is None:
        return [itself]
    both = pair_with(values, result)
    rows = np.flatnonzero(np.isin(values.run_ids, both.run_ids))
    known = has_mean[rows]
    by_query = None if both.reference_values is None else both.reference_values[known]
    return [ReferenceBoard(result.name, rows[known], both.order[known], by_query), itself]


def about_reference(snapshot: Snapshot, choice: Evaluation, others: Sequence[ReferenceBoard], n_runs: int) -> list[str]:
    """What a reader must know of what can't be read, and of the reference."""
    notes = scope_of(snapshot, choice).about_unreadable()
    if len(others) == 1:
        return [*notes, no_reference(snapshot)]
    return notes + about_left_out(n_runs - len(others[0].runs), n_runs, others[0].name)
