"""The lines below tables of outliers."""

from __future__ import annotations

from exam_core.analysis.displacement.outliers import ALL, Outliers
from exam_core.analysis.shared_columns import FLAGGED
from exam_core.reports.tables import first_rows

OVER = {"questions": "methods over questions", "labels": "methods over labels", ALL: "all methods"}


def outliers_lines(found: Outliers) -> list[str]:
    """The methods together, and notes."""
    lines = [f"Displacement = rank in {found.reference} - own rank; promoted runs are positive."]
    if found.draws:
        lines.append(
            f"95% intervals over {found.draws:,} bootstrap samples of the queries, seed {found.seed}. {FLAGGED.help}"
        )
    for name, rows in found.combined.groupby("over", sort=False):
        lines += ["", f"Mean displacement over {OVER[str(name)]} ({rows['n_methods'].iloc[0]}):"]
        lines += first_rows(rows.drop(columns=["over", "n_methods"]))
        for word, sign in (("Higher", 1), ("Lower", -1)):
            same = rows[rows["agree"] & (sign * rows["rank_displacement"] > 0)]
            lines.append(f"{word} than {found.reference} by every method: {', '.join(same['run_id']) or 'no run'}.")
    return [*lines, *([""] if found.notes else []), *found.notes]
