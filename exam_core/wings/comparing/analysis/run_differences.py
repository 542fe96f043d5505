"""Which runs of a leaderboard can be told apart: tests of all pairs, tiers, intervals of means and ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.grade_scales import about_scales
from exam_core.analysis.evaluation.leaderboard import Leaderboard, title
from exam_core.analysis.evaluation.references import no_values, refuse_without_values, values_of_leaderboard
from exam_core.analysis.evaluation.scope import scope_of
from exam_core.analysis.evaluation.values import Values, place_of
from exam_core.analysis.shared_columns import MEAN, RANK, RUN, STDERR
from exam_core.analysis.uncertainty.redraws import values_of_runs
from exam_core.analysis.uncertainty.telling_apart import (
    ALPHA,
    BY_BARS,
    RANK_INTERVAL,
    RANK_INTERVAL_LABEL,
    TESTS,
    TIER,
    about_draws,
    known,
)
from exam_core.asked import PairTest
from exam_core.defaults import DRAWS, SEED
from exam_core.errors import UsageError
from exam_core.numbers import significance_tests as measures
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.numbers.means import mean_and_stderr
from exam_core.numbers.rank_correlations import DIGITS, mean_rank
from exam_core.numbers.resampling import mean_interval
from exam_core.numbers.significance_tests import separable_share
from exam_core.numbers.true_means import rank_intervals
from exam_core.results import ResultTable, decimal, flag, number, signed, text
from exam_core.store import Snapshot

INTERVAL = "95% interval of the mean: Student's t with n - 1 degrees of freedom."
ROWS = ResultTable(
    "significance: rows",
    "A leaderboard with its tiers, best run first",
    RUN,
    MEAN,
    STDERR,
    decimal("low", "95% from", INTERVAL, "score", source="Student 1908"),
    decimal("high", "to", INTERVAL, "score", source="Student 1908"),
    number("n_queries", "Queries", "Queries that the mean is taken over.", "queries"),
    RANK,
    number("rank_low", RANK_INTERVAL_LABEL, RANK_INTERVAL, "rank", form="%.1f"),
    number("rank_high", "to", RANK_INTERVAL, "rank", form="%.1f"),
    number("tier", "Tier", f"{TIER} (the chosen test, with Holm's adjustment for all pairs), {BY_BARS}."),
)
PAIRS = ResultTable(
    "significance: pairs",
    "Every pair of runs, in the order of the leaderboard",
    text("run_a", "Better run", pinned=True),
    text("run_b", "Other run"),
    signed("difference", "Difference", "Mean over the queries of the better run's value minus the other's.", "score"),
    number("n_queries", "Queries", "Queries that count for both.", "queries"),
    decimal("p", "p", "Two-sided p of the chosen test."),
    decimal("p_holm", "Holm p", "p after Holm's adjustment for all pairs.", source="Holm 1979"),
    flag("separable", "Separable", "Holm p below 0.05."),
    number(
        "wins", "Wins", "Queries on which the better run's value is above the other's, by more than 1e-9.", "queries"
    ),
    number("ties", "Ties", "Queries on which neither is above the other.", "queries"),
    number("losses", "Losses", "Queries on which the other run's value is above.", "queries"),
    flag("bars_overlap", "Error bars overlap", "Bars of one standard error."),
)


BASELINE = ResultTable(
    "significance: baseline",
    "Every other run beside a baseline, best run first",
    RUN,
    MEAN,
    signed("difference", "Difference", "Mean over the queries of the run's value minus the baseline's.", "score"),
    number("wins", "Wins", "Queries on which the run's value is above the baseline's, by more than 1e-9.", "queries"),
    number("ties", "Ties", "Queries on which neither is above the other.", "queries"),
    number("losses", "Losses", "Queries on which the baseline's value is above the run's.", "queries"),
    number("n_queries", "Queries", "Queries that count for both.", "queries"),
    *PAIRS.ordered("p", "p_holm", "separable").columns,
).changed(p_holm={"help": "p after Holm's adjustment for the comparisons with the baseline."})


@dataclass(frozen=True)
class EveryPair:
    """Every pair of runs of a leaderboard, by the paired t-test; `pairs` are `PAIRS`."""

    title: str
    pairs: pd.DataFrame
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class AgainstBaseline:
    """Every run beside a baseline.

    Parameters
    ----------
    title : the leaderboard
    baseline, test, draws, seed : what is compared with, how, and how many draws from which seed
    rows : `BASELINE`
    """

    title: str
    baseline: str
    test: PairTest
    draws: int
    seed: int
    rows: pd.DataFrame
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Significance:
    """What of a leaderboard's order is more than chance.

    Parameters
    ----------
    title : the leaderboard
    test, draws, seed : how pairs are tested, and how many draws and from which seed
    rows : `ROWS`
    pairs : `PAIRS`
    shares : by criterion the share of pairs that it holds separable; tests unadjusted and after Holm
    """

    title: str
    test: PairTest | None
    draws: int
    seed: int
    rows: pd.DataFrame
    pairs: pd.DataFrame
    shares: dict[str, float]
    notes: list[str] = field(default_factory=list)


def significance(
    snapshot: Snapshot, choice: Evaluation, *, test: PairTest = "t", draws: int = DRAWS, seed: int = SEED
) -> Significance:
    """Tests of all pairs of runs over the queries that both have, and the leaderboard in tiers.

    A pair is separable where the test's p, adjusted by Holm for all pairs, is below 0.05. A tier ends before the
    first run that is separable from its best run.

    Raises UsageError where there is nothing to evaluate.

    Parameters
    ----------
    test : the test whose p values are listed and make the tiers
    draws, seed : of the bootstrap and the random signs

    Source: Smucker, Allan & Carterette 2007 (the three tests); Holm 1979; overlap of error bars as in EXAM++.
    """
    values = values_of_runs(snapshot, choice)
    about, bounds = _about(snapshot, choice, values.values), choice.measure.info.bounds
    return _tested(values, title(choice), about, (test, draws, seed), bounds)


def of_values(
    snapshot: Snapshot, leaderboard_id: str, *, test: PairTest = "t", draws: int = DRAWS, seed: int = SEED
) -> Significance:
    """As `significance`, of a leaderboard that was imported with values by query.

    Raises UsageError where there is no such leaderboard, or it came without.
    """
    values = _imported(snapshot, leaderboard_id)
    return _tested(values, leaderboard_id, _few(values.values), (test, draws, seed), (-np.inf, np.inf))


def _imported(snapshot: Snapshot, leaderboard_id: str) -> Values:
    refuse_without_values(snapshot, leaderboard_id)
    values = values_of_leaderboard(snapshot, leaderboard_id)
    if values is None:
        raise UsageError(no_values(leaderboard_id))
    stays = [row for row, run_id in enumerate(values.run_ids) if run_id not in snapshot.left_out]
    return Values([values.run_ids[row] for row in stays], values.query_ids, values.values[stays])


def _tested(
    values: Values, name: str, about: list[str], how: tuple[PairTest, int, int], bounds: tuple[float, float]
) -> Significance:
    """The tests of all pairs.

    Parameters
    ----------
    name : of the leaderboard
    about : notes on its values
    how : test, draws and seed
    bounds : of what a mean can be
    """
    test, draws, seed = how
    found = {one: run(values.values, draws, seed) for one, run in TESTS.items()}
    p = found[test]
    adjusted = measures.holm(p)
    mean, stderr, _ = mean_and_stderr(values.values)
    bars = measures.overlap(mean, stderr)
    ranks = rank_intervals(values.values, draws, seed)
    rows = _rows(values, bounds, ranks, known(measures.tiers(mean, adjusted < ALPHA)))
    pairs = _pairs(values.run_ids, values.values, mean, _squares(values.values, p, bars))
    shares = {"error_bars": separable_share(~bars, mean)}
    for one, ps in found.items():
        shares[one] = separable_share(ps < ALPHA, mean)
        shares[f"{one}_holm"] = separable_share((adjusted if one == test else measures.holm(ps)) < ALPHA, mean)
    return Significance(name, test, draws, seed, rows, pairs, shares, about + about_draws(draws, len(pairs)))


def every_pair(snapshot: Snapshot, choice: Evaluation) -> EveryPair:
    """Every pair of runs with wins by query and the paired t-test; the same rows as those of `significance`.

    Raises UsageError where there is nothing to evaluate.

    Source: Student 1908; Holm 1979.
    """
    values = values_of_runs(snapshot, choice)
    mean, stderr, _ = mean_and_stderr(values.values)
    p = measures.paired_t(values.values)
    pairs = _pairs(values.run_ids, values.values, mean, _squares(values.values, p, measures.overlap(mean, stderr)))
    return EveryPair(title(choice), pairs, _about(snapshot, choice, values.values))


def against(
    snapshot: Snapshot,
    choice: Evaluation | str,
    baseline: str,
    *,
    test: PairTest = "t",
    draws: int = DRAWS,
    seed: int = SEED,
) -> AgainstBaseline:
    """Every other run beside one: differences, wins, and tests with Holm's adjustment for these comparisons alone.

    Parameters
    ----------
    choice : an evaluation, or the name of a leaderboard that was imported with values by query
    test, draws, seed : as in `significance`

    Raises
    ------
    UsageError : no such run, or nothing to evaluate

    Source: Smucker, Allan & Carterette 2007 (the tests); Holm 1979.
    """
    if isinstance(choice, str):
        values, name = _imported(snapshot, choice), choice
        about = _few(values.values)
    else:
        values, name = values_of_runs(snapshot, choice), title(choice)
        about = _about(snapshot, choice, values.values)
    base = place_of(values, baseline)
    p = TESTS[test](values.values, draws, seed)
    adjusted = measures.holm_against(p, base)
    mean, _, _ = mean_and_stderr(values.values)
    difference, _, n = mean_and_stderr(values.values - values.values[base])
    columns = {"run_id": values.run_ids, "mean": mean, "difference": difference, "n_queries": n, "p": p[base]}
    columns |= {one: square[:, base] for one, square in _wins(values.values).items()}
    rows = BASELINE.of(columns | {"p_holm": adjusted, "separable": adjusted < ALPHA})
    order = np.lexsort((np.array(values.run_ids), -np.round(mean, DIGITS)))
    rows = rows.iloc[[run for run in order if run != base and not np.isnan(mean[run])]].reset_index(drop=True)
    drawn = about_draws(draws, len(rows)) if test != "t" else []
    return AgainstBaseline(name, baseline, test, draws, seed, rows, about + drawn)


def _squares(values: Floats, p: Floats, bars: Bools) -> dict[str, npt.NDArray[Any]]:
    """(R, R) columns of `PAIRS` for the row's run and the column's."""
    adjusted = measures.holm(p)
    return {"p": p, "p_holm": adjusted, "separable": adjusted < ALPHA, "bars_overlap": bars} | _wins(values)


def _wins(values: Floats) -> dict[str, Ints]:
    """(R, R) wins, ties and losses of the row's run against the column's."""
    won, counted = measures.wins(values), (~np.isnan(values)).astype(np.int64)
    return {"wins": won, "ties": counted @ counted.T - won - won.T, "losses": won.T}


def of_board(board: Leaderboard) -> Significance:
    """What a leaderboard without queries shows: whether standard errors overlap; without them, nothing."""
    rows = board.rows[["run_id", "mean", "stderr", "n_queries", "rank"]]
    if rows["stderr"].isna().all():
        notes = [f"Only means are printed in {board.title}: there is nothing to test with."]
        return Significance(board.title, None, 0, 0, ROWS.of(), PAIRS.of(), {}, notes)
    mean, stderr = (rows[name].to_numpy(float) for name in ("mean", "stderr"))
    bars = measures.overlap(mean, stderr)
    unknown = np.full(bars.shape, np.nan)
    squares = dict.fromkeys(("p", "p_holm", "separable", "wins", "ties", "losses"), unknown) | {"bars_overlap": bars}
    pairs = _pairs(rows["run_id"].tolist(), mean[:, None], mean, squares).assign(n_queries=np.nan)
    rows = rows.assign(
        low=np.nan, high=np.nan, rank_low=np.nan, rank_high=np.nan, tier=known(measures.tiers(mean, ~bars))
    )
    notes = ["Printed errors without queries: nothing can be tested. A tier ends where error bars don't overlap."]
    return Significance(
        board.title, None, 0, 0, ROWS.of(rows), pairs, {"error_bars": separable_share(~bars, mean)}, notes
    )


def _rows(values: Values, bounds: tuple[float, float], ranks: tuple[Floats, Floats], tier: pd.Series) -> pd.DataFrame:
    mean, stderr, n = mean_and_stderr(values.values)
    low, high = mean_interval(values.values, bounds=bounds)
    columns = (values.run_ids, mean, stderr, low, high, n, mean_rank(mean), *ranks, tier)
    rows = ROWS.of(dict(zip(ROWS.names, columns, strict=True)))
    return rows.sort_values(["rank", "run_id"], ignore_index=True)


def _pairs(run_ids: list[str], values: Floats, mean: Floats, squares: Mapping[str, npt.NDArray[Any]]) -> pd.DataFrame:
    """Every pair of runs that have a mean, the better one first, in the order of the leaderboard.

    `squares` are (R, R) arrays; each is a column of the frame.
    """
    by_name = np.argsort(np.array(run_ids), kind="stable")
    order = by_name[np.argsort(-np.round(mean[by_name], DIGITS), kind="stable")]
    order = order[~np.isnan(mean[order])]
    places = np.triu_indices(len(order), 1)
    first, second = order[places[0]], order[places[1]]
    difference, _, n = mean_and_stderr(values[first] - values[second])
    names = np.array(run_ids, object)
    columns = {name: square[first, second] for name, square in squares.items()}
    pairs = {"run_a": names[first], "run_b": names[second], "difference": difference, "n_queries": n}
    return PAIRS.of(pairs | columns)


def _about(snapshot: Snapshot, choice: Evaluation, values: Floats) -> list[str]:
    scope, scales = scope_of(snapshot, choice), about_scales(snapshot, choice)
    return [*scope.about_unreadable(), *scales, *_few(values), *scope.about_unanswered()]


def _few(values: Floats) -> list[str]:
    return ["There are fewer than two queries: nothing can be tested."] if values.shape[1] < 2 else []
