"""The lines below tables of nugget scores."""

from __future__ import annotations

from exam_core.analysis.bank.importance import ImportanceEffect
from exam_core.analysis.bank.nuggets import Nuggets
from exam_core.reports.tables import as_text

SHOWN = 20
"""Odd labels below a table; JSON has them all."""


def nuggets_lines(found: Nuggets) -> list[str]:
    """Odd labels, and notes."""
    lines = list(found.notes)
    if len(found.dirty):
        lines += ["", "Labels that are none of the three:", as_text(found.dirty.head(SHOWN), "table")]
        if len(found.dirty) > SHOWN:
            lines.append(f"... and {len(found.dirty) - SHOWN:,} more; --format json has all.")
    return lines


def variability_lines(found: ImportanceEffect) -> list[str]:
    """How far the leaderboards of other labels are from the one as it is."""
    lines = ["Kendall's tau-b with the leaderboard as it is:", as_text(found.variants, "table")]
    return [*lines, f"{found.draws:,} shuffles of vital and okay within each query, seed {found.seed}.", *found.notes]
