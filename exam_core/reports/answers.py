"""Analyses as the objects of the command line's JSON contract."""

from __future__ import annotations

from typing import Any

from exam_core.analysis.agreement import Agreement
from exam_core.analysis.leaderboard import Leaderboard

ROW_FIELDS = (
    "run_id",
    "mean",
    "stderr",
    "n_queries",
    "normalised",
    "normalised_stderr",
    "rank",
    "reference_rank",
)


def leaderboard_answer(board: Leaderboard) -> dict[str, Any]:
    """A leaderboard as one JSON object."""
    correlation = {}
    if board.correlation and board.reference:
        found = board.correlation
        correlation = {board.reference: {"spearman": found.spearman, "kendall": found.kendall, "n": found.n}}
    ungraded = None
    if board.ungraded:
        ungraded = {
            "pairs": board.ungraded.pairs,
            "slots_missing": board.ungraded.slots_missing,
            "share_at_depth": board.ungraded.share_at_depth,
        }
    return {
        "collection": board.collection,
        "bank": board.bank,
        "grader": board.grader,
        "measure": board.measure,
        "tau": board.tau,
        "tau_applies": board.tau_applies,
        "depth": board.depth,
        "label_rank": board.label_rank,
        **board.rules,
        "rows": board.rows[list(ROW_FIELDS)],
        "overall": board.overall and {"mean": board.overall[0], "stderr": board.overall[1]},
        "correlation": correlation,
        "ungraded": ungraded,
        "notes": board.notes,
    }


def correlation_answer(boards: list[Leaderboard]) -> list[dict[str, Any]]:
    """Correlations of leaderboards with their references, an object each."""
    return [
        {
            "leaderboard": board.title,
            "reference": board.reference,
            "n": board.correlation.n,
            "spearman": board.correlation.spearman,
            "kendall": board.correlation.kendall,
            "spearman_interval": None,
            "kendall_interval": None,
        }
        for board in boards
        if board.correlation
    ]


def agreement_answer(found: Agreement) -> dict[str, Any]:
    """An agreement table as one JSON object."""
    return {
        "tau": found.tau,
        "relevant_from": found.relevant_from,
        "label_rank": found.label_rank,
        "confusion": found.confusion,
        "graded": found.graded,
        "kappa": found.kappa,
        "kappa_interval": None,
        "n": found.n,
        "notes": found.notes,
    }
