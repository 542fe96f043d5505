"""What if a bank lacked questions: the board, the correlation and the labels beside those of the bank as it is."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

import numpy as np
import pandas as pd

from exam_core.analysis.choice import Evaluation, QuestionChoice
from exam_core.analysis.comparison import Correlated, correlations_of
from exam_core.analysis.leaderboard import title
from exam_core.analysis.other_labels import ROWS, relabelled, side_by_side, with_words
from exam_core.analysis.references import find_reference, no_reference
from exam_core.analysis.values import gradebook, no_runs
from exam_core.errors import UsageError
from exam_core.store import Snapshot
from exam_core.table_text import first_rows, written
from exam_core.wording import labels_change


@dataclass(frozen=True)
class WhatIf:
    """A bank as it is and as it would be: `rows` are `ROWS`, `relabelled` `RELABELLED`.

    A question that is asked under two queries counts twice as enabled. Correlations are None without a reference.
    """

    title: str
    dropped: list[str]
    enabled_before: int
    enabled_after: int
    rows: pd.DataFrame
    before: Correlated | None
    after: Correlated | None
    relabelled: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def whatif(snapshot: Snapshot, choice: Evaluation, *, drop: Collection[str]) -> WhatIf:
    """The leaderboard without some questions, under every query that has them; nothing is stored.

    Runs' values are those of a bank in which the questions are switched off. A computed reference is that of the bank
    as it is, before and after. Raises UsageError: nothing is dropped, an unknown question (close matches are named), a
    grader without questions, no runs, or no question is left.
    """
    before = gradebook(snapshot, choice.labelling)
    if not before.has_questions:
        raise UsageError(f"{title(choice)} uses labels of whole passages: it has no questions to edit.")
    if not before.run_ids:
        raise UsageError(no_runs(snapshot))
    if not drop:
        raise UsageError("Say what to change: --drop ID.")
    known = sorted({name for names in before.question_ids for name in names})
    if unknown := sorted(set(drop) - set(known)):
        raise UsageError("\n".join(_unknown(name, known) for name in unknown[:5]))
    edited = choice.labelled(asking=QuestionChoice(frozenset(drop)))
    after = gradebook(snapshot, edited.labelling)
    if not after.counted.any():
        raise UsageError("No question is left that counts: drop fewer.")
    rows, notes = side_by_side(snapshot, choice, snapshot, edited)
    other = find_reference(snapshot, choice.reference, choice)
    rows["reference_rank"] = np.nan if other is None else rows["run_id"].map(other.ranks).astype(float)
    both: list[Correlated] = []
    if other is None:
        notes.append(no_reference(snapshot))
    else:
        both = correlations_of(snapshot, [choice, edited])
        notes += dict.fromkeys(note for correlation in both for note in correlation.notes)
    return WhatIf(
        title(choice),
        sorted(set(drop)),
        int(before.enabled.sum()),
        int(after.enabled.sum()),
        ROWS.of(rows),
        both[0] if both else None,
        both[1] if both else None,
        relabelled(before, after, choice),
        list(dict.fromkeys(notes)),
    )


def bank_questions(snapshot: Snapshot, choice: Evaluation) -> pd.DataFrame:
    """The questions that count, by query and then in the bank's order.

    Raises UsageError where there is nothing to evaluate. Returns question_id, query_id, question_text (None where only
    the id is known).
    """
    book = gradebook(snapshot, choice.labelling)
    items = book.asked.tolist() if book.has_questions else []
    rows = [(book.question_ids[query][column], book.query_ids[query]) for query, column in items]
    frame = pd.DataFrame(rows, columns=["question_id", "query_id"])
    return with_words(snapshot, choice.grading, frame).drop(columns="facet")


def _unknown(name: str, known: Sequence[str]) -> str:
    """A sentence with the ids that are spelled alike, or that begin or end like it."""
    parts = [text for text in known if name and (text.startswith(name) or text.endswith(name))]
    close = parts[:3] or get_close_matches(name, known, n=3)
    return f"{name} is not among the bank's questions. " + (
        f"Close to it: {', '.join(close)}." if close else f"Question ids look like {known[0]}."
    )


def whatif_summary(what_if: WhatIf) -> list[str]:
    """How many questions count, the correlations, and how many passages get another label."""
    lines = [f"{what_if.title}: {what_if.enabled_before:,} questions counted, {what_if.enabled_after:,} would count."]
    if what_if.before and what_if.after:
        for name in ("spearman", "kendall"):
            before, after = (getattr(row.correlation, name) for row in (what_if.before, what_if.after))
            lines.append(f"{name.capitalize()} with {what_if.before.reference}: {written(before)} → {written(after)}")
    return [*lines, labels_change(len(what_if.relabelled), int(what_if.relabelled["crosses_tau"].sum()))]


def whatif_lines(what_if: WhatIf) -> list[str]:
    """The summary, the first passages whose label changes, and notes."""
    return whatif_summary(what_if) + (first_rows(what_if.relabelled) if len(what_if.relabelled) else []) + what_if.notes
