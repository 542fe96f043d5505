"""Nugget scores as the objects of the command line, and the lines below their tables."""

from __future__ import annotations

from typing import Any

from exam_core.analysis.bank.nuggets import Nuggets
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
