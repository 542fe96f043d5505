"""Shrunk estimates of queries: slow twins, extremes, and whether intervals hold."""

import numpy as np
import pytest
from scipy import optimize

from exam_core.numbers.annotator_agreement import cohen_kappa
from exam_core.numbers.shrinkage import kappa_variances, shrunk, shrunk_kendall

TABLES = np.array([[[20, 5], [4, 30]], [[3, 1], [0, 9]], [[10, 0], [0, 10]], [[1, 7], [6, 2]], [[0, 3], [2, 40]]])


def slow_kappa_variance(table):
    """The delta method with a gradient of differences, for shares that are multinomial."""
    n = table.sum()
    shares = table.ravel() / n
    size = len(table)

    def kappa(p):
        square = p.reshape(size, size)
        chance = square.sum(axis=1) @ square.sum(axis=0)
        return (np.trace(square) - chance) / (1 - chance)

    gradient = optimize.approx_fprime(shares, kappa, 1e-7)
    return (gradient**2 @ shares - (gradient @ shares) ** 2) / n


def test_the_variance_of_kappa_is_that_of_a_slow_delta_method():
    whole = TABLES.sum(axis=0)
    slow = [slow_kappa_variance(table + 2 * whole / whole.sum()) for table in TABLES]
    np.testing.assert_allclose(kappa_variances(TABLES), slow, rtol=1e-5)


def test_a_query_whose_few_passages_all_agree_is_not_certain():
    assert cohen_kappa(TABLES[2]) == 1
    assert kappa_variances(TABLES)[2] > 0.001


def test_an_empty_table_has_no_variance():
    assert np.isnan(kappa_variances(np.concatenate([TABLES, np.zeros((1, 2, 2), int)]))[-1])
    assert np.isnan(kappa_variances(np.zeros((2, 2, 2), int))).all()


def test_shrunk_estimates_are_those_of_a_slow_twin():
    rng = np.random.default_rng(0)
    own, variance = rng.normal(0.4, 0.3, 12), rng.uniform(0.01, 0.05, 12)

    def excess(between):
        weights = [1 / (one + between) for one in variance]
        mean = sum(w * x for w, x in zip(weights, own, strict=True)) / sum(weights)
        return sum(w * (x - mean) ** 2 for w, x in zip(weights, own, strict=True)) - 11

    between = optimize.brentq(excess, 0, 10)
    weights = [1 / (one + between) for one in variance]
    mean = sum(w * x for w, x in zip(weights, own, strict=True)) / sum(weights)
    shrunk_values = shrunk(own, variance)
    assert (shrunk_values.between, shrunk_values.mean) == pytest.approx((between, mean), abs=1e-9)
    typical = sum(w * v for w, v in zip(weights, variance, strict=True)) / sum(weights) + between
    for query in range(12):
        drawn = 9 / 11 * variance[query] / (between + variance[query])
        value = drawn * mean + (1 - drawn) * own[query]
        of_own = variance[query] * (1 - drawn * (1 - weights[query] / sum(weights)))
        of_between = 2 / 9 * drawn**2 * typical / (between + variance[query]) * (own[query] - mean) ** 2
        half = 1.959964 * np.sqrt(of_own + of_between)
        told = shrunk_values.values[query], shrunk_values.low[query], shrunk_values.high[query]
        assert told == pytest.approx((value, value - half, value + half), abs=1e-6)


def test_queries_that_differ_by_chance_alone_come_near_each_other():
    own = np.linspace(0.29, 0.32, 43)
    shrunk_values = shrunk(own, np.full(43, 0.04))
    assert shrunk_values.between == 0
    assert np.ptp(shrunk_values.values) == pytest.approx(0.03 * 2 / 42)


def test_queries_that_are_known_exactly_stay():
    own = np.array([-0.2, 0.1, 0.5, 0.7, 1.0])
    np.testing.assert_allclose(shrunk(own, np.zeros(5)).values, own, atol=1e-6)


def test_a_query_without_an_estimate_has_none_and_changes_no_other():
    own, variance = np.linspace(0, 1, 6), np.full(6, 0.02)
    gap = shrunk(np.append(own, np.nan), np.append(variance, 0.02))
    assert np.isnan(gap.values[-1])
    np.testing.assert_array_equal(gap.values[:-1], shrunk(own, variance).values)


def test_fewer_than_five_are_not_shrunk():
    assert np.isnan(shrunk(np.arange(4.0), np.ones(4)).values).all()
    assert np.isnan(shrunk_kendall(np.linspace(0, 1, 9), 4).values).all()


def test_a_perfect_kendall_is_drawn_towards_the_others_and_stays_below_one():
    actual = shrunk_kendall(np.array([1.0, 0.2, 0.4, -0.3, 0.5, np.nan]), 20)
    assert 0.5 < actual.values[0] < 1
    assert actual.high[0] < 1
    assert np.isnan(actual.values[-1])


@pytest.mark.parametrize("between", [0.0, 0.02, 0.3])
def test_intervals_hold_the_queries_own_values(between):
    rng, held = np.random.default_rng(3), []
    for _ in range(200):
        truth = rng.normal(0.5, np.sqrt(between), 43)
        variance = rng.uniform(0.01, 0.1, 43)
        shrunk_values = shrunk(rng.normal(truth, np.sqrt(variance)), variance)
        held.append(((shrunk_values.low <= truth) & (truth <= shrunk_values.high)).mean())
    assert np.mean(held) >= 0.92
