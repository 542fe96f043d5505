"""Nugget scores of runs: the six of AutoNuggetizer, with every label that is not what they expect counted apart."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from exam_core.analysis.evaluation.books import gradebook, no_runs
from exam_core.analysis.evaluation.choice import Evaluation, LabelRule
from exam_core.analysis.evaluation.grade_scales import scale_of
from exam_core.analysis.evaluation.scope import scope_of
from exam_core.analysis.evaluation.values import all_values
from exam_core.analysis.shared_columns import QUERY, QUESTION, QUESTION_TEXT, RUN
from exam_core.errors import UndefinedMeasure, UsageError
from exam_core.measures import Measure
from exam_core.measures.gradebook import Gradebook, Labels
from exam_core.results import ResultColumn, ResultTable, count, decimal, number, text
from exam_core.store import Snapshot
from exam_core.store.rankings import ranked_passages, texts_of
from exam_core.tables import OKAY, OTHER, UNGRADED, UNREADABLE, VITAL
from exam_core.wings.neighbours.measures.effectiveness.nuggets import PARTIAL, SUPPORT
from exam_core.wings.neighbours.store.assigned import found_nuggets, odd_labels
from exam_core.wording import counted

SCORES = {
    "strict_vital_score": "NuggetVitalStrict",
    "vital_score": "NuggetVital",
    "strict_weighted_score": "NuggetWeightedStrict",
    "weighted_score": "NuggetWeighted",
    "strict_all_score": "NuggetAllStrict",
    "all_score": "NuggetAll",
}
"""The measure behind each score, by the keys of AutoNuggetizer's files."""
SOURCE = "Pradeep et al. 2024"
UNREAD, CONTRADICTED, TO_AVOID = "unread", "contradicted", "to avoid"
"""Kinds of odd labels, in the words of `exam_core.wings.neighbours.store.assigned`."""


def _score(name: str, label: str, what: str) -> ResultColumn:
    half = "partial support counts nothing" if name.startswith("strict") else "partial support counts half"
    return decimal(name, label, f"Share of {what} that the run supports; {half}", "score", SOURCE)


_VITAL, _WEIGHTED, _ALL = "a query's vital nuggets", "a query's nuggets, okay ones weighing a half,", "all nuggets"
_SCORES = (
    _score("strict_vital_score", "Vital, strict", _VITAL),
    _score("vital_score", "Vital", _VITAL),
    _score("strict_weighted_score", "Weighted, strict", _WEIGHTED),
    _score("weighted_score", "Weighted", _WEIGHTED),
    _score("strict_all_score", "All, strict", _ALL),
    _score("all_score", "All", _ALL),
)
ROWS = ResultTable(
    "nuggets: rows",
    "The six nugget scores of each run, best by strict vital score first, and the labels of its nuggets",
    RUN,
    *_SCORES,
    number("n_queries", "Queries", "Queries with a nugget that counts; one without an answer counts 0.", "queries"),
    count("support", "Supported", "Nuggets whose best grade is 2 or more.", "nuggets"),
    count("partial_support", "In part", "Nuggets whose best grade is 1.", "nuggets"),
    count("not_support", "Not", "Nuggets whose best grade is 0, contradicted ones too.", "nuggets"),
    count("unread", "Unreadable", "Nuggets whose labels are all unknown: they count as not found.", "nuggets"),
    count("unassigned", "Never asked", "Nuggets without any label for the run; its scores leave them out.", "nuggets"),
    count(
        "contradicted",
        "Contradicted",
        "Labels that say the answer contradicts the nugget; they lower no score.",
        "labels",
    ),
    count(
        "avoid", "To avoid", "Nuggets to avoid that are supported, wholly or in part; they lower no score.", "labels"
    ),
)
DIRTY = ResultTable(
    "nuggets: dirty",
    "Labels that are none of the three, by run",
    RUN,
    text("label", "Label", "As in the file; empty if it has none."),
    count("n", "Labels", unit="labels"),
)
QUERIES = ResultTable("nuggets: queries", "The six nugget scores of each run on each query", RUN, QUERY, *_SCORES)
FOUND = ResultTable(
    "nuggets: found",
    "Labels of a query's nuggets in one run's answer",
    replace(QUESTION_TEXT, label="Nugget"),
    text("importance", "Importance", "As in the bank; a nugget without one is vital."),
    text("label", "Label", "The assigner's text about the passage with the best grade.", width="small"),
    number("grade", "Grade", "2 supported, 1 in part, 0 not; empty where the label can't be read.", "grade"),
    number("rank", "Rank", "Rank of that passage in the run.", "rank"),
    text("doc_id", "Passage"),
    QUESTION,
)


@dataclass(frozen=True)
class Nuggets:
    """Nugget scores of runs.

    Parameters
    ----------
    rows : `ROWS`; a score is NaN where no query has a nugget for it
    dirty : `DIRTY`
    queries : `QUERIES`, by run and query; a score is NaN where the query has no nugget for it
    notes : sentences about what is undefined or odd
    """

    rows: pd.DataFrame
    dirty: pd.DataFrame
    queries: pd.DataFrame
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Found:
    """One run's answer to a query.

    Parameters
    ----------
    query_text : what was asked; None if unknown
    nuggets : `FOUND`, vital ones first, the best grades first among equally important ones, then in the bank's order
    passages : rank, doc_id and text (None if unknown) of the passages that are read
    """

    query_text: str | None
    nuggets: pd.DataFrame
    passages: pd.DataFrame


def are_nuggets(snapshot: Snapshot, labelling: LabelRule) -> bool:
    """Whether grades are those of nuggets: from 0 to 2, or of a bank that says which questions are vital.

    Raises UsageError where there is nothing to evaluate, and as `of_questions`.
    """
    _, grader = of_questions(labelling)
    return scale_of(snapshot, grader) == SUPPORT or gradebook(snapshot, labelling).importance is not None


def nuggets(snapshot: Snapshot, labelling: LabelRule) -> Nuggets:
    """The six nugget scores of every run, from grades of a bank's questions.

    Raises UsageError where there are no runs, or nothing to evaluate, and as `of_questions`.
    """
    bank, grader = of_questions(labelling)
    book = gradebook(snapshot, labelling)
    if not book.run_ids:
        raise UsageError(no_runs(snapshot))
    measures = [Measure(name) for name in SCORES.values()]
    choice = Evaluation(labelling, measures[0], 1)
    values = all_values(snapshot, choice, measures)[:, 0]
    rows = pd.DataFrame({"run_id": book.run_ids})
    for name, found in zip(SCORES, values, strict=True):
        defined = ~np.isnan(found)
        number_of = defined.sum(axis=1)
        rows[name] = np.where(number_of, np.where(defined, found, 0).sum(axis=1) / np.maximum(number_of, 1), np.nan)
    rows["n_queries"] = (~np.isnan(values[-1])).sum(axis=1)
    for name, found in _counts(book).items():
        rows[name] = found
    odd = odd_labels(snapshot, bank=bank, grader_id=grader, depth=labelling.depth, order=labelling.order)
    for column, kind in (("contradicted", CONTRADICTED), ("avoid", TO_AVOID)):
        of_runs = odd[odd["kind"] == kind].groupby("run_id")["n"].sum()
        rows[column] = rows["run_id"].map(of_runs).fillna(0).astype(int)
    rows = rows.sort_values(["strict_vital_score", "run_id"], ascending=[False, True], ignore_index=True)
    dirty = DIRTY.of(odd[odd["kind"] == UNREAD].reset_index(drop=True))
    notes = scope_of(snapshot, choice).about_unreadable() + _notes(snapshot, labelling, book, rows) + _odd_notes(rows)
    return Nuggets(ROWS.of(rows), dirty, _by_query(book, values), notes)


def nuggets_of(snapshot: Snapshot, labelling: LabelRule, run_id: str, query_id: str) -> Found:
    """What was said of each nugget of a query in a run's answer, and the answer.

    Raises UsageError where the run or query is not known, and as `of_questions`.
    """
    bank, grader = of_questions(labelling)
    book = gradebook(snapshot, labelling)
    for what, name, known in (("run", run_id, book.run_ids), ("query", query_id, book.query_ids)):
        if name not in known:
            raise UsageError(f"There is no {what} {name} among the {len(known)} that are evaluated.")
    depth, order = labelling.depth, labelling.order
    rows = found_nuggets(snapshot, run_id, query_id, bank=bank, grader_id=grader, depth=depth, order=order)
    rank = {"vital": 0, "okay": 1, "avoid": 3}
    rows["place"] = [rank.get(name, 2) if isinstance(name, str) else 0 for name in rows["importance"]]
    rows = rows.sort_values(["place", "grade"], ascending=[True, False], ignore_index=True)
    passages = ranked_passages(snapshot, run_id, query_id, depth=depth, characters=1_000_000)
    (asked,) = texts_of(snapshot, [query_id])
    return Found(asked if isinstance(asked, str) else None, FOUND.of(rows), passages[["rank", "doc_id", "text"]])


def best_grades(book: Gradebook) -> Labels:
    """(R, Q, S) the best grade of each question among a run's passages; UNGRADED where there is none or it is off."""
    padded = np.vstack([book.grades, np.full((2, book.grades.shape[1]), UNGRADED, np.int8)])
    best = np.full((len(book.run_ids), *book.enabled.shape), UNGRADED, np.int8)
    for slots in book.slots:
        np.maximum(best, padded[slots], out=best)
    return np.where(book.enabled, best, np.int8(UNGRADED))


def of_questions(labelling: LabelRule) -> tuple[tuple[str, int], str]:
    """The bank and the grader of a labelling. Raises UndefinedMeasure where it has no questions."""
    grading = labelling.grading
    if grading.bank is None or grading.grader is None:
        raise UndefinedMeasure(
            f"{grading.grader or 'What is evaluated here'} labels whole passages: nugget scores need grades of nuggets."
        )
    return (grading.bank.name, grading.bank.version or 0), grading.grader


def _counts(book: Gradebook) -> dict[str, npt.NDArray[np.int64]]:
    """(R,) nuggets by their best grade, those to avoid left out."""
    best, wanted = best_grades(book), book.enabled
    kinds = {
        "support": best >= SUPPORT,
        "partial_support": best == PARTIAL,
        "not_support": (best > UNREADABLE) & (best < PARTIAL),
        "unread": best == UNREADABLE,
        "unassigned": best == UNGRADED,
    }
    return {name: (found & wanted).sum(axis=(1, 2)) for name, found in kinds.items()}


def _by_query(book: Gradebook, values: npt.NDArray[np.float64]) -> pd.DataFrame:
    runs, queries = len(book.run_ids), len(book.query_ids)
    columns = {"run_id": np.repeat(book.run_ids, queries), "query_id": np.tile(book.query_ids, runs)}
    return QUERIES.of(columns | {name: found.ravel() for name, found in zip(SCORES, values, strict=True)})


def _rated(snapshot: Snapshot, labelling: LabelRule) -> bool:
    """Whether the bank says of any question whether it is vital."""
    bank = labelling.grading.bank
    said = "SELECT 1 FROM questions WHERE bank_id = ? AND version = ? AND importance IS NOT NULL LIMIT 1"
    return bank is not None and not snapshot.query(said, [bank.name, bank.version]).empty


def _notes(snapshot: Snapshot, labelling: LabelRule, book: Gradebook, rows: pd.DataFrame) -> list[str]:
    notes = []
    scale = scale_of(snapshot, labelling.grading.grader)
    if scale != SUPPORT:
        notes.append(
            f"{labelling.grading.grader} grades from 0 to {scale}: a nugget is supported from grade 2 on, and in part "
            "at grade 1."
        )
    if book.importance is None:
        if not _rated(snapshot, labelling):
            notes.append("The bank marks no question as vital or okay, so all count as vital.")
    elif others := int(book.important(OTHER).sum()):
        notes.append(
            f"{counted({'nuggets': others})} neither vital nor okay: only the scores of all nuggets count them."
        )
    asked = book.counted
    if none_vital := int((asked & ~book.important(VITAL).any(axis=1)).sum()):
        notes.append(f"{counted({'queries': none_vital})} without a vital nugget: left out of the vital scores.")
    neither = asked & ~(book.important(VITAL) | book.important(OKAY)).any(axis=1)
    if neither.any():
        notes.append(f"{counted({'queries': int(neither.sum())})} without a vital or okay nugget: no weighted score.")
    if never := int(rows["unassigned"].sum()):
        notes.append(
            f"{never:,} times a nugget has no label for a run and is left out of its score. A run without any "
            "label for a query scores 0 there."
        )
    if ungraded := len(book.ungraded_queries) + int((~book.counted).sum()):
        notes.append(f"{counted({'queries': ungraded})} of the bank without a grade that counts: left out.")
    return notes


def _odd_notes(rows: pd.DataFrame) -> list[str]:
    notes = []
    for column, what in (("contradicted", "contradicted nuggets"), ("avoid", "supported nuggets to avoid")):
        if total := int(rows[column].sum()):
            notes.append(f"{total:,} {what}: counted apart; they lower no score.")
    return notes
