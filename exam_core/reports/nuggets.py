"""Nugget scores and citations as the objects of the command line, and the lines below their tables."""

from __future__ import annotations

from typing import Any

from exam_core.analysis.bank.importance import ImportanceEffect
from exam_core.analysis.bank.nuggets import Nuggets
from exam_core.analysis.generated.citations import Citations
from exam_core.analysis.generated.support import Support
from exam_core.reports.tables import as_text

SHOWN = 20
"""Odd labels below a table; JSON has them all."""


def nuggets_answer(question: dict[str, Any], found: Nuggets, *, per_query: bool = False) -> dict[str, Any]:
    """Nugget scores as one JSON object, with the labels that are none of the three; per query too where asked for."""
    answer = {**question, "rows": found.rows, "dirty": found.dirty}
    return answer | ({"queries": found.queries} if per_query else {}) | {"notes": found.notes}


def nuggets_lines(found: Nuggets) -> list[str]:
    """Odd labels, and notes."""
    lines = list(found.notes)
    if len(found.dirty):
        lines += ["", "Labels that are none of the three:", as_text(found.dirty.head(SHOWN), "table")]
        if len(found.dirty) > SHOWN:
            lines.append(f"... and {len(found.dirty) - SHOWN:,} more; --format json has all.")
    return lines


def variability_answer(question: dict[str, Any], found: ImportanceEffect) -> dict[str, Any]:
    """What the order of runs owes to importance as one JSON object."""
    return {
        **question,
        "strict": found.strict,
        "draws": found.draws,
        "seed": found.seed,
        "rows": found.rows,
        "variants": found.variants,
        "notes": found.notes,
    }


def variability_lines(found: ImportanceEffect) -> list[str]:
    """How far the leaderboards of other labels are from the one as it is."""
    lines = ["Kendall's tau-b with the leaderboard as it is:", as_text(found.variants, "table")]
    return [*lines, f"{found.draws:,} shuffles of vital and okay within each query, seed {found.seed}.", *found.notes]


def support_answer(question: dict[str, Any], found: Support, *, claims: bool = False) -> dict[str, Any]:
    """What a grader says of citations as one JSON object; with every citation where asked for."""
    answer = {**question, "rows": found.rows}
    return answer | ({"citations": found.citations} if claims else {}) | {"notes": found.notes}


def citations_answer(question: dict[str, Any], found: Citations, *, claims: bool = False) -> dict[str, Any]:
    """Support of citations as one JSON object; with every claim where asked for."""
    answer = {**question, "tau": found.tau, "rows": found.rows}
    return answer | ({"claims": found.claims} if claims else {}) | {"notes": found.notes}
