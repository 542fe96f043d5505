"""A list as it is printed, by query where a measure over the judgments gives the same ranks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.references import JUDGED_BY, Reference, find_reference
from exam_core.errors import UndefinedMeasure
from exam_core.numbers.rank_correlations import mean_rank
from exam_core.numbers.true_means import FEWEST
from exam_core.store import Snapshot
from exam_core.store.summary import qrels_ids
from exam_core.tables import OFFICIAL

APART, ON_AVERAGE = 1.0, 0.1
"""Places by which ranks may differ, of any run and on average: means that are printed with few digits tie, or swap."""


def by_query(snapshot: Snapshot, listed: Reference, choice: Evaluation) -> Reference:
    """A list with the values of the measure over the official judgments that ranks its runs as it does.

    A list alone can't be drawn with the queries, but what it was made of can. The official leaderboard of TREC DL 2019
    is nDCG@10 by its judgments. Where no measure gives the list's ranks, it stays as it is; so does one of fewer than
    five runs, whose ranks a measure may give by chance.
    """
    if listed.values is not None or OFFICIAL not in qrels_ids(snapshot):
        return listed
    for measure in JUDGED_BY:
        name = f"qrels:{measure}"
        try:
            made = find_reference(snapshot, name, choice)
        except UndefinedMeasure:
            continue
        if made is not None and _same_ranks(listed, made):
            note = f"{listed.name} and {name} rank runs nearly alike, so queries are drawn for both sides."
            return replace(listed, values=made.values, grading=made.grading, notes=(*listed.notes, note))
    return listed


def _same_ranks(listed: Reference, made: Reference) -> bool:
    runs = listed.ranks.index
    if len(runs) < FEWEST or not runs.isin(made.ranks.index).all():
        return False
    theirs, ours = (mean_rank(-one.ranks.reindex(runs).to_numpy(float)) for one in (listed, made))
    apart = np.abs(theirs - ours)
    return bool(np.ptp(ours) > 0 and apart.max() <= APART and apart.mean() <= ON_AVERAGE)
