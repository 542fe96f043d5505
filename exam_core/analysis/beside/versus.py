"""Two leaderboards of the same runs: where each run stands on both, and which pairs of runs they order differently."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from exam_core.analysis.beside.correlation import RANK_COEFFICIENTS
from exam_core.analysis.beside.rank_swaps import pair_frame
from exam_core.analysis.causes.outliers import named
from exam_core.analysis.chance.redraws import values_of_runs
from exam_core.analysis.chance.significance import ALPHA
from exam_core.analysis.evaluation.caveats import NAMES, about_intervals, about_unanswered
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.leaderboard import Leaderboard
from exam_core.analysis.evaluation.references import about_order, correlation_with
from exam_core.analysis.evaluation.values import Values
from exam_core.defaults import DRAWS, SEED
from exam_core.measures.correlation import mean_rank
from exam_core.measures.displacement import displacements
from exam_core.measures.gradebook import Floats
from exam_core.measures.means import Span, mean_and_stderr, span
from exam_core.measures.resampling import bootstrap_counts, correlation_intervals
from exam_core.measures.significance import holm, paired_t
from exam_core.store import Snapshot

SIDES = ("both", "A", "B", "neither")
ORDERS = ("same", "tied once", "flipped")
FLIPS = ("run_a", "run_b", "difference_a", "difference_b", "p_a", "p_b", "separable")


@dataclass(frozen=True)
class Versus:
    """Two leaderboards, A and B, of the n runs that both have.

    A pair of runs is flipped where one board has one run ahead and the other board the other. A tie on one board only
    is no flip; a tie on both is the same order. A board separates a pair where its paired t-test does, after Holm's
    adjustment for all pairs (p < 0.05).

    Parameters
    ----------
    title_a, title_b : the leaderboards
    n : runs that both have a mean of
    rows : run_id, rank_a, rank_b (both among the n runs), displacement (rank_a - rank_b: positive where B has the run
        higher), mean_a, stderr_a, normalised_a, mean_b, stderr_b, normalised_b; in the order of A
    correlation : coefficient, value, low, high (95% of the draws of queries; NaN without queries); B stands where a
        reference stands
    pairs : how often each order (same, tied once, flipped) comes with separation by both boards, A or B alone, or
        neither: order, both, A, B, neither, total. Without queries the four are NA
    flips : run_a (ahead on A), run_b (ahead on B), difference_a, difference_b (negative), p_a, p_b (adjusted; NaN
        without queries), separable (both, A, B, neither; None without queries). What both boards separate comes
        first, then what one does; the largest sum of re-normalised differences first
    """

    title_a: str
    title_b: str
    n: int
    rows: pd.DataFrame
    correlation: pd.DataFrame
    pairs: pd.DataFrame
    flips: pd.DataFrame
    notes: list[str] = field(default_factory=list)

    @property
    def caveats(self) -> list[str]:
        """What must be read with the intervals of the correlation."""
        rows = self.correlation.itertuples()
        return about_intervals({NAMES[row.coefficient]: (row.value, row.low, row.high) for row in rows})


@dataclass(frozen=True)
class _Board:
    """One side: means and standard errors of runs, and their (n, Q) values; None of a printed column.

    `over` is the span of the whole leaderboard, whichever of its runs are compared.
    """

    title: str
    run_ids: list[str]
    query_ids: list[str]
    mean: Floats
    stderr: Floats
    values: Floats | None
    over: Span

    @property
    def normalised(self) -> Floats:
        """(n,) as the leaderboard re-normalises them."""
        return self.over.mapped(self.mean)

    def of(self, run_ids: list[str]) -> _Board:
        """The same for some of the runs, in their order."""
        rows = [self.run_ids.index(run_id) for run_id in run_ids]
        values = None if self.values is None else self.values[rows]
        return _Board(self.title, run_ids, self.query_ids, self.mean[rows], self.stderr[rows], values, self.over)

    def p(self) -> Floats:
        """(n, n) adjusted p of each pair; NaN without queries."""
        n = len(self.run_ids)
        return np.full((n, n), np.nan) if self.values is None else holm(paired_t(self.values))


def versus(
    snapshot: Snapshot, choice_a: Evaluation, choice_b: Evaluation, *, draws: int = DRAWS, seed: int = SEED
) -> Versus:
    """Two evaluations of the same runs beside each other.

    Parameters
    ----------
    draws, seed : of the bootstrap of queries; both leaderboards are drawn on the same queries

    Raises
    ------
    UsageError : nothing to evaluate

    Source: pairs by the agreement of their tests after Moffat, Scholer & Thomas 2012 (active and passive agreement);
    flips as the rank swaps of Lin & Demner-Fushman 2005.
    """
    choices = (choice_a, choice_b)
    sides = [
        _board(name, values_of_runs(snapshot, choice)) for name, choice in zip(named(choices), choices, strict=True)
    ]
    found = _versus(sides[0], sides[1], draws, seed)
    about = [note for choice in choices for note in about_unanswered(snapshot, choice)]
    return replace(found, notes=found.notes + list(dict.fromkeys(about)))


def of_boards(*boards: Leaderboard) -> Versus:
    """Two leaderboards without queries beside each other: neither intervals nor tests."""
    sides = []
    for board in boards:
        mean, stderr = (board.rows[name].to_numpy(float) for name in ("mean", "stderr"))
        sides.append(_Board(board.title, board.rows["run_id"].tolist(), [], mean, stderr, None, span(mean)))
    left, right = sides
    return _versus(left, right, 0, 0)


def _board(name: str, values: Values) -> _Board:
    mean, stderr, _ = mean_and_stderr(values.values)
    return _Board(name, values.run_ids, values.query_ids, mean, stderr, values.values, span(mean))


def _versus(left: _Board, right: _Board, draws: int, seed: int) -> Versus:
    averaged = [
        {run_id for run_id, mean in zip(side.run_ids, side.mean, strict=True) if not np.isnan(mean)}
        for side in (left, right)
    ]
    shared = [run_id for run_id in left.run_ids if run_id in averaged[0] & averaged[1]]
    notes = _about_runs(len(averaged[0] | averaged[1]) - len(shared))
    if left.values is None or right.values is None:
        notes.append("Printed figures: no queries, so that no pair of runs can be tested and nothing has an interval.")
    a, b = left.of(shared), right.of(shared)
    correlation = _correlation(a, b, draws, seed)
    notes += about_order(b.title, float(correlation["value"].iloc[0]))
    pairs = _pairs(a, b)
    return Versus(a.title, b.title, len(shared), _rows(a, b), correlation, _counts(pairs), _flips(pairs), notes)


def _about_runs(left_out: int) -> list[str]:
    return [f"{left_out} runs are on one of the two leaderboards only and are left out."] if left_out else []


def _rows(a: _Board, b: _Board) -> pd.DataFrame:
    columns = {
        "run_id": a.run_ids,
        "rank_a": mean_rank(a.mean),
        "rank_b": mean_rank(b.mean),
        "displacement": displacements(b.mean, a.mean),
    }
    for side, board in (("a", a), ("b", b)):
        mine = {"mean": board.mean, "stderr": board.stderr, "normalised": board.normalised}
        columns |= {f"{name}_{side}": column for name, column in mine.items()}
    return pd.DataFrame(columns).sort_values(["rank_a", "rank_b", "run_id"], ignore_index=True)


def _correlation(a: _Board, b: _Board, draws: int, seed: int) -> pd.DataFrame:
    found = correlation_with(a.mean, b.mean, of_scores=True)
    rows = pd.DataFrame({"coefficient": RANK_COEFFICIENTS}).assign(
        value=[float(getattr(found, name)) for name in RANK_COEFFICIENTS], low=np.nan, high=np.nan
    )
    if a.values is None or b.values is None or not len(a.run_ids):
        return rows
    theirs = pd.DataFrame(b.values, b.run_ids, b.query_ids).reindex(columns=a.query_ids).to_numpy(float)
    counts = bootstrap_counts(len(a.query_ids), draws, seed)
    ends = correlation_intervals(a.values[None], theirs, counts, RANK_COEFFICIENTS)
    low, high = ([float(getattr(end, name)[0]) for name in RANK_COEFFICIENTS] for end in ends)
    return rows.assign(low=low, high=high)


def _pairs(a: _Board, b: _Board) -> pd.DataFrame:
    """Every pair of runs, the one ahead on A first: FLIPS, order, and how far apart the pair is on both together."""
    pairs = pair_frame(a.run_ids, a.mean, b.mean)
    place = {run_id: row for row, run_id in enumerate(a.run_ids)}
    first, second = (pairs[name].map(place).to_numpy(int) for name in ("run_a", "run_b"))
    p_a, p_b = (board.p()[first, second] for board in (a, b))
    apart = sum(np.abs(board.normalised[first] - board.normalised[second]) for board in (a, b))
    pairs = pairs.rename(columns={"difference": "difference_a", "reference_difference": "difference_b"})
    order = np.select([pairs["swapped"], pairs["tied_once"]], ["flipped", "tied once"], "same")
    return pairs.assign(p_a=p_a, p_b=p_b, separable=_separable(p_a, p_b), order=order, apart=apart)


def _separable(p_a: Floats, p_b: Floats) -> list[str | None]:
    """Which boards separate each pair; None where a test is missing."""
    names = {(True, True): "both", (True, False): "A", (False, True): "B", (False, False): "neither"}
    unknown = np.isnan(p_a) | np.isnan(p_b)
    return [
        None if missing else names[bool(one), bool(other)]
        for missing, one, other in zip(unknown, p_a < ALPHA, p_b < ALPHA, strict=True)
    ]


def _counts(pairs: pd.DataFrame) -> pd.DataFrame:
    table = pd.DataFrame({"order": ORDERS})
    tested = pairs["separable"].notna().all() and len(pairs) > 0
    for side in SIDES:
        counted = [int(((pairs["order"] == order) & (pairs["separable"] == side)).sum()) for order in ORDERS]
        table[side] = pd.array(counted if tested else [pd.NA] * len(ORDERS), "Int64")
    return table.assign(total=[int((pairs["order"] == order).sum()) for order in ORDERS])


def _flips(pairs: pd.DataFrame) -> pd.DataFrame:
    flipped = pairs[pairs["order"] == "flipped"]
    by = flipped["separable"].map({"both": 0, "A": 1, "B": 1, "neither": 2})
    ordered = flipped.assign(by=by).sort_values(["by", "apart", "run_a", "run_b"], ascending=[True, False, True, True])
    return ordered[list(FLIPS)].reset_index(drop=True)
