"""Places of passages in rankings, as trec_eval has them, and whether the ranks of a file say the same."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd


@dataclass
class RanksAndScores:
    """How often ranks of a file say another order than scores: of so many rankings, the first of them."""

    rankings: int = 0
    odd: int = 0
    first: dict[str, Any] = field(default_factory=dict)


def trec_rank(rankings: pd.DataFrame) -> pd.Series:
    """Rank from 1 within each run and query, by score as trec_eval reads it, ties by doc_id descending.

    trec_eval keeps scores as 32-bit floats, so scores that differ beyond that precision are ties.
    """
    return _ranks(rankings, _scores(rankings), _groups(rankings))


def look_at_ranks(summary: RanksAndScores, rankings: pd.DataFrame) -> pd.Series:
    """As `trec_rank`; rankings are counted, and those whose ranks say another order than their scores."""
    scores, groups = _scores(rankings), _groups(rankings)
    found = _contradictions(rankings, scores, groups)
    summary.rankings += int(groups.max(initial=-1)) + 1
    summary.odd += len(found)
    if len(found) and not summary.first:
        summary.first = found.iloc[0].to_dict()
    return _ranks(rankings, scores, groups)


def _scores(rankings: pd.DataFrame) -> npt.NDArray[np.float32]:
    with np.errstate(over="ignore"):
        return rankings["score"].to_numpy(np.float64).astype(np.float32)


def _groups(rankings: pd.DataFrame) -> npt.NDArray[np.int64]:
    return rankings.groupby(["run_id", "query_id"], sort=False).ngroup().to_numpy()


def _ranks(rankings: pd.DataFrame, score: npt.NDArray[np.float32], group: npt.NDArray[np.int64]) -> pd.Series:
    order = np.lexsort((-score, group))
    tied = np.logical_and(*(values[order[1:]] == values[order[:-1]] for values in (score, group)))
    if tied.any():
        # np.unique orders texts by code point, as strcmp orders UTF-8.
        rows = np.unique(np.concatenate([order[:-1][tied], order[1:][tied]]))
        doc_order = np.zeros(len(score), np.int64)
        doc_order[rows] = np.unique(rankings["doc_id"].iloc[rows].to_numpy(object), return_inverse=True)[1]
        order = np.lexsort((-doc_order, -score, group))
    grouped = group[order]
    starts = np.flatnonzero(np.r_[True, grouped[1:] != grouped[:-1]]) if len(order) else np.array([], int)
    lengths = np.diff(np.r_[starts, len(order)])
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order)) - np.repeat(starts, lengths) + 1
    return pd.Series(rank, rankings.index, pd.Int32Dtype())


def _contradictions(
    rankings: pd.DataFrame, score: npt.NDArray[np.float32], group: npt.NDArray[np.int64]
) -> pd.DataFrame:
    """Of each run and query whose ranks say another order than its scores, the first passage that has a larger score
    than one of a smaller rank; `rank_before` is that rank. Scores are compared as trec_eval reads them.
    """
    rank = rankings["source_rank"].to_numpy(np.int64)
    # Of passages with one rank, the largest score first: a score that rises is that of a larger rank.
    order = np.lexsort((-score, rank, group))
    rises = (score[order][1:] > score[order][:-1]) & (np.diff(group[order]) == 0)
    later = order[1:][rises]
    found = rankings.iloc[later].assign(rank_before=rank[order[:-1][rises]])
    return found.drop_duplicates(["run_id", "query_id"], ignore_index=True)
