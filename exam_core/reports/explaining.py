"""The lines below tables of outliers."""

from __future__ import annotations

import pandas as pd

from exam_core.analysis.displacement.explanation import Explanation
from exam_core.analysis.displacement.outliers import ALL, ALPHA, Outliers
from exam_core.reports.tables import as_text, written

SHOWN = 20
"""Rows of a second table; JSON has them all."""
OVER = {"questions": "methods over questions", "labels": "methods over labels", ALL: "all methods"}


def outliers_lines(found: Outliers) -> list[str]:
    """The methods together, and notes."""
    lines = [f"Displacement = rank in {found.reference} - own rank; promoted runs are positive."]
    if found.draws:
        lines.append(
            f"95% intervals over {found.draws:,} bootstrap samples of the queries, seed {found.seed}; flagged: "
            f"Holm p < {ALPHA}."
        )
    for name, rows in found.combined.groupby("over", sort=False):
        lines += ["", f"Mean displacement over {OVER[str(name)]} ({rows['n_methods'].iloc[0]}):"]
        lines += first_rows(rows.drop(columns=["over", "n_methods"]))
        for word, sign in (("Higher", 1), ("Lower", -1)):
            same = rows[rows["agree"] & (sign * rows["rank_displacement"] > 0)]
            lines.append(f"{word} than {found.reference} by every method: {', '.join(same['run_id']) or 'no run'}.")
    return [*lines, *([""] if found.notes else []), *found.notes]


def explanation_lines(found: Explanation) -> list[str]:
    """What tells a run from its neighbours, as tables."""
    moved = written(found.rank_displacement, "+g")
    lines = [
        "",
        f"{found.run_id} by {found.method}: displaced by {moved} against {found.reference}.",
        f"Its neighbours there: {', '.join(found.neighbours) or 'none'}.",
        "",
        "Queries that contribute most:",
        *first_rows(_contributing(found)),
    ]
    if len(found.questions):
        lines += [
            "",
            "Questions that it answers and most neighbours don't, or the reverse:",
            *first_rows(found.questions),
        ]
    if len(found.passages):
        lines += [
            "",
            "Passages that explain it:",
            *first_rows(found.passages.assign(text=found.passages["text"].map(_short))),
        ]
    return lines + found.notes


def _contributing(found: Explanation) -> pd.DataFrame:
    """The queries that add to the displacement; of a run that is not displaced, all where it differs."""
    share = found.queries["contribution"]
    moved = found.rank_displacement
    return found.queries[share * moved > 0 if moved == moved and moved else share != 0]


def first_rows(rows: pd.DataFrame) -> list[str]:
    """The first rows as a table, and how many there are more."""
    more = [f"... and {len(rows) - SHOWN:,} more; --format json has all."] if len(rows) > SHOWN else []
    return [as_text(rows.head(SHOWN), "table"), *more]


def _short(text: object) -> object:
    """The beginning of a text that fits a line of a table."""
    return " ".join(text.split())[:60] if isinstance(text, str) else text
