"""One run, query by query: its values beside those of all runs, and the passages it ranked."""

from __future__ import annotations

import numpy as np
import pandas as pd

from exam_core.analysis.chance.redraws import values_of_runs
from exam_core.analysis.evaluation.books import gradebook
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.values import Values, as_read
from exam_core.errors import UsageError
from exam_core.measures.correlation import DIGITS, mean_rank
from exam_core.measures.gradebook import Gradebook
from exam_core.measures.means import mean_and_stderr
from exam_core.store import Snapshot
from exam_core.store.rankings import ranked_passages, texts_of
from exam_core.store.summary import qrels_ids
from exam_core.tables import UNGRADED, UNREADABLE

QUERIES = ("query_id", "query_text", "value", "mean", "difference", "rank", "n_runs")
PASSAGES = ("rank", "doc_id", "label", "answered", "first_answered", "relevance", "text")


def run_queries(snapshot: Snapshot, choice: Evaluation, run_id: str) -> pd.DataFrame:
    """A run's value on every query, with the mean of all runs; where it falls short most comes first.

    Returns
    -------
    query_id, query_text (None if unknown), value, mean (of all runs, this one included), difference (value - mean),
    rank (among the runs on this query, ties share their mean rank), n_runs

    Raises
    ------
    UsageError : no such run, or nothing to evaluate
    """
    values = values_of_runs(snapshot, choice)
    row = place_of(values, run_id)
    mean, _, n = mean_and_stderr(values.values.T)
    frame = pd.DataFrame(
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
    rank, doc_id, label (N-th best grade; NaN where nothing is graded or readable), answered (how many questions reach
    tau), first_answered (how many of them no passage before it answers; both NaN for labels of whole passages, and
    without a grade), relevance (human judgment; NaN without one), text (its beginning; None if unknown)

    Raises
    ------
    UsageError : no such query, or nothing to evaluate
    """
    read = as_read(choice)
    book = gradebook(snapshot, read.labelling)
    if query_id not in book.query_ids:
        raise UsageError(f"Nothing is graded for query {query_id}.")
    known = qrels_ids(snapshot)
    depth = read.measure.depth or read.labelling.depth
    found = ranked_passages(snapshot, run_id, query_id, depth=depth, qrels_id=known[0] if known else None)
    return found.assign(**_worth(book, choice, book.query_ids.index(query_id), found["doc_id"]))[list(PASSAGES)]


def place_of(values: Values, run_id: str) -> int:
    """The row of a run.

    Raises
    ------
    UsageError : there is no such run
    """
    if run_id not in values.run_ids:
        raise UsageError(f"There is no run {run_id} among the {len(values.run_ids)} that are evaluated.")
    return values.run_ids.index(run_id)


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
