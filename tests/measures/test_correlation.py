"""Rank correlations and mean ranks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from exam_core.measures.correlation import mean_rank, rank_correlation


def test_both_coefficients_by_hand():
    # ranks 1 2 3 4 against 1 2 4 3: rho = 1 - 6 * (0 + 0 + 1 + 1) / (4 * 15) = 0.8;
    # 5 of 6 pairs in the same order, 1 reversed: tau = 4 / 6
    found = rank_correlation(np.array([0.9, 0.8, 0.7, 0.6]), -np.array([1.0, 2.0, 4.0, 3.0]))
    assert (found.spearman, found.kendall, found.n) == (pytest.approx(0.8), pytest.approx(4 / 6), 4)


def test_kendall_is_tau_b_where_there_are_ties():
    # scores 3 2 2 1 against 4 3 2 1: 5 pairs agree, 1 is tied on one side; tau-b = 5 / sqrt(5 * 6)
    found = rank_correlation(np.array([3.0, 2.0, 2.0, 1.0]), np.array([4.0, 3.0, 2.0, 1.0]))
    assert found.kendall == pytest.approx(5 / np.sqrt(30))


def tied_boards(seed):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 8, 20) / 8, -rng.integers(1, 15, 20).astype(float)


@pytest.mark.parametrize("seed", range(12))
def test_spearman_of_boards_with_ties_is_that_of_scipy(seed):
    scores, reference = tied_boards(seed)
    expected = stats.spearmanr(stats.rankdata(-scores), stats.rankdata(-reference)).statistic
    assert rank_correlation(scores, reference).spearman == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_kendall_of_boards_with_ties_is_that_of_scipy(seed):
    scores, reference = tied_boards(seed)
    expected = stats.kendalltau(stats.rankdata(-scores), stats.rankdata(-reference)).statistic
    assert rank_correlation(scores, reference).kendall == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("scores", "reference"),
    [
        ([0.5, 0.5, 0.5], [1, 2, 3]),
        ([1, 2, 3], [0, 0, 0]),
        ([1], [1]),
        ([], []),
        ([0.5, 0.5 + 1e-12], [1, 2]),
    ],
    ids=["constant scores", "constant reference", "one run", "no run", "constant but for noise"],
)
def test_without_an_order_the_correlation_is_undefined(scores, reference):
    found = rank_correlation(np.array(scores, float), np.array(reference, float))
    assert np.isnan([found.spearman, found.kendall]).all()


def test_noise_in_the_last_digits_breaks_no_tie_in_a_correlation():
    reference = np.array([3.0, 2.0, 1.0])
    noisy = rank_correlation(np.array([0.3, 0.1 + 0.2, 0.1]), reference)
    assert noisy == rank_correlation(np.array([0.3, 0.3, 0.1]), reference)


@pytest.mark.parametrize(
    ("scores", "ranks"),
    [
        ([0.1, 0.3, 0.2], [3, 1, 2]),
        # the second and third place are shared: (2 + 3) / 2
        ([0.9, 0.5, 0.5, 0.1], [1, 2.5, 2.5, 4]),
        ([0.3, 0.1 + 0.2, 0.2], [1.5, 1.5, 3]),
        ([0.5 + 2e-9, 0.5], [1, 2]),
        ([7.0, 7.0, 7.0], [2, 2, 2]),
        ([], []),
    ],
    ids=["distinct", "a tie", "a tie but for noise", "above the rounding", "all tied", "none"],
)
def test_tied_runs_share_their_mean_rank(scores, ranks):
    assert mean_rank(np.array(scores, float)).tolist() == ranks


def test_a_run_without_a_score_has_no_rank():
    np.testing.assert_array_equal(mean_rank(np.array([0.5, np.nan, 0.7])), [2, np.nan, 1])
