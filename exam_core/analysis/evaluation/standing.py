"""Where each run stands: its rank and how sure that is, how far the reference has it elsewhere, and its holes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from exam_core.analysis.contents.hole_shares import hole_shares
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.leaderboard import ROWS, Leaderboard, leaderboard
from exam_core.analysis.shared_columns import (
    MEAN,
    MOVED,
    NORMALISED,
    NORMALISED_STDERR,
    RANK,
    REFERENCE,
    REFERENCE_RANK,
    RUN,
    STDERR,
)
from exam_core.analysis.uncertainty.redraws import values_of_runs
from exam_core.analysis.uncertainty.telling_apart import (
    BY_BARS,
    BY_T,
    RANK_INTERVAL,
    RANK_INTERVAL_LABEL,
    TIER,
    known,
    tiers,
    tiers_by_bars,
)
from exam_core.defaults import DRAWS, SEED
from exam_core.numbers.arrays import Floats
from exam_core.numbers.displacement import displacements
from exam_core.numbers.true_means import rank_intervals
from exam_core.results import ResultTable, number, rank, share
from exam_core.store import Snapshot

RANK_LOW = number(
    "rank_low",
    RANK_INTERVAL_LABEL,
    RANK_INTERVAL,
    "rank",
    form="%.1f",
    width=110,
)
SCORES = ResultTable(
    "standing",
    "Runs with tests and intervals of their ranks, best first",
    replace(RANK, width=55),
    replace(RUN, width=140),
    number(
        "tier",
        "Tier",
        f"{TIER} {BY_T}, {BY_BARS}.",
        width=45,
    ),
    RANK_LOW,
    replace(RANK_LOW, name="rank_high", label="to"),
    replace(MEAN, width=85),
    replace(STDERR, width=65),
    replace(NORMALISED, width=85),
    NORMALISED_STDERR,
    replace(REFERENCE_RANK, help=REFERENCE, width=110),
    rank(
        "displacement",
        MOVED,
        "Rank in the reference minus own rank, both among the runs that have both: positive where this leaderboard "
        "promotes the run.",
        unit="ranks",
        form="%+g",
        width=85,
    ),
    share(
        "holes",
        "Ungraded",
        "Share of the top-k ranks that the run filled, over all queries, whose passage has no grade: nobody graded it, "
        "its grades can't be read, or the run's file left it out.",
        unit="share of the filled ranks",
        width=75,
    ),
    ROWS["n_queries"],
    ROWS["unanswered"],
)


def standing(snapshot: Snapshot, choice: Evaluation, *, draws: int = DRAWS, seed: int = SEED) -> pd.DataFrame:
    """A leaderboard with what says how much each of its ranks is worth.

    Parameters
    ----------
    reference : leaderboard to look for displacements from; None takes `official` if there is one
    draws, seed : of the true means that make the rank intervals

    Returns
    -------
    `SCORES`; unanswered is NaN where no run leaves a query unanswered, and so is what is undefined

    Raises
    ------
    UsageError : no such reference, or nothing to evaluate

    Source: intervals as in `rank_intervals`; tiers by Student's paired t-test and Holm 1979.
    """
    values = values_of_runs(snapshot, choice)
    low, high = rank_intervals(values.values, draws, seed)
    tier = known(tiers(values.values))
    found = pd.DataFrame({"run_id": values.run_ids, "tier": tier, "rank_low": low, "rank_high": high})
    rows = leaderboard(snapshot, choice).rows.merge(found, on="run_id")
    rows["holes"] = rows["run_id"].map(hole_shares(snapshot, choice))
    if not rows["unanswered"].any():
        rows["unanswered"] = np.nan
    return SCORES.of(rows.assign(displacement=displacement(rows)))


def of_board(board: Leaderboard) -> pd.DataFrame:
    """As `standing`, of a leaderboard without queries: tiers by error bars; no intervals and no holes."""
    nothing = dict.fromkeys(("rank_low", "rank_high", "holes"), np.nan)
    tier = known(tiers_by_bars(*(board.rows[name].to_numpy(float) for name in ("mean", "stderr"))))
    return SCORES.of(
        board.rows.assign(tier=tier.set_axis(board.rows.index), displacement=displacement(board.rows), **nothing)
    )


def own_order(boards: Mapping[str, Leaderboard]) -> list[str]:
    """The runs by the first board's ranks; those that only later boards have follow by theirs."""
    return list(dict.fromkeys(run_id for board in boards.values() for run_id in board.rows["run_id"]))


def displacement(rows: pd.DataFrame) -> Floats:
    """Rank in the reference minus own rank among the runs that have both; NaN for the others."""
    both = (rows["mean"].notna() & rows["reference_rank"].notna()).to_numpy()
    moved = np.full(len(rows), np.nan)
    shared = rows[both]
    if len(shared) > 1 and shared["reference_rank"].nunique() == 1:
        return moved  # All tie in the reference: there is no order to be displaced from.
    moved[both] = displacements(shared["mean"].to_numpy(float), -shared["reference_rank"].to_numpy(float))
    return moved
