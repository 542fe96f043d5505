"""Analyses as the objects of the command line's JSON contract."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from exam_core.analysis.agreement import Agreement, AgreementGrid
from exam_core.analysis.comparison import Correlated
from exam_core.analysis.leaderboard import Leaderboard
from exam_core.numbers.rank_correlations import COEFFICIENTS
from exam_core.results import attributes


def shown_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """A leaderboard's rows for a reader: without what is 0 for every run, or not known of any."""
    return rows if rows["unanswered"].gt(0).any() else rows.drop(columns="unanswered")


def leaderboard_answer(board: Leaderboard) -> dict[str, Any]:
    """A leaderboard as one JSON object."""
    correlation = {}
    if board.correlation and board.reference:
        result = board.correlation
        correlation = {board.reference: {"spearman": result.spearman, "kendall": result.kendall, "n": result.n}}
    counts = ("pairs", "unreadable", "slots_missing", "slots_empty", "share_at_depth")
    ungraded = {name: getattr(board.ungraded, name, None) for name in counts}
    request = ("bank", "grader", "judgments", "measure", "tau", "tau_applies", "depth", "label_rank")
    return {
        **attributes(board, "collection", "title", *request),
        **board.rules,
        "rows": board.table.of(board.rows),
        "overall": board.overall and {"mean": board.overall[0], "stderr": board.overall[1]},
        "correlation": correlation,
        "ungraded": ungraded if board.ungraded or board.fits_nobody else None,
        "notes": board.notes,
    }


def correlation_answer(correlations: Sequence[Correlated]) -> list[dict[str, Any]]:
    """Correlations of leaderboards with their references, an object each; an interval that can't be told is null."""
    return [
        {
            "leaderboard": row.leaderboard,
            "reference": row.reference,
            "n": row.correlation.n,
            **coefficients_of(row),
            "notes": row.notes,
        }
        for row in correlations
    ]


def coefficients_of(row: Correlated) -> dict[str, Any]:
    """Every coefficient, then their intervals, then their values corrected for noise."""
    return {
        **attributes(row.correlation, *COEFFICIENTS),
        **{f"{name}_interval": interval(row.intervals.get(name)) for name in COEFFICIENTS},
        **{f"{name}_middle": row.middles.get(name) for name in COEFFICIENTS},
    }


def interval(ends: tuple[float, float] | None) -> list[float] | None:
    """An interval as [low, high]; None where it is undefined."""
    return None if ends is None or any(map(math.isnan, ends)) else [float(end) for end in ends]


AGREED = (
    *("bank", "grader", "judgments", "tau", "relevant_from", "label_rank", "label_map", "scale", "scale_from"),
    *("confusion", "graded", "kappa", "kappa_interval", "n", "multiclass_kappa", "linear_kappa", "quadratic_kappa"),
    *("krippendorff_alpha", "precision", "recall", "f1", "observed_agreement", "gwet_ac1", "pabak"),
)
"""What JSON has of an agreement table, in this order."""


def agreement_answer(agreement: Agreement, *, collection: str, per_query: bool = False) -> dict[str, Any]:
    """An agreement table as one JSON object with what was asked at its head; with `per_query`, each query's row too."""
    notes = {"notes": [*agreement.notes, *agreement.scale_notes]}
    return {"collection": collection} | attributes(agreement, *AGREED) | notes | listed(agreement, per_query=per_query)


def grid_answer(agreement_grid: AgreementGrid, *, collection: str) -> dict[str, Any]:
    """Agreement at every cut as one JSON object; the question names the cuts that there are."""
    fields: dict[str, Any] = {"collection": collection}
    fields |= attributes(agreement_grid, "bank", "grader", "judgments", "label_map")
    cuts = ("tau", "relevant_from", "label_rank")
    fields |= {name: sorted(agreement_grid.rows[name].dropna().unique().tolist()) for name in cuts}
    return {**fields, "rows": agreement_grid.rows, "notes": agreement_grid.notes}


def listed(result: Any, **wanted: bool) -> dict[str, Any]:
    """The further rows of a result that are asked for."""
    return attributes(result, *(name for name, item in wanted.items() if item))
