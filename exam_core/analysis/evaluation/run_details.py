"""One run, query by query: its values beside those of all runs, and the passages it ranked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from exam_core.analysis.evaluation.books import gradebook
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.values import place_of
from exam_core.analysis.shared_columns import DIFFERENCE, PASSAGE, PASSAGE_TEXT, QUERY, QUERY_TEXT, RANK
from exam_core.analysis.uncertainty.redraws import values_of_runs
from exam_core.errors import UsageError
from exam_core.measures.gradebook import Gradebook
from exam_core.numbers.means import mean_and_stderr
from exam_core.numbers.rank_correlations import DIGITS, mean_rank
from exam_core.results import ResultTable, decimal, number, rank
from exam_core.store import Snapshot
from exam_core.store.rankings import ranked_passages, texts_of
from exam_core.store.summary import qrels_ids
from exam_core.tables import UNGRADED, UNREADABLE

QUERIES = ResultTable(
    "run: queries",
    "A run's value on every query beside the mean of all runs, largest deficit first",
    QUERY,
    QUERY_TEXT,
    decimal("value", "Value", "The run's value of the measure on this query.", "score"),
    decimal("mean", "Mean of all runs", "Mean of all runs on this query, this run included.", "score"),
    replace(DIFFERENCE, help="Value minus the mean of all runs, largest deficit first."),
    RANK,
    number("n_runs", "of runs", unit="runs"),
)
PASSAGES = ResultTable(
    "run: passages",
    "A run's passages for a query with their labels",
    number("rank", "Rank", unit="rank", width=60),
    PASSAGE,
    rank(
        "label",
        "Label",
        "The passage's N-th best grade over the questions (EXAM, eq. 3), or the grade of the whole passage.",
        "grade",
        width=70,
    ),
    rank(
        "answered",
        "Answers",
        "Questions of the query whose grade on this passage is at least tau.",
        "questions",
        width=80,
    ),
    rank(
        "first_answered",
        "for the first time",
        "Questions that no passage before it answers; Cover counts these.",
        "questions",
    ),
    rank("relevance", "Judged", "Human judgment; a dash where there is none.", "relevance", width=70),
    PASSAGE_TEXT,
)


def run_queries(snapshot: Snapshot, choice: Evaluation, run_id: str) -> pd.DataFrame:
    """A run's value on every query, with the mean of all runs; where it falls short most comes first.

    Returns
    -------
    `QUERIES`; query_text is None if unknown, the rank is among the runs on this query

    Raises
    ------
    UsageError : no such run, or nothing to evaluate
    """
    values = values_of_runs(snapshot, choice)
    row = place_of(values, run_id)
    mean, _, n = mean_and_stderr(values.values.T)
    frame = QUERIES.of(
        {
            "query_id": values.query_ids,
            "query_text": texts_of(snapshot, values.query_ids),
            "value": values.values[row],
            "mean": mean,
            "difference": values.values[row] - mean,
            "rank": mean_rank(values.values.T)[:, row],
            "n_runs": n,
        }
    )
    order = np.argsort(np.round(frame["difference"].to_numpy(float), DIGITS), kind="stable")  # NaN comes last
    return frame.iloc[order].reset_index(drop=True)


def run_passages(snapshot: Snapshot, choice: Evaluation, run_id: str, query_id: str) -> pd.DataFrame:
    """The passages that a run ranked for a query down to the measure's depth, with what they are worth.

    Returns
    -------
    `PASSAGES`; the label is NaN where nothing is graded or readable, and so are answered and first_answered for labels
    of whole passages; relevance is NaN without a judgment, text (its beginning) None if unknown

    Raises
    ------
    UsageError : no such query, or nothing to evaluate
    """
    read = choice.as_read
    book = gradebook(snapshot, read.labelling)
    if query_id not in book.query_ids:
        raise UsageError(f"Nothing is graded for query {query_id}.")
    known = qrels_ids(snapshot)
    depth = read.measure.depth or read.labelling.depth
    found = ranked_passages(snapshot, run_id, query_id, depth=depth, qrels_id=known[0] if known else None)
    return PASSAGES.of(found.assign(**_worth(book, choice, book.query_ids.index(query_id), found["doc_id"])))


def _worth(book: Gradebook, choice: Evaluation, query: int, docs: pd.Series) -> dict[str, pd.Series]:
    """Label and answered questions of passages, in the order of a ranking; NaN without a grade."""
    first, last = np.searchsorted(book.pair_query, [query, query + 1])
    place = pd.Index(np.asarray(book.docs[first:last], object)).get_indexer(pd.Index(docs))
    graded = place >= 0
    pairs = first + np.maximum(place, 0)
    label = np.where(graded, book.labels(choice.labelling.label_rank)[pairs], np.int8(UNGRADED))
    columns = {"label": pd.Series(np.where(label > UNREADABLE, label, np.nan), docs.index)}
    reach = (book.grades[pairs] >= choice.cut) & book.enabled[query] & graded[:, None]
    before = np.cumsum(reach, axis=0) - reach > 0
    known = graded & (label > UNGRADED) & book.has_questions
    counts = {"answered": reach.sum(axis=1), "first_answered": (reach & ~before).sum(axis=1)}
    return columns | {name: pd.Series(np.where(known, count, np.nan), docs.index) for name, count in counts.items()}
