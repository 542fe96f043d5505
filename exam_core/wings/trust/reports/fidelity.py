"""Fidelity of significance in words."""

from __future__ import annotations

from exam_core.analysis.uncertainty.significance import ALPHA
from exam_core.reports.stability_lines import CRITERIA
from exam_core.reports.tables import written
from exam_core.wings.trust.analysis.fidelity import Fidelity

WORDS = {
    "both": "both, in the same order",
    "opposite": "both, in opposite orders",
    "reference_only": "the reference alone",
    "board_only": "the grader alone",
    "neither": "neither",
}
"""By which side a pair differs significantly, as charts, tables and sentences say it."""


def fidelity_lines(found: Fidelity) -> list[str]:
    """Which pairs differ significantly by either side, and how both order the best runs, in sentences."""
    [row] = found.rows[found.rows["adjustment"] == "Holm"].to_dict("records")
    parts = [f"{row[name]:,} by {WORDS[name]}" for name in WORDS if name != "neither"]
    return [
        f"Of {row['pairs']:,} pairs of {found.n} runs, {row['reference']:,} differ significantly by {found.reference} "
        f"and {row['board']:,} by {found.title} ({CRITERIA[f'{found.test}_holm']}, p < {ALPHA}, over {found.queries} "
        f"queries): {'; '.join(parts)}.",
        f"Kendall's tau of the two is {written(found.kendall)} over all {found.n} runs, and "
        f"{written(found.kendall_top)} among the best {found.top} by the reference.",
    ]
