"""Benchmarks: boards have the means that they say, and intervals and errors are counted as they say."""

import numpy as np
import pytest

from benchmarks import errors
from benchmarks.boards import Shape, board, population
from benchmarks.held import Held, of_halves, summary
from benchmarks.tables import errors_table, ranks_table
from exam_core.numbers.rank_correlations import mean_rank


def held(*kept):
    """Intervals of width 1, of which some hold a truth of 0; None is one that can't be told."""
    low = np.array([np.nan if one is None else -0.5 if one else 0.5 for one in kept])
    return Held(low, low + 1, np.zeros(len(kept)))


def test_the_standard_error_is_over_populations_and_not_over_their_samples():
    # shares of 1/2, 1 and 1: mean 5/6, deviation root of (1/9 + 1/36 + 1/36) / 2 = 0.2887, over the root of 3
    actual = summary([held(True, False), held(True, True), held(True, True)])
    assert actual["coverage"] == pytest.approx(5 / 6)
    assert actual["stderr"] == pytest.approx(0.28868 / np.sqrt(3), abs=1e-4)
    assert (actual["lowest"], actual["samples"], actual["mean_width"]) == (0.5, 6, 1.0)


def test_intervals_that_cannot_be_told_are_counted_and_are_no_misses():
    actual = summary([held(True, None), held(None, None)])
    assert (actual["coverage"], actual["unknown"]) == (1.0, 0.75)
    assert summary([held(None)])["coverage"] is None


def test_boards_have_the_means_that_they_say():
    shape = Shape("much", 6, 40_000, 0.9, families=3, heavy=True, far=True)
    made = board(shape, np.random.default_rng(1))
    differences = made.values - made.values[:1]
    error = differences.std(axis=1)[1:] / np.sqrt(shape.queries)
    assert (np.abs(differences.mean(axis=1)[1:] - (made.truth - made.truth[0])[1:]) < 5 * error).all()
    assert made.truth.argmin() == 5


def test_halves_are_predicted_from_the_other_half(monkeypatch):
    monkeypatch.setattr("benchmarks.held.DRAWS", 300)
    made = board(Shape("one", 15, 60, 0.9), np.random.default_rng(3))
    for reference in (made.other_truth, made.others):
        actual = of_halves(made.values, reference, 12, np.random.default_rng(1))
        assert np.ptp(actual["spearman"].truth) > 0  # each half shows its own
        assert summary([actual["spearman"]])["coverage"] > 0.7


def test_it_counts_errors_and_power_of_each_test_and_its_tables_show_them(monkeypatch):
    monkeypatch.setattr(errors, "SHAPES", (Shape("small", 9, 12, 1.0),))
    monkeypatch.setattr(errors, "RANKED", (Shape("smaller", 6, 8, 1.0),))
    answer = errors.benchmark(3)
    assert [(row["statistic"], row["reference"]) for row in answer["errors"]] == [
        ("flags", "exact list"),
        ("flags", "list of other queries"),
        ("flags", "list of the same queries"),
        ("flags", "measure"),
        ("pairs", None),
        ("tiers", None),
    ]
    assert all(0 <= row[share] <= 1 for row in answer["errors"] for share in ("error", "power"))
    assert [(row["population"], row["statistic"]) for row in answer["ranks"]][1:4] == [
        ("small", "rank of the best run"),
        ("small", "places of tagged runs"),
        ("smaller", "rank"),
    ]
    assert errors_table(answer).count("\n") == 2
    assert ranks_table(answer).count("\n") == 3


@pytest.mark.parametrize("seed", range(6))
def test_one_run_is_moved_by_a_third_of_the_board(seed):
    rng = np.random.default_rng(seed)
    runs = population(Shape("any", 12, 5, 1.0), rng)
    moved, run = errors._displaced(runs, rng)
    apart = mean_rank(moved.other_truth) - mean_rank(runs.other_truth)
    assert abs(apart[run]) == 4
    assert np.abs(np.delete(apart, run)).max() == 1
    assert (moved.truth == runs.truth).all()
