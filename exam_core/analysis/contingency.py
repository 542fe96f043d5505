"""Passages by query, label and relevance: what every figure of agreement is counted from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pandas as pd

from exam_core.analysis.books import KEPT, gradebook
from exam_core.analysis.configuration import TAUS, Choice, no_judgments
from exam_core.errors import UsageError
from exam_core.measures import Measure
from exam_core.measures.gradebook import Ints
from exam_core.measures.marks import mapped
from exam_core.store import Snapshot
from exam_core.store.summary import qrels_ids
from exam_core.tables import UNGRADED, UNREADABLE

UNJUDGED = UNGRADED
"""What an array of relevances holds for a passage without a judgment."""

# As in the gradebook: where the rankings are by facet, a page's judgments belong to each of its facets,
# and what a facet has of its own comes first.
_JUDGED = r"""
WITH facet AS (
    SELECT DISTINCT query_id AS unit, regexp_extract(query_id, '^(.+)/[^/]+$', 1) AS page FROM rankings
)
SELECT unit, doc_id, relevance FROM (
    SELECT query_id AS unit, doc_id, relevance, 1 AS choice FROM judgments WHERE qrels_id = $qrels
    UNION ALL
    SELECT facet.unit, doc_id, relevance, 2 FROM judgments JOIN facet ON page = query_id WHERE qrels_id = $qrels
)
QUALIFY row_number() OVER (PARTITION BY unit, doc_id ORDER BY choice) = 1
"""


@dataclass(frozen=True)
class Contingency:
    """Counts of the passages that have both a label and a judgment.

    Parameters
    ----------
    query_ids : names of Q queries
    labels, relevances : (G,) and (J,) the values that occur among judged passages, ascending
    counts : (Q, G, J)
    unreadable : judged passages whose label can't be read; they are not among the counts
    """

    query_ids: list[str]
    labels: Ints
    relevances: Ints
    counts: Ints
    unreadable: int


def contingency(snapshot: Snapshot, choice: Choice, judgments: str, *, label_rank: int) -> Contingency:
    """Count the passages of a choice once; a tau or a judgment cut needs no other counts.

    Raises
    ------
    UsageError : no such judgments
    """
    return _counted(snapshot, _asked_of_passages(choice), judgments, label_rank)


def relevances_of_pairs(snapshot: Snapshot, choice: Choice, judgments: str) -> npt.NDArray[np.int16]:
    """(P,) relevance of each pair of the choice's gradebook; UNJUDGED where there is no judgment.

    Raises
    ------
    UsageError : no such judgments
    """
    return _joined(snapshot, replace(_asked_of_passages(choice), label_map=None), judgments)


def _asked_of_passages(choice: Choice) -> Choice:
    """A choice without what labels and judgments don't depend on, so that all such choices share them."""
    return replace(
        choice, measure=Measure.parse("P@1"), tau=TAUS[0], label_rank=1, missing="zero", ncover_pool="graded"
    )


@lru_cache(maxsize=KEPT)
def _joined(snapshot: Snapshot, choice: Choice, judgments: str) -> npt.NDArray[np.int16]:
    if judgments not in qrels_ids(snapshot):
        raise UsageError(no_judgments(snapshot, judgments))
    book = gradebook(snapshot, choice)
    judged = snapshot.query(_JUDGED, {"qrels": judgments})
    # A query's number and the passage make the key: two short columns instead of one of long texts.
    query = pd.Index(book.query_ids).get_indexer(pd.Index(judged["unit"]))
    judged = judged.assign(query=query)[query >= 0]
    pairs = pd.DataFrame({"query": book.pair_query, "doc_id": np.asarray(book.docs, object)}, copy=False)
    found = pairs.merge(judged, how="left", on=["query", "doc_id"], validate="one_to_one")
    relevance: npt.NDArray[np.int16] = found["relevance"].fillna(UNJUDGED).to_numpy(np.int16)
    relevance.flags.writeable = False
    return relevance


@lru_cache(maxsize=4 * KEPT)
def _counted(snapshot: Snapshot, choice: Choice, judgments: str, label_rank: int) -> Contingency:
    book = gradebook(snapshot, choice)
    relevance = _joined(snapshot, replace(choice, label_map=None), judgments)
    label = mapped(book.labels(label_rank), dict(choice.label_map) if choice.label_map else None).astype(np.int64)
    judged, readable = relevance != UNJUDGED, label > UNREADABLE
    both = judged & readable
    labels, row = _codes(label[both])
    # Of all judged passages: the judgment cuts are the same whichever labels can be read.
    relevances, column = _codes(relevance[judged].astype(np.int64))
    column = column[readable[judged]]
    shape = (len(book.query_ids), len(labels), len(relevances))
    cell = (book.pair_query[both].astype(np.int64) * shape[1] + row) * shape[2] + column
    counts = np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape)
    return Contingency(book.query_ids, labels, relevances, counts, int((judged & ~readable).sum()))


def _codes(values: Ints) -> tuple[Ints, Ints]:
    """The distinct values, ascending, and each value's place among them."""
    low = int(values.min(initial=0))
    occurs = np.bincount(values - low) > 0
    return np.flatnonzero(occurs) + low, (np.cumsum(occurs) - 1)[values - low]
