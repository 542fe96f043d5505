"""What several graders are worth together, as the object of the command line, and in words."""

from __future__ import annotations

import math

from exam_core.analysis.judges.votes import Votes
from exam_core.reports.tables import UNDEFINED

EQUATION = "n / (1 + (n - 1) r), r the mean correlation of two graders' errors (Kish 1965)"


def votes_answer(found: Votes, *, collection: str) -> dict[str, object]:
    """Everything as one JSON object."""
    return {
        "collection": collection,
        "graders": list(found.graders),
        "judgments": found.judgments,
        "relevant_from": found.relevant_from,
        "passages": found.passages,
        "judged": found.judged,
        "queries": found.queries,
        "error_correlation": found.error_correlation,
        "votes": found.votes,
        "votes_interval": list(found.votes_interval),
        "best": found.best,
        "majority": found.majority,
        "gain": found.gain,
        "gain_interval": list(found.gain_interval),
        "draws": found.draws,
        "seed": found.seed,
        "rows": found.rows,
        "thresholds": found.thresholds,
        "pairs": found.pairs,
        "notes": found.notes,
    }


def votes_lines(found: Votes) -> list[str]:
    """How many votes they are worth, and what the majority gains, in sentences; nothing of what is unknown."""
    if not found.judged or len(found.graders) < 2:
        return []
    worth = f"{len(found.graders)} grading modes count as much as {_one(found.votes)} independent ones"
    if not math.isnan(found.votes_interval[0]):
        worth += f" (95% interval {' to '.join(map(_one, found.votes_interval))})"
    accuracy = found.rows.set_index("grader")["accuracy"]
    majority, best = accuracy[found.majority], accuracy[found.best]
    gain = f"{found.gain * 100:+.1f} percentage points"
    if not math.isnan(found.gain_interval[0]):
        gain += f" (95% interval {' to '.join(f'{end * 100:+.1f}' for end in found.gain_interval)})"
    correlation = UNDEFINED if math.isnan(found.error_correlation) else f"{found.error_correlation:.3f}"
    return [
        f"{worth}: {EQUATION}. Here r is {correlation}, over {found.judged:,} passages of {found.queries} queries that "
        f"all of them grade and that are judged ({found.judgments}, relevant from {found.relevant_from}).",
        f"Their majority agrees with the judgments on {majority:.1%} of the passages, the best single one, "
        f"{found.best}, on {best:.1%}: {gain}.",
    ]


def _one(value: float) -> str:
    return UNDEFINED if math.isnan(value) else f"{value:.1f}"
