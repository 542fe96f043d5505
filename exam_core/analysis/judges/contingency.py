"""Passages by query, label and relevance: what every figure of agreement is counted from."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from exam_core.analysis.evaluation.books import KEPT, ROOM, gradebook, pair_labels
from exam_core.analysis.evaluation.choice import AS_BANKED, LabelRule
from exam_core.analysis.evaluation.choosing import no_judgments
from exam_core.errors import UsageError
from exam_core.numbers.arrays import Ints
from exam_core.store import Snapshot
from exam_core.store.cells import Pairs
from exam_core.store.snapshot_cache import kept
from exam_core.store.summary import qrels_ids
from exam_core.tables import UNGRADED, UNREADABLE

UNJUDGED = UNGRADED
"""What an array of relevances holds for a passage without a judgment."""

# As in the gradebook: where the rankings are by facet, a page's judgments belong to each of its facets,
# and what a facet has of its own comes first.
JUDGED = r"""
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


def contingency(snapshot: Snapshot, labelling: LabelRule, judgments: str) -> Contingency:
    """Count the passages of a labelling once; a tau or a judgment cut needs no other counts.

    Raises
    ------
    UsageError : no such judgments
    """
    return _counted(snapshot, labelling, judgments)


def relevances_of_pairs(snapshot: Snapshot, labelling: LabelRule, judgments: str) -> npt.NDArray[np.int16]:
    """(P,) relevance of each pair of the gradebook; UNJUDGED where there is no judgment.

    Raises
    ------
    UsageError : no such judgments
    """
    if judgments not in qrels_ids(snapshot):
        raise UsageError(no_judgments(snapshot, judgments))
    book = gradebook(snapshot, replace(labelling, label_rank=1, label_map=None, asking=AS_BANKED))
    return _joined(snapshot, Pairs.of(book.query_ids, book.pair_query, book.docs), judgments)


@kept(KEPT)
def _joined(snapshot: Snapshot, of: Pairs, judgments: str) -> npt.NDArray[np.int16]:
    judged = snapshot.query(JUDGED, {"qrels": judgments})
    # A query's number and the passage make the key: two short columns instead of one of long texts.
    query = pd.Index(of.units).get_indexer(pd.Index(judged["unit"]))
    judged = judged.assign(query=query)[query >= 0]
    pairs = pd.DataFrame({"query": of.unit, "doc_id": np.asarray(of.docs, object)}, copy=False)
    found = pairs.merge(judged, how="left", on=["query", "doc_id"], validate="one_to_one")
    relevance: npt.NDArray[np.int16] = found["relevance"].fillna(UNJUDGED).to_numpy(np.int16)
    relevance.flags.writeable = False
    return relevance


@kept(4 * KEPT, ROOM)
def _counted(snapshot: Snapshot, labelling: LabelRule, judgments: str) -> Contingency:
    book = gradebook(snapshot, labelling)
    relevance = relevances_of_pairs(snapshot, labelling, judgments)
    label = pair_labels(snapshot, labelling).astype(np.int64)
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
