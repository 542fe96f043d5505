"""How hard the questions of a bank are, and what each tells of the runs: item analysis of the exam."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from exam_core.analysis.bank.question_texts import with_words
from exam_core.analysis.evaluation.books import gradebook, no_runs
from exam_core.analysis.evaluation.choice import Evaluation, Grading
from exam_core.analysis.evaluation.references import Reference, about_left_out, find_reference, no_reference
from exam_core.analysis.evaluation.scope import scope_of
from exam_core.analysis.shared_columns import (
    KENDALL,
    PASSAGE,
    QUERY,
    QUERY_TEXT,
    QUESTION,
    QUESTION_TEXT,
    REFERENCE_RANK,
    RUN,
)
from exam_core.errors import UndefinedMeasure, UsageError
from exam_core.measures import Measure
from exam_core.measures.gradebook import NOTHING, Gradebook
from exam_core.measures.marks import Marks, labelling
from exam_core.numbers.arrays import Bools, Floats
from exam_core.numbers.rank_correlations import DIGITS, correlations
from exam_core.results import ResultTable, bar, count, decimal, flag, number, text
from exam_core.store import Snapshot
from exam_core.store.question_texts import query_texts
from exam_core.tables import UNGRADED, UNREADABLE
from exam_core.wings.banks.numbers.items import item_rest_correlations, smallest_correlation
from exam_core.wording import counted

HARDLY_ANY = 0.1
"""A question is hard where at most this share of the runs answers it."""
UNANSWERED, HARD, UNIVERSAL, NEGATIVE = "unanswered", "hard", "universal", "negative"
WEAK, DISCRIMINATING = "weak", "discriminating"
UNREAD = "unreadable"
KINDS = {
    UNREAD: "none of its answers could be read",
    UNANSWERED: "no graded passage answers it",
    HARD: "at most one run in ten answers it",
    UNIVERSAL: "all runs answer it",
    NEGATIVE: "runs that answer it are worse on the other questions",
    WEAK: "its discrimination is not significant",
    DISCRIMINATING: "runs that answer it are significantly better on the other questions",
}
IN_WORDS = {
    UNREAD: "no answer can be read of {:,}",
    UNANSWERED: "nobody answers {:,}",
    HARD: "hardly any run answers {:,}",
    UNIVERSAL: "all runs answer {:,}",
    NEGATIVE: "worse runs answer {:,}",
    WEAK: "which runs answer {:,} more may be chance",
}
"""The kinds in a sentence, around a count of their questions, but for those that discriminate."""
COUNTED = (UNANSWERED, HARD, UNIVERSAL, NEGATIVE)
"""The kinds of which a query's questions are counted."""
_RUNS = number(
    "runs",
    "Runs",
    "Runs with a passage of at least tau among their first k: item facility of classical test theory.",
    "runs",
    "Lord & Novick 1968, chapter 15",
)
ROWS = ResultTable(
    "difficulty: rows",
    "Every question by the runs and passages that answer it, and by discrimination; worst first",
    QUERY,
    QUESTION,
    QUESTION_TEXT,
    text("facet", "Facet"),
    text(
        "kind",
        "Kind",
        "; ".join(f"{kind}: {meaning}" for kind, meaning in KINDS.items()) + ". The first that applies.",
    ),
    _RUNS,
    replace(_RUNS, name="runs_share", label="Share of runs", unit="share of runs", kind="bar", form="percent"),
    count("passages", "Passages", "Graded passages with a grade of at least tau, ranked or not.", "passages"),
    count("graded", "of graded", "Passages with a readable grade on this question.", "passages"),
    decimal(
        "item_rest",
        "Item-rest",
        "Point-biserial correlation, over the runs, of answering this question with Cover on the others (item-rest, "
        "Henrysson 1963). Negative: worse runs answer it. One very weak run can make it 1.",
    ),
    replace(
        KENDALL,
        help="Kendall's tau-b of answering this question with the reference's ranks, over the runs that both have. "
        "Answering is only yes or no, so many runs tie, and the value stays well below 1.",
    ),
)
QUERIES = ResultTable(
    "difficulty: queries",
    "Queries by how hard their questions are, hardest first",
    QUERY,
    replace(QUERY_TEXT, width="medium"),
    number("questions", "Questions", unit="questions"),
    bar(
        "runs_share",
        "Share of runs",
        "Mean over the query's questions of the share of runs that answer: mean Cover over the runs. A question "
        "without a readable answer counts as not answered.",
        "share of runs",
        form="percent",
    ),
    *(number(kind, kind.capitalize(), KINDS[kind], "questions") for kind in COUNTED),
    decimal("item_rest", "Mean item-rest", "Mean over the questions that have an item-rest correlation."),
)
RUNS = ResultTable(
    "difficulty: runs",
    "Every run, with the first passage by which it answers a question",
    RUN,
    REFERENCE_RANK,
    flag("answered", "Answers it"),
    number("place", "Place", "Rank of the first passage that answers it.", "rank"),
    PASSAGE,
    number("best", "Best grade", "Best grade of the run's first k passages on this question.", "grade"),
)


@dataclass(frozen=True)
class Difficulty:
    """Every question of a bank under one grading mode, tau and depth.

    Parameters
    ----------
    grading, tau, depth : whose grades, the smallest that answers, and how many passages of a ranking are read
    n_runs : how many runs there are
    reference : whose order `kendall` is with; None if there is none
    told_from_zero : smallest correlation over these runs that a t test (p < 0.05, one question alone) tells from 0
    rows : `ROWS`. Worst first: smallest item_rest, where a question that all runs or none answer tells nothing,
        which is 0
    queries : `QUERIES`
    """

    grading: Grading
    tau: int
    depth: int | None
    n_runs: int
    reference: str | None
    told_from_zero: float
    rows: pd.DataFrame
    queries: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def difficulty(snapshot: Snapshot, choice: Evaluation) -> Difficulty:
    """How many runs and passages answer each question, and whether it tells good runs from bad ones.

    A run answers a question where one of its first passages has a grade of at least tau. The measure of the choice
    plays no part but for its depth. A question that is asked under several queries has a row for each.

    Raises
    ------
    UsageError : no such reference, or nothing to evaluate
    UndefinedMeasure : the grader labels whole passages

    Source: item facility and item-rest correlation of classical test theory, Lord & Novick 1968, chapter 15; runs are
    the candidates as in EXAM, section 3.
    """
    read = replace(choice, measure=Measure("Cover", choice.measure.depth or choice.labelling.depth)).as_read
    book = gradebook(snapshot, read.labelling).without_strangers()
    if not book.has_questions:
        raise UndefinedMeasure(
            f"{choice.grading.grader or choice.grading.judgments} labels whole passages and has no questions. Choose a "
            "grading mode that grades questions."
        )
    answered = answers(book, read.measure.depth, choice.cut)
    other = find_reference(snapshot, choice.reference, choice)
    places = tuple(book.asked.T)
    rows = _rows(book, answered, choice.cut).assign(
        item_rest=item_rest_correlations(answered, book.enabled)[places],
        kendall=_kendalls(book, answered, other)[places],
    )
    told = smallest_correlation(len(book.run_ids))
    rows["kind"] = _kinds(rows, told)
    rows = _worst_first(with_words(snapshot, choice.grading, rows))
    name = other.name if other else None
    return Difficulty(
        choice.grading,
        choice.cut,
        read.measure.depth,
        len(book.run_ids),
        name,
        told,
        ROWS.of(rows),
        _of_queries(snapshot, rows),
        _notes(snapshot, read, book, other),
    )


def runs_of_question(snapshot: Snapshot, choice: Evaluation, query_id: str, question_id: str) -> pd.DataFrame:
    """Which runs answer a question, with what: the runs that do come first, then in the reference's order.

    Raises UsageError where the question is not asked under that query.

    Returns
    -------
    `RUNS`; null are place and doc_id where no passage answers it, best where none was graded, answered where none of
    the answers can be read, and a rank where the reference has none
    """
    read = replace(choice, measure=Measure("Cover", choice.measure.depth or choice.labelling.depth)).as_read
    book = gradebook(snapshot, read.labelling).without_strangers()
    query = book.query_ids.index(query_id) if query_id in book.query_ids else None
    if query is None or not book.has_questions or question_id not in book.question_ids[query]:
        raise UsageError(f"There is no question {question_id} under query {query_id}.")
    # A place more, where nothing is: there may be none.
    slots = np.pad(book.slots[: read.measure.depth, :, query], ((0, 1), (0, 0)), constant_values=NOTHING)
    column = np.append(book.grades[:, book.question_ids[query].index(question_id)], np.int8(UNGRADED))
    grades = column[np.where(slots >= 0, slots, -1)]  # (K, R)
    reaching = grades >= choice.cut
    answered: Bools = np.asarray(reaching.any(axis=0))
    first, best = reaching.argmax(axis=0), grades.max(axis=0, initial=UNGRADED)
    pairs = slots[first, np.arange(len(book.run_ids))]
    docs = [str(book.docs[int(pair)]) if has else None for pair, has in zip(pairs, answered, strict=True)]
    other = find_reference(snapshot, choice.reference, choice)
    frame = RUNS.of(
        {
            "run_id": book.run_ids,
            "reference_rank": other.ranks.reindex(book.run_ids).to_numpy(float) if other else np.nan,
            "answered": pd.Series(answered, dtype="boolean").mask(best == UNREADABLE),
            "place": pd.array(first + 1, "Int64"),
            "doc_id": pd.Series(docs, dtype=object),
            "best": pd.array(best, "Int64"),
        }
    )
    frame.loc[~answered, "place"] = pd.NA
    frame.loc[best < 0, "best"] = pd.NA
    return frame.sort_values(["answered", "reference_rank", "run_id"], ascending=[False, True, True], ignore_index=True)


def answers(book: Gradebook, depth: int | None, tau: int) -> Bools:
    """(S, R, Q) whether a run's first passages answer the question in a column of a query."""
    marks = Marks(labelling(book, (tau,)))
    return np.stack([marks.answers(depth, tau, column) for column in range(book.enabled.shape[1])])


def of_kinds(rows: pd.DataFrame, kinds: Collection[str]) -> pd.DataFrame:
    """The questions of some kinds, in the same order; all of them where none is named."""
    return rows[rows["kind"].isin(kinds)].reset_index(drop=True) if kinds else rows


def counts_of_kinds(rows: pd.DataFrame) -> dict[str, int]:
    """How many questions are of each kind, in the order of `KINDS`; a kind without questions is left out."""
    counts = rows["kind"].value_counts()
    return {kind: int(counts[kind]) for kind in KINDS if kind in counts}


def kinds_in_words(rows: pd.DataFrame) -> str:
    """How many questions separate good runs from bad, and what the others do, in a clause."""
    counts = counts_of_kinds(rows)
    others = "".join(f"; {IN_WORDS[kind].format(n)}" for kind, n in counts.items() if kind != DISCRIMINATING)
    return (
        f"{counts.get(DISCRIMINATING, 0):,} of {counted({'questions': len(rows)})} separate good runs from bad{others}"
    )


def _rows(book: Gradebook, answered: Bools, tau: int) -> pd.DataFrame:
    """The enabled questions with what counts can say."""
    at = book.asked
    places = tuple(at.T)
    graded, any_answer = (book.by_query(book.grades >= least)[places] for least in (0, UNREADABLE))
    unread = (graded == 0) & (any_answer > 0)
    runs = answered.sum(axis=1).T[places]
    runs = np.where(unread, np.nan, runs) if unread.any() else runs
    n_runs = len(book.run_ids)
    return pd.DataFrame(
        {
            "query_id": [book.query_ids[query] for query, _ in at],
            "question_id": [book.question_ids[query][column] for query, column in at],
            "runs": runs,
            "runs_share": runs / n_runs if n_runs else np.full(len(at), np.nan),
            "passages": book.by_query(book.grades >= tau)[places],
            "graded": graded,
            "unread": unread,
        }
    )


def _kendalls(book: Gradebook, answered: Bools, other: Reference | None) -> Floats:
    """(Q, S) Kendall's tau-b of answering with the reference's order, over the runs that both have."""
    if other is None:
        return np.full(book.enabled.shape, np.nan)
    both = [run for run, name in enumerate(book.run_ids) if name in other.ranks.index]
    order = -other.ranks.reindex([book.run_ids[run] for run in both]).to_numpy(float)
    columns = [correlations(column[both].T.astype(float), order, ("kendall",)).kendall for column in answered]
    return np.stack(columns, axis=1)


def _kinds(rows: pd.DataFrame, told: float) -> list[str]:
    """The first kind of `KINDS` that each question is; without runs, nothing but whether a passage answers it."""
    share, rest = rows["runs_share"], rows["item_rest"].round(DIGITS)
    is_kind = {
        UNREAD: rows["unread"],
        UNANSWERED: rows["passages"] == 0,
        HARD: share <= HARDLY_ANY,
        UNIVERSAL: share == 1,
        NEGATIVE: rest < 0,
        DISCRIMINATING: rest >= told,
    }
    return list(np.select(list(is_kind.values()), list(is_kind), default=WEAK))


def _worst_first(rows: pd.DataFrame) -> pd.DataFrame:
    order = rows.assign(_rest=rows["item_rest"].fillna(0.0).round(DIGITS))
    order = order.sort_values(["_rest", "runs_share", "query_id"], ignore_index=True)
    return order.drop(columns="_rest")


def _of_queries(snapshot: Snapshot, rows: pd.DataFrame) -> pd.DataFrame:
    counted = rows.assign(**{kind: rows["kind"] == kind for kind in COUNTED}, zero=rows["runs_share"].fillna(0.0))
    frame = counted.groupby("query_id", as_index=False).agg(
        questions=("question_id", "size"),
        runs_share=("zero", "mean"),
        known=("runs_share", "count"),
        **{kind: (kind, "sum") for kind in COUNTED},
        item_rest=("item_rest", "mean"),
    )
    frame["runs_share"] = frame["runs_share"].where(frame["known"] > 0)
    texts = query_texts(snapshot)
    # a facet's text may be the page's
    frame["query_text"] = [texts.get(name) or texts.get(name.rpartition("/")[0]) for name in frame["query_id"]]
    return QUERIES.of(frame.sort_values(["runs_share", "query_id"], ignore_index=True))


def _notes(snapshot: Snapshot, choice: Evaluation, book: Gradebook, other: Reference | None) -> list[str]:
    notes = scope_of(snapshot, choice).about_unreadable() + ([] if book.run_ids else [no_runs(snapshot)])
    if ungraded := len(book.ungraded_queries) + int((~book.counted).sum()):
        notes.append(f"Queries without grades that count are left out: {ungraded}.")
    if other is None:
        return [*notes, no_reference(snapshot)]
    left = sum(name not in other.ranks.index for name in book.run_ids)
    return notes + about_left_out(left, len(book.run_ids), other.name)
