"""The health of a bank, and its halves: the lines below their tables."""

from __future__ import annotations

import math

import pandas as pd

from exam_core.reports.tables import written
from exam_core.wings.banks.analysis.difficulty import (
    DISCRIMINATING,
    NEGATIVE,
    ROWS,
    UNANSWERED,
    UNIVERSAL,
    kinds_in_words,
    of_kinds,
)
from exam_core.wings.banks.analysis.health import Health
from exam_core.wings.banks.analysis.hidden import Hidden, Spread
from exam_core.wording import counted

SHORT = ("query_id", "kind", "question_text", "runs", "item_rest", "question_id")
"""Columns of the questions that fit a terminal; every other form has them all."""
BY_NOBODY_OR_ALL = (UNANSWERED, UNIVERSAL)
TELLING = (DISCRIMINATING, NEGATIVE)


def health_lines(found: Health, *, commands: bool = True) -> list[str]:
    """How many questions are alike, are answered by nobody or by all, and tell good runs from bad; and notes.

    Parameters
    ----------
    commands : whether it is said which option lists the pairs
    """
    option = " (--list pairs)" if commands else ""
    lines = [f"Pairs of questions that are at least {found.alike:.0%} alike: {len(found.pairs):,}{option}."]
    if found.tau is None:
        return [f"Bank {found.bank}.", *lines, *found.notes]
    return [f"Bank {found.bank}, tau {found.tau}: {kinds_in_words(found.rows)}.", *lines, *found.notes]


def questions_in_short(rows: pd.DataFrame) -> pd.DataFrame:
    """The questions that no run or every run answers, or that tell runs apart, with columns that fit a terminal."""
    return ROWS.ordered(*SHORT).of(of_kinds(rows, (*BY_NOBODY_OR_ALL, *TELLING)))


def hidden_lines(found: Hidden) -> list[str]:
    """What is compared, how far the halves' boards agree, what the runs gain that saw the bank, and notes."""
    what = "random halves" if found.public is None else f"{counted({'questions': found.public})} named as public"
    lines = [
        f"{found.title}: {what}, {counted({'queries': found.n_queries})}; 95% of {found.halves:,} random halves, seed "
        f"{found.seed}",
        f"Leaderboards of the two halves: Spearman {_said(found.spearman)}, Kendall {_said(found.kendall)}",
    ]
    if found.advantage:
        saw = counted({"runs": len(found.saw)})
        lines.append(f"Gain of the {saw} that saw the bank, against the others: {_said(found.advantage, '+.3f')}")
    return lines + found.notes


def _said(found: Spread, form: str = ".3f") -> str:
    value, low, high = (written(one, form) for one in (found.value, *found.interval))
    p = "" if math.isnan(found.p) else f", p {found.p:.3f}"
    return f"{value} [{low}, {high}]{p}"
