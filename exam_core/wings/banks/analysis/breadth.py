"""Whether questions reach what judges call relevant, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from exam_core.analysis.evaluation.books import gradebook
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.judges.contingency import UNJUDGED, relevances_of_pairs
from exam_core.analysis.shared_columns import PASSAGE, PASSAGE_TEXT, QUERY
from exam_core.measures.gradebook import Gradebook
from exam_core.numbers.arrays import Bools, Ints
from exam_core.results import ResultTable, number
from exam_core.store import Snapshot
from exam_core.store.summary import qrels_ids
from exam_core.wording import counted

SHOWN_TEXT = 240
SEEDS = ResultTable(
    "bank health: seeds",
    "Relevant passages that answer no question: seeds for new questions; those ranked by most runs first",
    QUERY,
    PASSAGE,
    number("relevance", "Judged", unit="relevance"),
    number("label", "Best grade", "Its best grade over the query's questions, which is below tau.", "grade"),
    number("runs", "Runs", "Runs that rank it within the depth.", "runs"),
    replace(PASSAGE_TEXT, help="Its beginning."),
)


@dataclass(frozen=True)
class Breadth:
    """What questions reach of what was judged.

    Parameters
    ----------
    judgments : whose they are; None where there are none, and everything below is empty
    questions : query_id, question_id; relevant and not_relevant: judged passages with a readable grade on the question;
        relevant_reached and not_relevant_reached: those of them with a grade of at least tau
    queries : query_id; relevant and not_relevant: judged passages with a readable grade on any question; unreached:
        the relevant ones that no question reaches; reached: the others that one reaches
    seeds : `SEEDS`
    """

    judgments: str | None
    questions: pd.DataFrame
    queries: pd.DataFrame
    seeds: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def breadth(snapshot: Snapshot, choice: Evaluation, judgments: str | None, relevant_from: int) -> Breadth:
    """Which judged passages the enabled questions reach: with a grade of at least tau.

    Parameters
    ----------
    judgments : None takes `official`, or the first there are
    relevant_from : smallest judgment that counts as relevant

    Raises
    ------
    UsageError : no such judgments, or nothing to evaluate

    Source: EXAM, section 3.1.2 (relevant passages that no question covers); "uncovered" and "bad questions" of the
    authors' verification views.
    """
    book = gradebook(snapshot, choice.labelling)
    known = qrels_ids(snapshot)
    name = judgments or (known[0] if known else None)
    relevance = np.full(len(book.grades), UNJUDGED, np.int16)
    notes: list[str] = []
    if name is None:
        notes = [
            f"{snapshot.collection} has no human judgments: over-broad questions and uncovered passages can't be found."
        ]
    else:
        relevance = relevances_of_pairs(snapshot, choice.labelling, name)
    judged = relevance != UNJUDGED
    relevant, other = judged & (relevance >= relevant_from), judged & (relevance < relevant_from)
    label = book.labels()
    unknown = int((judged & (label < 0)).sum())
    if unknown:
        notes.append(f"{counted({'judged passages': unknown})} without a grade that can be read: left out.")
    rows = _rows_of_questions(book, choice.cut, relevant, other)
    seeds = relevant & (label >= 0) & (label < choice.cut)
    return Breadth(
        name,
        rows,
        _rows_of_queries(book, relevant & (label >= 0), other & (label >= 0), label >= choice.cut),
        _seeds(snapshot, book, np.flatnonzero(seeds), relevance, label),
        notes,
    )


def _rows_of_questions(book: Gradebook, tau: int, relevant: Bools, other: Bools) -> pd.DataFrame:
    at = book.asked
    readable, reached = book.grades >= 0, book.grades >= tau
    counts = {
        "relevant": readable & relevant[:, None],
        "relevant_reached": reached & relevant[:, None],
        "not_relevant": readable & other[:, None],
        "not_relevant_reached": reached & other[:, None],
    }
    return pd.DataFrame(
        {
            "query_id": [book.query_ids[query] for query, _ in at],
            "question_id": [book.question_ids[query][column] for query, column in at],
            **{name: book.by_query(cells)[tuple(at.T)] for name, cells in counts.items()},
        }
    )


def _rows_of_queries(book: Gradebook, relevant: Bools, other: Bools, reached: Bools) -> pd.DataFrame:
    counts = {"relevant": relevant, "unreached": relevant & ~reached, "not_relevant": other}
    counts["reached"] = other & reached
    return pd.DataFrame({"query_id": book.query_ids} | {name: book.by_query(one) for name, one in counts.items()})


def _seeds(
    snapshot: Snapshot, book: Gradebook, pairs: Ints, relevance: npt.NDArray[np.int16], label: npt.NDArray[np.int8]
) -> pd.DataFrame:
    docs = np.asarray(book.docs, object)[pairs]
    frame = SEEDS.of(
        {
            "query_id": book.queries_of(pairs),
            "doc_id": docs,
            "relevance": relevance[pairs],
            "label": label[pairs],
            "runs": book.held_by[pairs],
            "text": pd.Series(docs, dtype=object).map(_beginnings(snapshot, docs.tolist())),
        }
    )
    order = ["runs", "relevance", "query_id", "doc_id"]
    return frame.sort_values(order, ascending=[False, False, True, True], ignore_index=True)


def _beginnings(snapshot: Snapshot, docs: list[str]) -> dict[str, str]:
    found = snapshot.query(
        f"SELECT doc_id, left(passage_text, {SHOWN_TEXT}) AS text FROM passages "
        "WHERE passage_text IS NOT NULL AND doc_id IN (SELECT unnest($docs::VARCHAR[]))",
        {"docs": docs},
    )
    return dict(zip(found["doc_id"], found["text"], strict=True))
