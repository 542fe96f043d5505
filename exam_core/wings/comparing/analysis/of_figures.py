"""Comparisons of a collection's figures, computed or printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from exam_core.analysis.evaluation.choice import TAUS
from exam_core.analysis.evaluation.references import needed_reference
from exam_core.analysis.figures import Figures
from exam_core.analysis.figures.graded_figures import left_out
from exam_core.analysis.figures.printed_figures import Printed
from exam_core.asked import Asked
from exam_core.defaults import DEFAULT_MEASURES, Sampling
from exam_core.measures import Measure
from exam_core.progress import Progress, no_progress
from exam_core.wings.comparing.analysis import in_print, rank_swaps, residuals, run_pair, versus
from exam_core.wings.comparing.analysis import mode_grid as grids
from exam_core.wings.comparing.analysis import tau_comparison as cutoffs
from exam_core.wings.comparing.analysis.mode_grid import Grid
from exam_core.wings.comparing.analysis.rank_swaps import Swaps
from exam_core.wings.comparing.analysis.residuals import Residuals
from exam_core.wings.comparing.analysis.tau_comparison import Cutoffs
from exam_core.wings.comparing.analysis.versus import Versus

RULES = ("depth", "label_rank", "label_map", "missing", "order", "ncover_pool", "rounded")
"""Rules that every grading mode of a grid is evaluated by."""


def swaps_of(figures: Figures, asked: Asked, series: str | None = None, width: float | None = None) -> Swaps:
    """Pairs of runs that a grading mode, or a printed column, and the reference order differently.

    Parameters
    ----------
    series : None takes what is asked for as it is
    width : of the histogram's bins
    """
    if isinstance(figures, Printed):
        other = needed_reference(figures.snapshot, asked.reference)
        return rank_swaps.of_board(figures.board(series or figures.column(asked)), other, width)
    choice = figures.evaluation(asked) if series is None else figures.of(asked.of(series))
    return rank_swaps.rank_swaps(figures.snapshot, choice, width)


def columns_beside(figures: Printed, column_a: str, column_b: str) -> Versus:
    """Two printed columns beside each other."""
    return versus.of_boards(figures.board(column_a), figures.board(column_b))


def runs_beside(figures: Printed, columns: Sequence[str], run_a: str, run_b: str) -> pd.DataFrame:
    """Two runs on each printed column that has both."""
    return run_pair.of_boards([figures.board(name) for name in columns], run_a, run_b)


def residuals_of(figures: Figures, series: str, asked: Asked, *, raw: bool = False) -> Residuals:
    """A grading mode, or a printed column, run by run beside the reference."""
    if isinstance(figures, Printed):
        other = needed_reference(figures.snapshot, asked.reference)
        return residuals.of_board(figures.snapshot, figures.board(series, other.name), other, raw=raw)
    return residuals.residuals(figures.snapshot, figures.of(asked.of(series)), raw=raw)


def grid_of(
    figures: Figures,
    asked: Asked,
    measures: Sequence[Measure] = (),
    graders: Sequence[str] = (),
    at: Sequence[int] = TAUS,
    progress: Progress = no_progress,
) -> Grid:
    """Every grading mode, by default of every bank, under the papers' measures; of print, the cells that it has."""
    snapshot = figures.snapshot
    if isinstance(figures, Printed):
        found = in_print.grid(snapshot, measures, bank=asked.bank, taus=at, reference=asked.reference)
        return replace(found, question={"bank": asked.bank, "taus": list(at)})
    measures = measures or [Measure.parse(name) for name in DEFAULT_MEASURES]
    found = grids.grid(
        snapshot, grids.grid_choices(snapshot, asked, measures, graders), measures, taus=at, progress=progress
    )
    question = {"bank": asked.bank, "graders": list(graders) or None, "taus": list(at), **left_out(snapshot)}
    return replace(found, question=question | {name: getattr(asked, name) for name in RULES})


def cutoffs_of(
    figures: Figures,
    asked: Asked,
    sampling: Sampling,
    progress: Progress = no_progress,
    *,
    series: str | None = None,
) -> Cutoffs:
    """Of the taus that the grader has grades for, or that a leaderboard is printed for.

    Parameters
    ----------
    series : evaluated as far as its labels go; None takes what is asked for as it is
    """
    if isinstance(figures, Printed):
        measure = Measure.parse(asked.measure)
        return in_print.cutoffs(figures.snapshot, measure, bank=asked.bank, reference=asked.reference)
    return cutoffs.cutoffs(
        figures.snapshot,
        figures.evaluation(asked) if series is None else figures.of(asked.of(series).but(tau=None)),
        relevant_from=asked.relevant_from,
        draws=sampling.draws,
        splits=sampling.splits,
        seed=sampling.seed,
        progress=progress,
    )
