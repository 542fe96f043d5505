"""What can be found of a question, and what to do about it: a proposal, with the numbers behind it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pandas as pd

from exam_core.analysis.shared_columns import QUERY, QUESTION, QUESTION_TEXT
from exam_core.numbers.rank_correlations import DIGITS
from exam_core.results import ResultTable, count, decimal, share, text
from exam_core.wings.banks.analysis.difficulty import ROWS as DIFFICULTY
from exam_core.wings.banks.analysis.redundancy import ANSWERS, FEW, PAIRS

MOST_RUNS = 0.9
"""A question is universal where at least this share of the runs answers it."""
BROAD = 0.25
"""A question is over-broad where at least this share of the passages judged not relevant answers it."""
UNGRADED, DEAD, REDUNDANT, NEGATIVE = "not graded", "dead", "redundant", "negative"
BROADER, BESIDE, UNIVERSAL, CARRIES = "over-broad", "beside the point", "universal", "carries a run"
FINDINGS = {
    REDUNDANT: "another question of its query has nearly the same words, or is answered by the same passages",
    UNGRADED: "no passage has a readable grade on it",
    DEAD: "no graded passage answers it",
    BROADER: f"at least {BROAD:.0%} of the passages judged not relevant, and {FEW}, answer it",
    BESIDE: f"passages judged not relevant, at least {FEW}, answer it as readily as relevant ones",
    NEGATIVE: "runs that answer it are worse on the other questions",
    UNIVERSAL: f"at least {MOST_RUNS:.0%} of the runs answer it",
    CARRIES: "this question alone explains much of a run's displacement",
}
"""What can be found of a question, and what that means; the first that holds makes the proposal."""
GRADE, SWITCH_OFF, MERGE, REWORD, LOOK, KEEP = "grade", "switch off", "merge", "reword", "look at it", "keep"
ROWS = ResultTable(
    "bank health: rows",
    "Every question with its findings and a proposal, gravest finding first",
    QUERY,
    QUESTION_TEXT,
    text("proposal", "Proposal", f"One of: {', '.join((GRADE, SWITCH_OFF, MERGE, REWORD, LOOK, KEEP))}."),
    text("reason", "Why", "The numbers behind the proposal, and other findings.", width="large"),
    text("findings", "Findings", "; ".join(f"{name}: {meaning}" for name, meaning in FINDINGS.items()) + "."),
    *DIFFICULTY.ordered("runs", "runs_share", "passages", "graded", "item_rest").columns,
    share(
        "relevant_share",
        "Of the relevant",
        "Share of the passages judged relevant that answer it, of those with a readable grade on it.",
        "passages",
    ),
    share(
        "not_relevant_share",
        "Of the not relevant",
        "Share of the passages judged not relevant that answer it.",
        "passages",
    ),
    count("not_relevant_reached", "Not relevant", "Passages judged not relevant that answer it.", "passages"),
    decimal("phi", "Phi", PAIRS["phi"].help),
    share("alike", "Alike", PAIRS["alike"].help, "characters"),
    replace(QUESTION, name="other_id", label="Other question ID", help="The question that it is redundant with."),
    text("carries", "Carries", "Runs that it displaces, comma-separated."),
    DIFFICULTY["facet"],
    QUESTION,
)


def proposed(rows: pd.DataFrame, n_runs: int, told_from_zero: float) -> pd.DataFrame:
    """Rows with findings, proposal and reason; the gravest finding first, then by query, and otherwise as they were.

    Parameters
    ----------
    rows : as `health` joins them: the numbers of `ROWS`, and relevant, relevant_reached, not_relevant, other_text, by,
        carries, fall; NaN or None where there is nothing to say
    n_runs, told_from_zero : of `Difficulty`
    """
    found = [_found(row, n_runs, told_from_zero) for row in rows.itertuples()]
    order = list(FINDINGS)
    first = [
        len(order) * (proposal == KEEP) + (order.index(findings[0]) if findings else len(order))
        for findings, proposal, _ in found
    ]
    rows = rows.assign(
        findings=[", ".join(findings) for findings, _, _ in found],
        proposal=[proposal for _, proposal, _ in found],
        reason=[reason for *_, reason in found],
        _first=first,
    )
    return rows.sort_values(["_first", "query_id"], ignore_index=True)


def _found(row: Any, n_runs: int, told: float) -> tuple[list[str], str, str]:
    several = list(_each(row, n_runs, told))
    proposal = next((proposal for _, proposal, _ in several if proposal != KEEP), KEEP)
    sentences = [sentence for *_, sentence in several] or [_as_it_is(row, n_runs)]
    return [finding for finding, *_ in several], proposal, " ".join(dict.fromkeys(filter(None, sentences)))


def _each(row: Any, n_runs: int, told: float) -> Iterator[tuple[str, str, str]]:
    """What is found, gravest first, each with a proposal and a sentence."""
    if isinstance(row.other_id, str):
        yield REDUNDANT, MERGE, _like_another(row)
    if row.graded == 0:
        yield UNGRADED, GRADE, "No passage has a readable grade on it."
    elif row.passages == 0:
        relevant = f" ({row.relevant:,.0f} of them judged relevant)" if row.relevant > 0 else ""
        yield DEAD, SWITCH_OFF, f"None of its {row.graded:,.0f} graded passages{relevant} answers it."
    yield from _of_judgments(row)
    if round(row.item_rest, DIGITS) < 0:
        beyond = row.item_rest <= -told
        chance = f"significantly so over {n_runs} runs" if beyond else f"not significantly so over {n_runs} runs"
        rest = f"Runs that answer it are worse on the other questions (item-rest {row.item_rest:.3f}), {chance}."
        yield NEGATIVE, REWORD if beyond else KEEP, rest
    if row.runs_share >= MOST_RUNS:
        yield UNIVERSAL, KEEP, f"{row.runs:,.0f} of {n_runs} runs answer it: it hardly discriminates between them."
    if isinstance(row.carries, str):
        yield CARRIES, LOOK, f"Without it, {row.carries} would be {row.fall} ranks nearer to its reference rank."


def _of_judgments(row: Any) -> Iterator[tuple[str, str, str]]:
    if not row.not_relevant_reached >= FEW:
        return
    sentence = (
        f"{row.not_relevant_reached:,.0f} of {row.not_relevant:,.0f} passages judged not relevant answer it, and "
        f"{row.relevant_reached:,.0f} of {row.relevant:,.0f} relevant ones."
    )
    if row.not_relevant_share >= BROAD:
        yield BROADER, REWORD, sentence
    if row.not_relevant_share >= row.relevant_share:
        yield BESIDE, REWORD, sentence


def _like_another(row: Any) -> str:
    other = row.other_text if isinstance(row.other_text, str) else row.other_id
    phi = "" if pd.isna(row.phi) else f"phi of their answers {row.phi:.3f}"
    if row.by == ANSWERS:
        return f'Answered by the same passages as "{other}" ({phi}).'
    return f'In words {row.alike:.0%} like "{other}"{phi and f" ({phi})"}.'


def _as_it_is(row: Any, n_runs: int) -> str:
    if pd.isna(row.graded):
        return ""
    runs = f"{row.runs:,.0f} of {n_runs} runs and " if n_runs else ""
    rest = "" if pd.isna(row.item_rest) else f"; item-rest {row.item_rest:.3f}"
    return f"{runs}{row.passages:,.0f} of {row.graded:,.0f} graded passages answer it{rest}."
