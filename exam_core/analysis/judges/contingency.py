"""Passages by query, label and relevance: what every figure of agreement is counted from."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from exam_core.analysis.evaluation.books import KEPT, ROOM, gradebook, pair_labels
from exam_core.analysis.evaluation.choice import AS_BANKED, LabelRule
from exam_core.analysis.evaluation.choosing import no_judgments
from exam_core.errors import UsageError
from exam_core.numbers.arrays import Ints, slices
from exam_core.store import Snapshot
from exam_core.store.cells import Pairs
from exam_core.store.derived_files import on_disk
from exam_core.store.snapshot_cache import kept
from exam_core.store.summary import qrels_ids
from exam_core.tables import UNGRADED, UNREADABLE

UNJUDGED = UNGRADED
"""What an array of relevances holds for a passage without a judgment."""
PAIRS_AT_ONCE = 2**20

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
    return np.frombuffer(_joined_bytes(snapshot, of, judgments), np.int16)


@on_disk
def _joined_bytes(snapshot: Snapshot, of: Pairs, judgments: str) -> bytes:
    with snapshot.cursor() as cursor:
        judged = cursor.sql(snapshot.with_tables(JUDGED), params={"qrels": judgments}).to_arrow_table()
    judged = judged.append_column("query", pa.array(_places(judged["unit"], pa.array(of.units, pa.string()))))
    judged = judged.select(["query", "doc_id", "relevance"]).sort_by("query")
    query = judged["query"].to_numpy()
    relevance = np.full(len(of.unit), UNJUDGED, np.int16)
    for some in slices(len(of.unit), PAIRS_AT_ONCE):
        unit = of.unit[some]
        start, end = np.searchsorted(query, [unit[0], unit[-1] + 1]).tolist()
        at, values = _found(unit, of.docs[some], judged.slice(start, end - start))
        relevance[some][at] = values
    return relevance.tobytes()


def _found(unit: npt.NDArray[np.int32], docs: pa.Array, judged: pa.Table) -> tuple[Ints, Ints]:
    """Which of some pairs are judged, and how: from the judgments of their queries."""
    of_judged = judged["doc_id"].cast(docs.type)
    names = of_judged.unique()
    place = _places(docs, names)
    some = np.flatnonzero(place >= 0)
    # A query's number and the passage's place among the judged ones make the key: numbers instead of long texts.
    wanted = unit[some] * np.int64(len(names)) + place[some]
    known = judged["query"].to_numpy() * np.int64(len(names)) + _places(of_judged, names)
    _, at, row = np.intersect1d(wanted, known, assume_unique=True, return_indices=True)
    return some[at], judged["relevance"].to_numpy()[row]


def _places(texts: pa.Array | pa.ChunkedArray, among: pa.Array) -> Ints:
    """The place of each text among others; -1 where it is none of them."""
    found: Ints = pc.fill_null(pc.index_in(texts, among), -1).to_numpy().astype(np.int64)
    return found


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
