"""Which single question matters: the leaderboard with each question of the bank left out in turn."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.leaderboard import title
from exam_core.analysis.evaluation.references import about_order
from exam_core.analysis.shared_columns import QUERY, QUESTION, QUESTION_TEXT
from exam_core.analysis.uncertainty.compared_with import about_reference, to_compare_with
from exam_core.analysis.uncertainty.redraws import Redrawing, redrawing, values_of_runs
from exam_core.measures.gradebook import Gradebook
from exam_core.numbers.arrays import Bools, Floats
from exam_core.numbers.rank_correlations import DIGITS, correlations, mean_rank, rank_correlation
from exam_core.progress import Progress, no_progress
from exam_core.results import ResultTable, decimal, rank, signed, text
from exam_core.store import Snapshot

COEFFICIENTS = ("spearman", "kendall")
CHANGE = "Correlation with the reference without the question - with all questions."
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
Questions = dict[str, list[tuple[int, int]]]
"""The (query, column) of each place where a question is asked, by question_id."""


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


def questions_of(book: Gradebook) -> Questions:
    """The enabled questions by id, with the query and column of each place where it is asked; in the bank's order."""
    places: Questions = {}
    for query, column in book.asked.tolist():
        places.setdefault(book.question_ids[query][column], []).append((query, column))
    return places


def _asked_under(book: Gradebook, questions: Questions) -> list[str]:
    return [", ".join(book.query_ids[query] for query, _ in places) for places in questions.values()]


def boards_without(again: Redrawing, progress: Progress = no_progress) -> tuple[Floats, Floats]:
    """(R,) means of the runs with all questions, and (questions, R) without each, in the order of `questions_of`."""
    whole, questions = again.values(again.book.enabled), questions_of(again.book)
    means = _means_without(whole, without_each(again, progress), questions)
    return _mean(whole), np.where(_answers_without(again.book, questions), means, np.nan)


def _answers_without(book: Gradebook, questions: Questions) -> Bools:
    """(questions, R) whether a run answers a query that counts without each question."""
    answering, asked = book.answering, book.enabled.sum(axis=1)
    found = np.empty((len(questions), len(answering)), bool)
    for row, places in enumerate(questions.values()):
        taken = Counter(query for query, _ in places)
        stays = [query for query, count in enumerate(asked.tolist()) if count > taken[query]]
        found[row] = answering[:, stays].any(axis=1)
    return found


def without_each(again: Redrawing, progress: Progress = no_progress) -> Floats:
    """(S, R, Q) values of each query without its question in a column, for each column."""
    enabled = again.book.enabled
    width = enabled.shape[1]
    found = np.empty((width, len(again.book.run_ids), len(enabled)))
    for column in range(width):
        others = enabled.copy()
        others[:, column] = False
        found[column] = again.values(others)
        progress((column + 1) / width)
    return found


def _means_without(whole: Floats, columns: Floats, questions: Questions) -> Floats:
    """(questions, R) means over queries without each question; NaN where none is left for a run."""
    sums, n = _sum_and_count(whole)
    means = np.empty((len(questions), len(whole)))
    for row, places in enumerate(questions.values()):
        queries, slots = (list(side) for side in zip(*places, strict=True))
        old_sum, old_n = _sum_and_count(whole[:, queries])
        new_sum, new_n = _sum_and_count(columns[slots, :, queries].T)
        left = n - old_n + new_n
        means[row] = np.where(left > 0, (sums - old_sum + new_sum) / np.maximum(left, 1), np.nan)
    return means


def _sum_and_count(values: Floats) -> tuple[Floats, Floats]:
    counted = ~np.isnan(values)
    return np.where(counted, values, 0.0).sum(axis=1), counted.sum(axis=1).astype(float)


def _mean(values: Floats) -> Floats:
    sums, n = _sum_and_count(values)
    return np.where(n > 0, sums / np.maximum(n, 1), np.nan)


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
