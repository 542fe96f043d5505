"""Leaderboards over draws: against slow loops, the evaluation itself, and other seeds."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.analysis.values import counted_values
from exam_core.numbers.resampling import bootstrap_counts, defined_mean
from exam_core.request import Request
from exam_core.wings.comparing.stability import RANKS, in_first, stability
from tests.analysis.test_imported_boards import both as computed_and_imported
from tests.analysis.test_imported_boards import snapshot as snapshot
from tests.analysis.test_imported_boards import store as store
from tests.analysis.test_misfits import both as both
from tests.analysis.worlds import choice_of, store_of, world

DRAWS = 60


def slow_means(snapshot, choice, draws, seed):
    """(draws, R) means, one query after the other."""
    values = counted_values(snapshot, choice)
    counts = bootstrap_counts(len(values.query_ids), draws, seed)
    means = np.empty((draws, len(values.run_ids)))
    for draw, times in enumerate(counts):
        for run, row in enumerate(values.values):
            drawn = [value for value, n in zip(row, times, strict=True) for _ in range(n) if not np.isnan(value)]
            means[draw, run] = np.mean(drawn) if drawn else np.nan
    return means, values.run_ids


@pytest.mark.parametrize("measure", ["Cover@3", "P@3"])
def test_ranks_over_draws_equal_a_slow_loop(random_world, measure):
    choice = choice_of(random_world, measure=measure)
    found = stability(random_world, choice, draws=DRAWS, seed=3, top=2).rows.set_index("run_id")
    means, runs = slow_means(random_world, choice, DRAWS, 3)
    ranks = np.array([stats.rankdata(-np.round(row, 9)) for row in means])
    for column, run in enumerate(runs):
        row = found.loc[run]
        assert row["rank_mean"] == pytest.approx(ranks[:, column].mean())
        expected = np.percentile(ranks[:, column], [2.5, 50, 97.5])
        assert row[["rank_low", "rank_median", "rank_high"]].tolist() == pytest.approx(expected.tolist())
        above = (np.round(means, 9) > np.round(means[:, [column]], 9)).sum(axis=1)
        assert row[["first", "top_k"]].tolist() == pytest.approx([(above == 0).mean(), (above < 2).mean()])


def test_the_share_of_keeping_a_tier_counts_ranks_among_its_places(random_world):
    choice = choice_of(random_world, measure="P@3")
    found = stability(random_world, choice, draws=DRAWS, seed=3).rows
    means, runs = slow_means(random_world, choice, DRAWS, 3)
    ranks = np.array([stats.rankdata(-np.round(row, 9)) for row in means])
    for row in found.itertuples():
        best, worst = (found["tier"] < row.tier).sum() + 1, (found["tier"] <= row.tier).sum()
        mine = ranks[:, runs.index(row.run_id)]
        assert row.tier_kept == pytest.approx(((mine >= best) & (mine <= worst)).mean())


def test_the_rows_stand_in_the_leaderboards_order(random_world):
    choice = choice_of(random_world)
    rows, board = stability(random_world, choice, draws=10).rows, leaderboard(random_world, choice).rows
    pd.testing.assert_frame_equal(rows[["run_id", "mean", "rank"]], board[["run_id", "mean", "rank"]])
    assert list(rows) == RANKS.names


def test_a_run_that_skips_most_queries_has_no_ranks(tmp_path):
    frames = world(1)
    snapshot = store_of(tmp_path, frames)
    # "one query only" has its query in a bit more than half of the draws: not in nine of ten
    rows = stability(snapshot, choice_of(snapshot, missing="skip")).rows.set_index("run_id")
    assert np.isnan(rows.loc["one query only", ["rank_low", "rank_high", "rank_mean"]].astype(float)).all()


@pytest.mark.parametrize(
    ("k", "expected"), [(1, [1, 1, 0, 0]), (2, [1, 1, 0, 0]), (3, [1, 1, 1, 0]), (4, [1, 1, 1, 0]), (9, [1, 1, 1, 0])]
)
def test_the_first_k_are_those_with_fewer_than_k_above_them(k, expected):
    assert in_first(np.array([[0.5, 0.5 + 1e-12, 0.3, np.nan]]), k).astype(int).tolist() == [expected]


@pytest.mark.parametrize(("defined", "expected"), [(10, 1.0), (9, 1.0), (8, np.nan), (0, np.nan)])
def test_a_mean_needs_nine_of_ten_draws(defined, expected):
    samples = np.array([1.0] * defined + [np.nan] * (10 - defined))
    assert defined_mean(samples) == pytest.approx(expected, nan_ok=True)


def test_draws_leave_a_run_with_none_of_the_queries_without_a_rank(both):
    rows = stability(both, choose(both, Request(measure="Cover@5", tau=3)), draws=5).rows
    assert rows.set_index("run_id")["rank_mean"].isna().to_dict() == {"good": False, "strange": True}


def test_draws_of_an_imported_board_are_those_of_the_computed_one(snapshot):
    computed, imported = computed_and_imported(snapshot, lambda *asked: stability(*asked, draws=50))
    pd.testing.assert_frame_equal(imported.rows, computed.rows)
