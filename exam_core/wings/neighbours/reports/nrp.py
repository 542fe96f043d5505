"""Answers about generated texts in a sentence."""

from __future__ import annotations

from exam_core.wings.neighbours.analysis.nrp import NrpFound
from exam_core.wording import number


def highest(found: NrpFound) -> str:
    """Which system's answers rank highest over all prompts, and which lowest."""
    best, last = found.systems.iloc[0], found.systems.iloc[-1]
    below = f"; lowest are those of {last['system']}, {number(last['mean'], '.3f')}" if len(found.systems) > 1 else ""
    ends = f" (95% interval {number(best['low'], '.3f')} to {number(best['high'], '.3f')})"
    return (
        f"Answers of {best['system']} rank highest among the judged documents: NRP {number(best['mean'], '.3f')}{ends} "
        f"over {best['n_queries']} queries{below}."
    )
