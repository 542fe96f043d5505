"""Generated answers in sentences: their ranks, and the lines below tables of nugget scores."""

from __future__ import annotations

import pandas as pd

from exam_core.reports.tables import as_text
from exam_core.wings.neighbours.analysis.importance import ImportanceEffect
from exam_core.wings.neighbours.analysis.nrp_scores import NrpFound
from exam_core.wings.neighbours.analysis.nuggets import Nuggets
from exam_core.wings.neighbours.charts.nugget_scores import scores_alternative
from exam_core.wording import counted, number


def highest(found: NrpFound) -> str:
    """Which system's answers rank highest over all prompts, and which lowest."""
    best, last = found.systems.iloc[0], found.systems.iloc[-1]
    below = f"; lowest are those of {last['system']}, {number(last['mean'], '.3f')}" if len(found.systems) > 1 else ""
    ends = f" (95% interval {number(best['low'], '.3f')} to {number(best['high'], '.3f')})"
    return (
        f"Answers of {best['system']} rank highest among the judged documents: NRP {number(best['mean'], '.3f')}{ends} "
        f"over {counted({'queries': best['n_queries']})}{below}."
    )


ODD_LABELS = (
    "Unknown labels (not support, partial_support or not_support). A nugget with no other label counts as not found:"
)
SHOWN = 20
"""Odd labels below a table; JSON has them all."""


def nuggets_lines(found: Nuggets) -> list[str]:
    """Odd labels, and notes."""
    lines = list(found.notes)
    if len(found.dirty):
        lines += ["", ODD_LABELS, as_text(found.dirty.head(SHOWN), "table")]
        if len(found.dirty) > SHOWN:
            lines.append(f"... and {len(found.dirty) - SHOWN:,} more; --format json has all.")
    return lines


def variability_lines(found: ImportanceEffect) -> list[str]:
    """How far the leaderboards of other labels are from the unchanged one."""
    lines = ["Kendall's tau-b with the unchanged leaderboard:", as_text(found.variants, "table")]
    return [*lines, f"{found.draws:,} shuffles of vital and okay within each query, seed {found.seed}.", *found.notes]


def most_vital(rows: pd.DataFrame) -> str:
    """Which run supports the largest share of vital nuggets, and by how much it is ahead."""
    known = rows.dropna(subset=["strict_vital_score"])
    if known.empty:
        return scores_alternative(rows)
    best, *others = known.groupby("strict_vital_score", sort=False)["run_id"].agg(", ".join).items()
    beside = "".join(f"; next: {runs}, {share:.0%}" for share, runs in others[:1])
    return (
        f"{best[1]}: {best[0]:.0%} of the vital nuggets supported (mean over "
        f"{counted({'queries': known['n_queries'].iloc[0]})}){beside}."
    )
