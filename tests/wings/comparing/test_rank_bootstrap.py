"""Leaderboards over draws: against slow loops, the evaluation itself, and other seeds."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from exam_core.analysis.choosing import choose
from exam_core.analysis.comparison import correlations_of
from exam_core.analysis.leaderboard import leaderboard
from exam_core.analysis.references import needed_reference, pair_with
from exam_core.analysis.uncertainty import draw_questions, redrawing
from exam_core.analysis.values import counted_values
from exam_core.engine import WORKERS
from exam_core.numbers.resampling import bootstrap_counts, correlation_intervals, defined_mean
from exam_core.request import Request
from exam_core.wings.comparing.stability import ITSELF, RANKS, in_first, redrawn, stability
from tests.analysis.test_imported_boards import both as computed_and_imported
from tests.analysis.test_imported_boards import snapshot as snapshot
from tests.analysis.test_imported_boards import store as store
from tests.analysis.test_misfits import both as both
from tests.analysis.worlds import choice_of, store_of, world

DRAWS = 60


def slow_means(snapshot, choice, of, draws, seed):
    """(draws, R) means, one query after the other."""
    again, values = redrawing(snapshot, choice), counted_values(snapshot, choice)
    rng = np.random.default_rng([seed, 1])
    counts = bootstrap_counts(len(values.query_ids), draws, seed)
    means = np.empty((draws, len(values.run_ids)))
    for draw in range(draws):
        found = values.values
        if of != "queries":
            found = again.values(draw_questions(again.book.enabled, rng))[
                :, np.isin(again.book.query_ids, values.query_ids)
            ]
        times = np.ones(found.shape[1], int) if of == "questions" else counts[draw]
        for run, row in enumerate(found):
            drawn = [value for value, n in zip(row, times, strict=True) for _ in range(n) if not np.isnan(value)]
            means[draw, run] = np.mean(drawn) if drawn else np.nan
    return means, values.run_ids


@pytest.mark.parametrize("workers", ["2", "4"])
def test_means_over_draws_are_the_same_bits_however_many_compute(monkeypatch, random_world, workers):
    choice = choice_of(random_world)
    values = counted_values(random_world, choice)
    one, _ = redrawn(random_world, choice, values, "both", 20, 3)
    monkeypatch.setenv(WORKERS, workers)
    assert redrawn(random_world, choice, values, "both", 20, 3)[0].tobytes() == one.tobytes()


@pytest.mark.parametrize("of", ["queries", "questions", "both"])
@pytest.mark.parametrize("measure", ["Cover@3", "P@3"])
def test_ranks_over_draws_equal_a_slow_loop(random_world, of, measure):
    choice = choice_of(random_world, measure=measure)
    found = stability(random_world, choice, of=of, draws=DRAWS, seed=3, top=2).rows.set_index("run_id")
    means, runs = slow_means(random_world, choice, of, DRAWS, 3)
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
    means, runs = slow_means(random_world, choice, "queries", DRAWS, 3)
    ranks = np.array([stats.rankdata(-np.round(row, 9)) for row in means])
    for row in found.itertuples():
        best, worst = (found["tier"] < row.tier).sum() + 1, (found["tier"] <= row.tier).sum()
        mine = ranks[:, runs.index(row.run_id)]
        assert row.tier_kept == pytest.approx(((mine >= best) & (mine <= worst)).mean())


@pytest.mark.parametrize("reference", [None, "qrels:P@3", "grades:P@3:tau=3"])
def test_correlations_over_draws_of_queries_are_percentiles_of_a_bootstrap(random_world, reference):
    choice = replace(choice_of(random_world), reference=reference)
    rows = stability(random_world, choice).correlation
    [expected] = correlations_of(random_world, [choice])
    both = pair_with(counted_values(random_world, choice), needed_reference(random_world, reference, choice))
    ends = correlation_intervals(both.values[None], both.drawn_along, bootstrap_counts(len(both.query_ids)))
    for row in rows[rows["against"] != ITSELF].itertuples():
        assert row.observed == pytest.approx(getattr(expected.correlation, row.coefficient), nan_ok=True)
        interval = tuple(getattr(end, row.coefficient)[0] for end in ends)
        assert (row.low, row.high) == pytest.approx(interval, nan_ok=True)


@pytest.mark.parametrize("of", ["queries", "questions", "both"])
def test_a_leaderboard_is_in_perfect_order_with_itself_before_drawing(random_world, of):
    rows = stability(random_world, choice_of(random_world, measure="P@3"), of=of, draws=10).correlation
    itself = rows[rows["against"] == ITSELF].set_index("coefficient")["observed"]
    # Runs tie on the board, which tau-AP a can't take for the truth.
    assert itself[["spearman", "kendall", "tau_ap_b"]].tolist() == pytest.approx([1, 1, 1])
    assert (rows["low"].fillna(0) <= rows["high"].fillna(0)).all()


def test_the_rows_stand_in_the_leaderboards_order(random_world):
    choice = choice_of(random_world)
    rows, board = stability(random_world, choice, draws=10).rows, leaderboard(random_world, choice).rows
    pd.testing.assert_frame_equal(rows[["run_id", "mean", "rank"]], board[["run_id", "mean", "rank"]])
    assert list(rows) == RANKS.names


def test_progress_reaches_its_end(random_world):
    told = []
    stability(random_world, choice_of(random_world), of="questions", draws=4, progress=told.append)
    assert told == [0.25, 0.5, 0.75, 1.0]


def test_a_run_that_skips_most_queries_has_no_ranks(tmp_path):
    frames = world(1)
    snapshot = store_of(tmp_path, frames)
    # "one query only" has its query in a bit more than half of the draws: not in nine of ten
    rows = stability(snapshot, choice_of(snapshot, missing="skip")).rows.set_index("run_id")
    assert np.isnan(rows.loc["one query only", ["rank_low", "rank_high", "rank_mean"]].astype(float)).all()


def test_without_a_leaderboard_there_is_a_note_and_the_leaderboard_itself(tmp_path):
    frames = world(1)
    del frames["leaderboards"]
    snapshot = store_of(tmp_path, frames)
    found = stability(snapshot, choice_of(snapshot), draws=10)
    assert (found.reference, set(found.correlation["against"])) == (None, {ITSELF})
    assert any("no official leaderboard to compare with" in note for note in found.notes)


@pytest.mark.parametrize(
    ("k", "expected"), [(1, [1, 1, 0, 0]), (2, [1, 1, 0, 0]), (3, [1, 1, 1, 0]), (4, [1, 1, 1, 0]), (9, [1, 1, 1, 0])]
)
def test_the_first_k_are_those_with_fewer_than_k_above_them(k, expected):
    assert in_first(np.array([[0.5, 0.5 + 1e-12, 0.3, np.nan]]), k).astype(int).tolist() == [expected]


@pytest.mark.parametrize(("defined", "expected"), [(10, 1.0), (9, 1.0), (8, np.nan), (0, np.nan)])
def test_a_mean_needs_nine_of_ten_draws(defined, expected):
    samples = np.array([1.0] * defined + [np.nan] * (10 - defined))
    assert defined_mean(samples) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("of", ["queries", "questions", "both"])
def test_draws_leave_a_run_with_none_of_the_queries_without_a_rank(both, of):
    rows = stability(both, choose(both, Request(measure="Cover@5", tau=3)), of=of, draws=5).rows  # type: ignore[arg-type]
    assert rows.set_index("run_id")["rank_mean"].isna().to_dict() == {"good": False, "strange": True}


def test_draws_of_an_imported_board_are_those_of_the_computed_one(snapshot):
    computed, imported = computed_and_imported(snapshot, lambda *asked: stability(*asked, draws=50))
    pd.testing.assert_frame_equal(imported.rows, computed.rows)
