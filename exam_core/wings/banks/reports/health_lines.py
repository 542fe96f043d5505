"""The health of a bank, and its halves: the lines below their tables."""

from __future__ import annotations

import math

import pandas as pd

from exam_core.reports.tables import written
from exam_core.wings.banks.analysis.findings import FINDINGS, ROWS
from exam_core.wings.banks.analysis.health import Health
from exam_core.wings.banks.analysis.hidden import Hidden, Spread
from exam_core.wording import counted

SHORT = ("query_id", "proposal", "findings", "question_text", "reason", "question_id")
"""Columns of the questions that fit a terminal; every other form has them all."""


def counts_of(found: Health, column: str) -> dict[str, int]:
    """How many questions have each proposal or each finding, the most first."""
    said = found.rows[column].str.split(", ").explode()
    return {str(name): int(n) for name, n in said[said.astype(bool)].value_counts().items()}


def health_lines(found: Health, *, commands: bool = True) -> list[str]:
    """How many questions have which proposal and finding, what is not covered, and notes.

    Parameters
    ----------
    commands : whether it is said which option lists what, and what findings mean
    """
    graded = f", tau {found.tau}" if found.tau else ""
    named = {name: counts_of(found, name) for name in ("proposal", "findings")}
    lines = [f"Bank {found.bank}{graded}: {counted({'questions': len(found.rows)})}."]
    lines += [
        f"{what}: {', '.join(f'{number:,} {name}' for name, number in named[column].items())}."
        for what, column in (("Proposals", "proposal"), ("Findings", "findings"))
        if named[column]
    ]
    listed = [("pairs", f"Pairs of questions that may be duplicates: {len(found.pairs):,}")]
    if found.judgments:
        sums = found.queries[["relevant", "unreached", "not_relevant", "reached"]].sum().astype(int)
        of = f"judged by {found.judgments}"
        listed += [
            ("seeds", f"Relevant passages, {of}, that answer no question: {sums.unreached:,} of {sums.relevant:,}"),
            ("queries", f"Other passages, {of}, that answer a question: {sums.reached:,} of {sums.not_relevant:,}"),
        ]
    if found.reference:
        listed.append(("displaced", f"Runs displaced against {found.reference}: {len(found.displaced):,}"))
    lines += [f"{line} (--list {option})." if commands else f"{line}." for option, line in listed]
    meanings = [f"{name}: {FINDINGS[name]}." for name in named["findings"]] if commands else []
    return [*lines, *meanings, *found.notes]


def questions_in_short(rows: pd.DataFrame) -> pd.DataFrame:
    """The questions with the columns that fit a terminal, without those that nothing was found of."""
    kept = rows[rows["findings"] != ""]
    return ROWS.ordered(*SHORT).of(kept)


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
