"""Effects of a change of questions on labels and ranks; texts of questions."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from exam_core.analysis.choice import Evaluation, Grading
from exam_core.analysis.leaderboard import ROWS as BOARD
from exam_core.analysis.leaderboard import board_rows
from exam_core.analysis.scope import scope_of
from exam_core.analysis.shared_columns import MEAN, MOVED, PASSAGE, QUERY, RANK, REFERENCE_RANK, RUN
from exam_core.measures.gradebook import Gradebook, Labels
from exam_core.measures.marks import mapped
from exam_core.numbers.arrays import Bools
from exam_core.numbers.rank_correlations import DIGITS
from exam_core.results import ResultTable, flag, number, rank, signed
from exam_core.store import Snapshot
from exam_core.store.names import BankRef
from exam_core.store.question_texts import question_words
from exam_core.tables import UNREADABLE

ROWS = ResultTable(
    "whatif: rows",
    "Runs with the bank before and after the change, in the new order",
    RUN,
    replace(MEAN, name="mean_before", label="Score before"),
    replace(MEAN, name="mean_after", label="Score after"),
    signed("change", "Change", "Score after minus score before.", "score"),
    replace(RANK, name="rank_before", label="Rank before"),
    replace(RANK, name="rank_after", label="Rank after"),
    rank("rank_change", MOVED, "Rank before minus rank after: a run that rises is positive.", "ranks", form="%+g"),
    replace(BOARD["n_queries"], name="n_queries_before", label="Queries before"),
    replace(BOARD["n_queries"], name="n_queries_after", label="Queries after"),
    REFERENCE_RANK,
)
RELABELLED = ResultTable(
    "whatif: relabelled",
    "Passages whose label would change, those ranked by most runs first",
    QUERY,
    PASSAGE,
    rank("label_before", "Label before", "NaN without a readable grade.", "grade"),
    rank("label_after", "Label after", "NaN without a readable grade.", "grade"),
    flag("crosses_tau", "Crosses tau", "Yes if the passage becomes relevant or ceases to be relevant."),
    number("n_runs", "Runs", "Runs that rank the passage within the depth.", "runs"),
)


def side_by_side(
    snapshot: Snapshot, choice: Evaluation, edited_snapshot: Snapshot, edited: Evaluation
) -> tuple[pd.DataFrame, list[str]]:
    """Both boards side by side, in the new order, without the reference's ranks; and notes on the new one."""
    old, _ = board_rows(scope_of(snapshot, choice))
    new, notes = board_rows(scope_of(edited_snapshot, edited))
    names = ["run_id", "mean", "rank", "n_queries"]
    rows = new[names].merge(old[names], on="run_id", suffixes=("_after", "_before"), validate="one_to_one")
    change = (rows["mean_after"] - rows["mean_before"]).round(DIGITS)
    return rows.assign(change=change, rank_change=rows["rank_before"] - rows["rank_after"]), notes


class Labelled(NamedTuple):
    """The labels (P,) of a book's passages by another book (old) and by itself (new), UNREADABLE where there is none.

    `crosses` is true where one label is relevant and the other is not.
    """

    book: Gradebook
    old: Labels
    new: Labels
    crosses: Bools

    def rows(self, pairs: Bools) -> pd.DataFrame:
        """`RELABELLED` of some passages."""
        before, after = (np.where(labels > UNREADABLE, labels, np.nan)[pairs] for labels in (self.old, self.new))
        frame = RELABELLED.of(
            {
                "query_id": self.book.queries_of(pairs),
                "doc_id": np.asarray(self.book.docs, object)[pairs],
                "label_before": before,
                "label_after": after,
                "crosses_tau": self.crosses[pairs],
                "n_runs": self.book.held_by[pairs],
            }
        )
        order = ["n_runs", "crosses_tau", "query_id", "doc_id"]
        return frame.sort_values(order, ascending=[False, False, True, True], ignore_index=True)


def relabelled(before: Gradebook, after: Gradebook, choice: Evaluation) -> pd.DataFrame:
    """`RELABELLED` of the passages whose label differs between two books; one that a book lacks has no label there."""
    labelled = labelled_by_both(before, after, choice, choice)
    return labelled.rows(labelled.old != labelled.new)


def labelled_by_both(before: Gradebook, after: Gradebook, choice: Evaluation, then: Evaluation) -> Labelled:
    """The labels of the passages of `after` by both books, each by the rules and the cut of its own evaluation."""
    old, new = (
        np.maximum(mapped(book.labels(rules.label_rank), rules.mapping), np.int8(UNREADABLE))
        for book, rules in ((before, choice.labelling), (after, then.labelling))
    )
    if before.docs is not after.docs:
        passages_after, passages_before = (
            pd.MultiIndex.from_arrays([book.queries_of(slice(None)), np.asarray(book.docs, object)])
            for book in (after, before)
        )
        place = passages_before.get_indexer(passages_after)
        old = np.where(place >= 0, old[place], np.int8(UNREADABLE))
    return Labelled(after, old, new, (old >= choice.cut) != (new >= then.cut))


def with_words(snapshot: Snapshot, grading: Grading, rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of question_id and query_id with question_text and facet; None where the bank has no texts."""
    bank = grading.bank or BankRef("")
    known = question_words(snapshot, bank.name, bank.version or 0)
    # a facet's question may be the page's
    words = [
        known.get((question, query)) or known.get((question, query.rpartition("/")[0])) or (None, None)
        for question, query in zip(rows["question_id"], rows["query_id"], strict=True)
    ]
    texts, facets = ([word[part] for word in words] for part in (0, 1))
    return rows.assign(
        question_text=pd.Series(texts, rows.index, dtype=object), facet=pd.Series(facets, rows.index, dtype=object)
    )
