"""Bootstrap over queries and Student's t intervals."""

import numpy as np
import pytest
from scipy import stats

from benchmarks import drawn
from benchmarks.drawn import correlation_intervals
from exam_core.numbers import resampling
from exam_core.numbers.rank_correlations import COEFFICIENTS, rank_correlation
from exam_core.numbers.resampling import (
    bootstrap_counts,
    bootstrap_means,
    expanded,
    mean_interval,
    percentile_interval,
    step_interval,
)


def with_gaps(shape, seed, share=0.2):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(shape) < share, np.nan, rng.integers(0, 11, shape) / 10)


def test_the_same_seed_gives_the_same_draws_and_another_gives_others():
    first, again, other = (bootstrap_counts(12, 50, seed) for seed in (4, 4, 5))
    assert ((first == again).all(), (first == other).all()) == (True, False)


def test_counts_have_the_mean_and_variance_of_a_multinomial():
    counts = bootstrap_counts(10, 20_000)
    # mean 10 / 10, variance 10 * 0.1 * 0.9; standard errors of both over 20,000 draws are below 0.01
    np.testing.assert_allclose(counts.mean(axis=0), 1, atol=0.04)
    np.testing.assert_allclose(counts.var(axis=0), 0.9, atol=0.05)


@pytest.mark.parametrize("gaps", [0, 0.2, 0.9], ids=["no gaps", "some gaps", "mostly gaps"])
def test_bootstrap_means_are_those_of_repeated_queries(monkeypatch, gaps):
    monkeypatch.setattr(resampling, "BLOCK_WEIGHTS", 20)  # two draws at a time
    values, counts = with_gaps((2, 3, 7), 1, gaps), bootstrap_counts(7, 40)
    means = bootstrap_means(values, counts)
    for draw, of_draw in zip(counts, means, strict=True):
        for index in np.ndindex(2, 3):
            drawn = np.repeat(values[index], draw)
            drawn = drawn[~np.isnan(drawn)]
            assert of_draw[index] == pytest.approx(drawn.mean() if len(drawn) else np.nan, nan_ok=True)


@pytest.mark.parametrize("shape", [(3, 0), (0, 5)], ids=["no query", "no run"])
def test_means_of_nothing_are_undefined(shape):
    means = bootstrap_means(np.zeros(shape), bootstrap_counts(shape[1], 4))
    assert (means.shape, np.isnan(means).all()) == ((4, shape[0]), True)


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_a_percentile_interval_is_that_of_numpy(level):
    samples = with_gaps((200, 4, 3), 2, 0.05)
    ends = [50 * (1 - level), 50 * (1 + level)]
    np.testing.assert_allclose(percentile_interval(samples, level), np.nanpercentile(samples, ends, axis=0))


@pytest.mark.parametrize(("undefined", "known"), [(0, True), (2, True), (3, False), (20, False)])
def test_an_interval_needs_a_value_in_nine_of_ten_draws(undefined, known):
    samples = np.linspace(0, 1, 20)
    samples[:undefined] = np.nan
    low, high = percentile_interval(samples)
    assert (np.isfinite(low), np.isfinite(high)) == (known, known)


def test_no_draw_gives_no_interval():
    assert np.isnan(percentile_interval(np.zeros((0, 3)))).all()


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_interval_of_a_mean_is_that_of_scipy(level):
    values = with_gaps((5, 30), 3)
    for of_run, low, high in zip(values, *mean_interval(values, level), strict=True):
        counted = of_run[~np.isnan(of_run)]
        expected = stats.t.interval(level, len(counted) - 1, counted.mean(), stats.sem(counted))
        assert (low, high) == pytest.approx(expected)


@pytest.mark.parametrize(
    "values", [[0.5], [0.5, np.nan], [np.nan, np.nan], []], ids=["one", "one of two", "none", "no"]
)
def test_the_mean_of_fewer_than_two_values_has_no_interval(values):
    assert np.isnan(mean_interval(np.array(values, float))).all()


def slow_intervals(values, reference, counts, name):
    """Every draw repeats its queries; NaN where a run has no value left or a side is constant."""
    ends = []
    for board in values:
        actual = []
        for draw in counts:
            means = bootstrap_means(board, draw[None])[0]
            truth = reference if reference.ndim == 1 else np.nanmean(np.repeat(reference, draw, axis=1), axis=1)
            actual.append(getattr(rank_correlation(means, truth), name))
        ends.append(np.nanpercentile(actual, [2.5, 97.5]) if np.isfinite(actual).mean() >= 0.9 else [np.nan] * 2)
    return np.array(ends).T


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize("per_query", [False, True], ids=["fixed reference", "reference by query"])
@pytest.mark.parametrize("block", [1, 2**18], ids=["draw by draw", "all draws together"])
def test_correlation_intervals_are_those_of_a_slow_loop(monkeypatch, name, per_query, block):
    monkeypatch.setattr(drawn, "BLOCK_VALUES", block)
    values, counts = with_gaps((3, 6, 25), 6), bootstrap_counts(25, 60)
    values[2] = 0.5
    reference = with_gaps((6, 25), 7) if per_query else np.arange(6) / 6
    low, high = correlation_intervals(values, reference, counts)
    expected = slow_intervals(values, reference, counts, name)
    np.testing.assert_allclose([getattr(low, name), getattr(high, name)], expected, rtol=1e-9)


def test_values_of_steps_stand_for_the_middle_of_their_draws():
    # 0, 1 and 2 stand at 15%, 55% and 90% of the draws: a quarter is a quarter of the way from 0 to 1
    draws = np.repeat([0.0, 1.0, 2.0], [3, 5, 2])
    assert step_interval(draws, 0.5) == pytest.approx((0.25, 1 + 0.2 / 0.35))
    assert step_interval(draws) == (0, 2)


def test_draws_that_are_all_different_have_hazens_quantiles():
    draws = np.random.default_rng(5).normal(size=200)
    assert step_interval(draws) == pytest.approx(np.quantile(draws, [0.025, 0.975], method="hazen"))


def test_steps_need_a_value_in_nine_of_ten_draws():
    assert step_interval(np.array([1.0] * 9 + [np.nan])) == (1, 1)
    assert np.isnan([step_interval(np.array([1.0] * 8 + [np.nan] * 2)), step_interval(np.array([]))]).all()


def test_an_expanded_level_makes_draws_of_a_mean_as_wide_as_students_interval():
    values = np.random.default_rng(2).normal(size=12)
    spread = values.std()  # of endless draws, times the root of 12
    half = stats.norm.ppf((1 + expanded(12)) / 2) * spread / np.sqrt(12)
    assert 2 * half == pytest.approx(np.diff(mean_interval(values)).item())
    assert expanded(10**6) == pytest.approx(0.95, abs=1e-5)
