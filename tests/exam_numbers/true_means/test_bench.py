"""Boards of benchmarks have the means that they say, and intervals are counted as they say."""

import numpy as np
import pytest

from benchmarks.boards import Shape, board
from benchmarks.held import Held, of_halves, summary
from benchmarks.made import made_by


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


def test_one_population_has_the_standard_error_of_its_samples():
    assert summary([held(True, True, True, False)])["stderr"] == pytest.approx(np.sqrt(0.75 * 0.25 / 4))


def test_boards_have_the_means_that_they_say():
    shape = Shape("much", 6, 40_000, 0.9, families=3, heavy=True, far=True)
    made = board(shape, np.random.default_rng(1))
    differences = made.values - made.values[:1]
    error = differences.std(axis=1)[1:] / np.sqrt(shape.queries)
    assert (np.abs(differences.mean(axis=1)[1:] - (made.truth - made.truth[0])[1:]) < 5 * error).all()
    assert made.truth.argmin() == 5


def test_outside_a_repository_there_is_no_commit():
    def missing(*_args, **_options):
        raise OSError

    assert made_by(missing)["commit"] is None
    assert made_by(lambda command, **_options: "M x" if "status" in command else "abc\n")["commit"] == "abc+"


def test_halves_are_predicted_from_the_other_half(monkeypatch):
    monkeypatch.setattr("benchmarks.held.DRAWS", 300)
    made = board(Shape("one", 15, 60, 0.9), np.random.default_rng(3))
    for reference in (made.other_truth, made.others):
        actual = of_halves(made.values, reference, 12, np.random.default_rng(1))
        assert np.ptp(actual["spearman"].truth) > 0  # each half shows its own
        assert summary([actual["spearman"]])["coverage"] > 0.7
