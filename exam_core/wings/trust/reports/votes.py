"""What several graders are worth together, in words."""

from __future__ import annotations

import math

from exam_core.reports.tables import written
from exam_core.wings.trust.analysis.votes import Votes

EQUATION = "n / (1 + (n - 1) r), r the mean correlation of two graders' errors (Kish 1965)"


def votes_lines(found: Votes) -> list[str]:
    """How many votes they are worth, and what the majority gains, in sentences; nothing of what is unknown."""
    if not found.judged or len(found.graders) < 2:
        return []
    worth = f"{len(found.graders)} grading modes count as much as {written(found.votes, '.1f')} independent ones"
    if not math.isnan(found.votes_interval[0]):
        worth += f" (95% interval {' to '.join(written(end, '.1f') for end in found.votes_interval)})"
    accuracy = found.rows.set_index("grader")["accuracy"]
    majority, best = accuracy[found.majority], accuracy[found.best]
    gain = f"{found.gain * 100:+.1f} percentage points"
    if not math.isnan(found.gain_interval[0]):
        gain += f" (95% interval {' to '.join(f'{end * 100:+.1f}' for end in found.gain_interval)})"
    return [
        f"{worth}: {EQUATION}. Here r is {written(found.error_correlation)}, over {found.judged:,} passages of "
        f"{found.queries} queries that all of them grade and that are judged ({found.judgments}, relevant from "
        f"{found.relevant_from}).",
        f"Their majority agrees with the judgments on {majority:.1%} of the passages, the best single one, "
        f"{found.best}, on {best:.1%}: {gain}.",
    ]
