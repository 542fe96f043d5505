"""Runs that don't fit a board: none of their queries or passages is known, or ranks run against scores."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pyarrow as pa

from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.likeness import LOOKED_AT, likeness
from exam_core.measures.gradebook import Gradebook
from exam_core.store import Snapshot
from exam_core.store.derived_files import on_disk
from exam_core.store.snapshot_cache import kept

_AGAINST = """
WITH listed AS (
    SELECT run_id, query_id, arg_min(score, source_rank) < arg_max(score, source_rank) AS against
    FROM rankings WHERE rank <= $depth OR $depth IS NULL GROUP BY ALL
)
SELECT run_id, count(*) FILTER (against) AS against, count(*) AS queries FROM listed GROUP BY 1
HAVING 2 * count(*) FILTER (against) >= count(*) ORDER BY 1
"""
"""Runs that give the last rank a larger score than the first in half of their lists: distances, as a rule."""


@kept(64)
@on_disk
def _against_scores(snapshot: Snapshot, depth: int | None) -> list[tuple[str, int, int]]:
    found = snapshot.query(_AGAINST, {"depth": depth})
    return list(found.itertuples(index=False, name=None))


def about_ranks(snapshot: Snapshot, choice: Evaluation) -> list[str]:
    """A note on runs whose ranks run against their scores, by which passages are placed."""
    if choice.labelling.order == "rank" or not (found := _against_scores(snapshot, choice.labelling.depth)):
        return []
    run_id, against, queries = found[0]
    more = f" and {len(found) - 1:,} more runs" if len(found) > 1 else ""
    return [
        f"Ranks contradict scores in {run_id} ({against:,} of {queries:,} queries){more}, as when smaller scores are "
        "better. Passages are ranked by score, as in trec_eval; --order rank takes the ranks of the files."
    ]


def about_strangers(snapshot: Snapshot, run_ids: Sequence[str], query_ids: Collection[str], what: str) -> list[str]:
    """A note on runs none of whose queries is evaluated, which have no value, and on ids that look alike.

    Parameters
    ----------
    run_ids : these runs
    query_ids : the queries that are evaluated
    what : the queries in words, for instance `43 graded queries`
    """
    if not run_ids:
        return []
    rows = snapshot.query("SELECT DISTINCT query_id FROM rankings WHERE run_id = ? ORDER BY 1", [run_ids[0]])
    theirs, ours = rows["query_id"].tolist(), sorted(query_ids)
    whose = f"{run_ids[0]} has no value: none of its"
    if len(run_ids) > 1:
        whose = f"{run_ids[0]} and {len(run_ids) - 1:,} more runs have no value: none of their"
    such = f" (such as {theirs[0]}; the {what} are such as {ours[0]})" if theirs and ours else ""
    alike = likeness([name for name in theirs if name not in query_ids], ours)
    return [f"{whose} queries is one of the {what}{such}. {alike}".rstrip()]


def about_other_passages(snapshot: Snapshot, book: Gradebook, kind: str) -> list[str]:
    """A note on runs that returned passages of which none is graded or judged, and on ids that look alike.

    Parameters
    ----------
    kind : what a known passage is: `graded` or `judged`
    """
    strange = np.flatnonzero((book.slots < 0).all(axis=(0, 2)) & book.returned.any(axis=1))
    if not len(strange):
        return []
    run_id, queries = book.run_ids[strange[0]], book.returned[strange[0]] > 0
    asked = [name for name, is_answered in zip(book.query_ids, queries, strict=True) if is_answered]
    sql = "SELECT DISTINCT doc_id FROM rankings WHERE run_id = ? AND list_contains(?, query_id) ORDER BY 1 LIMIT ?"
    theirs = snapshot.query(sql, [run_id, asked, LOOKED_AT])["doc_id"].tolist()
    ours = pa.array(book.docs).take(pa.array(np.flatnonzero(queries[book.pair_query])[:LOOKED_AT])).to_pylist()
    more = f", nor of those of {len(strange) - 1:,} more runs" if len(strange) > 1 else ""
    return [
        f"None of the {book.returned[strange[0]].sum():,} passages of {run_id} is {kind}{more}. Its ids look like "
        f"{theirs[0]}, ids of {kind} passages like {ours[0]}. {likeness(theirs, ours)}".rstrip()
    ]
