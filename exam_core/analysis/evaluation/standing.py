"""Where each run stands: its rank and how sure that is, how far the reference has it elsewhere, and its holes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from exam_core.analysis.chance import significance
from exam_core.analysis.chance.redraws import values_of_runs
from exam_core.analysis.chance.significance import tiers
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.leaderboard import Leaderboard, leaderboard
from exam_core.analysis.holdings.holes import hole_shares
from exam_core.defaults import DRAWS, SEED
from exam_core.measures.displacement import displacements
from exam_core.measures.gradebook import Floats
from exam_core.measures.resampling import bootstrap_counts
from exam_core.measures.significance import rank_intervals
from exam_core.store import Snapshot

COLUMNS = (
    "rank",
    "run_id",
    "tier",
    "rank_low",
    "rank_high",
    "mean",
    "stderr",
    "normalised",
    "normalised_stderr",
    "reference_rank",
    "displacement",
    "holes",
    "n_queries",
    "unanswered",
)


def standing(snapshot: Snapshot, choice: Evaluation, *, draws: int = DRAWS, seed: int = SEED) -> pd.DataFrame:
    """A leaderboard with what says how much each of its ranks is worth.

    Parameters
    ----------
    reference : leaderboard to look for displacements from; None takes `official` if there is one
    draws, seed : of the bootstrap of queries that makes the rank intervals

    Returns
    -------
    Best run first: rank, run_id, tier (as in `significance`), rank_low and rank_high (95% of the draws), mean, stderr,
    normalised, normalised_stderr, reference_rank, displacement (rank in the reference minus own, both among the runs
    that have both; positive where the run is promoted), holes (share of the places down to the measure's depth that
    have no grade), n_queries, unanswered (queries for which the run returned nothing; NaN where no run leaves one);
    NaN where a value is undefined

    Raises
    ------
    UsageError : no such reference, or nothing to evaluate

    Source: intervals as in Efron & Tibshirani 1993, chapter 13; tiers by Student's paired t-test and Holm 1979.
    """
    values = values_of_runs(snapshot, choice)
    low, high = rank_intervals(values.values, bootstrap_counts(len(values.query_ids), draws, seed))
    tier = pd.Series(tiers(values.values), dtype="Int64")
    found = pd.DataFrame({"run_id": values.run_ids, "tier": tier.mask(tier == 0), "rank_low": low, "rank_high": high})
    rows = leaderboard(snapshot, choice).rows.merge(found, on="run_id")
    rows["holes"] = rows["run_id"].map(hole_shares(snapshot, choice))
    if not rows["unanswered"].any():
        rows["unanswered"] = np.nan
    return rows.assign(displacement=_displacement(rows))[list(COLUMNS)]


def of_board(board: Leaderboard) -> pd.DataFrame:
    """As `standing`, of a leaderboard without queries: tiers by error bars; no intervals and no holes."""
    known = significance.of_board(board).rows.set_index("run_id")["tier"]
    nothing = dict.fromkeys(("rank_low", "rank_high", "holes"), np.nan)
    tier = board.rows["run_id"].map(known).astype("Int64")
    return board.rows.assign(tier=tier, displacement=_displacement(board.rows), **nothing)[list(COLUMNS)]


def own_order(boards: Mapping[str, Leaderboard]) -> list[str]:
    """The runs by the first board's ranks; those that only later boards have follow by theirs."""
    return list(dict.fromkeys(run_id for board in boards.values() for run_id in board.rows["run_id"]))


def _displacement(rows: pd.DataFrame) -> Floats:
    """Rank in the reference minus own rank among the runs that have both; NaN for the others."""
    both = (rows["mean"].notna() & rows["reference_rank"].notna()).to_numpy()
    moved = np.full(len(rows), np.nan)
    shared = rows[both]
    moved[both] = displacements(shared["mean"].to_numpy(float), -shared["reference_rank"].to_numpy(float))
    return moved
