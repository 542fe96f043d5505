"""Which single question matters: the leaderboard with each question of the bank left out in turn."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from exam_core.analysis.bank.question_texts import with_words
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.leaderboard import title
from exam_core.analysis.evaluation.references import about_order
from exam_core.analysis.shared_columns import QUERY, QUESTION, QUESTION_TEXT
from exam_core.analysis.uncertainty.boards_without import Questions, boards_without, questions_of
from exam_core.analysis.uncertainty.redraws import redrawing, values_of_runs
from exam_core.measures.gradebook import Gradebook
from exam_core.numbers.arrays import Floats
from exam_core.numbers.rank_correlations import DIGITS, correlations, mean_rank, rank_correlation
from exam_core.progress import Progress, no_progress
from exam_core.results import ResultTable, decimal, rank, signed, text
from exam_core.store import Snapshot
from exam_core.wings.comparing.analysis.compared_with import about_reference, to_compare_with

COEFFICIENTS = ("spearman", "kendall")
CHANGE = "Correlation with the reference without the question, minus the correlation with all questions."
RANK_CHANGE = "Largest change of any run's rank without the question, and that run."
ROWS = ResultTable(
    "leave one out: rows",
    "Effect of leaving out each question, largest first",
    QUESTION,
    replace(QUERY, help="Queries that ask the question, joined by a comma."),
    decimal("spearman", "Spearman without"),
    signed("spearman_change", "Change of Spearman", CHANGE, form="%+.4f"),
    decimal("kendall", "Kendall without"),
    signed("kendall_change", "Change of Kendall", CHANGE, form="%+.4f"),
    rank("rank_change", "Rank change", RANK_CHANGE, "ranks"),
    text("run_id", "Most changed run", RANK_CHANGE),
)
WORDED = ResultTable(
    "leave one out: questions",
    "Effect of leaving out each question, with its text, largest first",
    ROWS["query_id"],
    QUESTION_TEXT,
    *ROWS.ordered("kendall", "kendall_change", "spearman", "spearman_change", "rank_change", "run_id").columns,
    QUESTION,
)


@dataclass(frozen=True)
class LeaveOneOut:
    """The effect of each question.

    Parameters
    ----------
    title : the leaderboard of all questions
    reference : what is correlated with; None if there is nothing
    spearman, kendall : of the leaderboard with all questions; NaN without a reference
    rows : `ROWS`; largest effect first: change of Kendall, then of Spearman, then of a rank
    """

    title: str
    reference: str | None
    spearman: float
    kendall: float
    rows: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def leave_one_out(snapshot: Snapshot, choice: Evaluation, *, progress: Progress = no_progress) -> LeaveOneOut:
    """The leaderboard's correlation and ranks with each question left out in turn.

    A query's value depends on its own questions alone, so that one sweep leaves a question out of every query at
    once: there are as many sweeps as a query has questions, not as the bank has. A query that loses its only question
    is left out.

    Raises
    ------
    UsageError : no such reference, or nothing to evaluate
    UndefinedMeasure : there are no questions to leave out
    """
    again = redrawing(snapshot, choice)
    values = values_of_runs(snapshot, choice)
    others = to_compare_with(snapshot, choice, values)
    questions = questions_of(again.book)
    mean, means = boards_without(again, progress)
    rows = pd.DataFrame({"question_id": list(questions), "query_id": _asked_under(again.book, questions)})
    rows = rows.assign(**_rank_changes(mean, means, values.run_ids))
    known, found = None, dict.fromkeys(COEFFICIENTS, np.nan)
    if len(others) > 1:
        known = others[0].name
        boards = np.vstack([mean, means])[:, others[0].runs]
        coefficients = _coefficients(boards, others[0].fixed)
        found = {name: float(values[0]) for name, values in coefficients.items()}
    for name in COEFFICIENTS:
        without = coefficients[name][1:] if known else np.nan
        rows = rows.assign(**{name: without, f"{name}_change": without - found[name]})
    notes = about_reference(snapshot, choice, others, values.averaged)
    notes += about_order(known, found["kendall"]) if known else []
    return LeaveOneOut(title(choice), known, found["spearman"], found["kendall"], _by_effect(rows), notes)


def _asked_under(book: Gradebook, questions: Questions) -> list[str]:
    return [", ".join(book.query_ids[query] for query, _ in places) for places in questions.values()]


def _coefficients(boards: Floats, reference: Floats) -> dict[str, Floats]:
    """Coefficients of each board with the reference, over the runs that have a mean on it."""
    batch = correlations(boards, reference, COEFFICIENTS)
    found = {name: getattr(batch, name) for name in COEFFICIENTS}
    has_mean = ~np.isnan(boards)
    for row in np.flatnonzero(~has_mean.all(axis=1)):
        kept = has_mean[row]
        one = rank_correlation(boards[row, kept], reference[kept])
        for name in COEFFICIENTS:
            found[name][row] = getattr(one, name)
    return found


def _rank_changes(mean: Floats, means: Floats, run_ids: list[str]) -> dict[str, object]:
    """The largest change of a rank without each question, and the run that it is of; the first of equal ones."""
    moved = np.abs(mean_rank(means) - mean_rank(mean))
    most = np.where(np.isnan(moved).all(axis=1), np.nan, np.nan_to_num(moved).max(axis=1))
    which = np.nan_to_num(moved).argmax(axis=1)
    names = [run_ids[run] if change > 0 else None for run, change in zip(which, most, strict=True)]
    return {"rank_change": most, "run_id": names}


def _by_effect(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with the largest effect first; equal ones, but for the last bits, as they were."""
    changes = ["kendall_change", "spearman_change", "rank_change"]
    order = rows[changes].abs().round(DIGITS).fillna(0.0).sort_values(changes, ascending=False).index
    return ROWS.of(rows.loc[order]).reset_index(drop=True)


def questions_left_out(snapshot: Snapshot, choice: Evaluation, *, progress: Progress = no_progress) -> LeaveOneOut:
    """As `leave_one_out`, with question_text and facet.

    Raises
    ------
    UsageError : no such reference, or nothing to evaluate
    UndefinedMeasure : there are no questions to leave out
    """
    found = leave_one_out(snapshot, choice, progress=progress)
    return replace(found, rows=with_words(snapshot, choice.grading, found.rows))
