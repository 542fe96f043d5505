"""Shares of clusters: by hand, beside a slow twin, and where nothing happened."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import norm, t

from exam_core.numbers.share_intervals import tango, wilson
from exam_core.wings.trust.circularity import clustered_difference, clustered_share


def worth(values, variance):
    """How many things of this variance the clusters are worth, one after the other, and Student's quantile."""
    n = len(values)
    mean = math.fsum(values) / n
    squares = [(value - mean) ** 2 for value in values]
    fourth = math.fsum(one**2 for one in squares)
    # The variance of a sum of squares of n residuals, from their fourth powers; Satterthwaite matches moments.
    noise = fourth - math.fsum(squares) ** 2 / n
    freedom = 2 * math.fsum(squares) ** 2 / noise if noise > 1e-12 * fourth else n - 1
    of_mean = math.fsum(squares) / (n - 1) / n
    return variance / of_mean if of_mean > 1e-15 else n, t.ppf(0.975, min(max(freedom, 1.0), n - 1.0))


def slow(shares):
    """The ends as the roots of Wilson's equation (p - x)^2 = q^2 x (1 - x) / n."""
    mean = math.fsum(shares) / len(shares)
    n, quantile = worth(shares, mean * (1 - mean))
    a, b, c = 1 + quantile**2 / n, -2 * mean - quantile**2 / n, mean**2
    root = math.sqrt(max(b * b - 4 * a * c, 0.0))
    return mean, (-b - root) / (2 * a), (-b + root) / (2 * a)


@pytest.mark.parametrize("clusters", [5, 8, 43])
@pytest.mark.parametrize("most", [0.05, 1.0])
def test_shares_are_those_of_the_slow_twin(clusters, most):
    shares = np.random.default_rng(clusters).uniform(0, most, (6, clusters)).round(2)
    shares[0, 1:] = 0  # one cluster has all
    shares[1] = 0.5  # all are alike
    found = clustered_share(shares)
    assert pytest.approx(np.array([slow(row.tolist()) for row in shares]), abs=1e-9) == np.array(found).T


def test_wilson_is_as_newcombe_prints_it():
    # Newcombe 1998, Two-sided confidence intervals for the single proportion, table 1: 81 of 263 and 0 of 20.
    assert wilson(81 / 263, 263, norm.ppf(0.975)) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0.0, 20, norm.ppf(0.975)) == pytest.approx((0, 0.1611), abs=5e-5)


def test_where_nothing_happened_each_cluster_is_worth_one_thing():
    none = clustered_share(np.zeros(43))
    assert (none.value, none.low) == (0, 0)
    assert none.high == pytest.approx(wilson(0.0, 43, t.ppf(0.975, 42))[1])
    apart = clustered_difference(np.zeros(43), np.zeros(43))
    assert (apart.low, apart.value, apart.high) == pytest.approx((-none.high, 0, none.high))


def slow_tango(first, second, n, quantile):
    """Roots of the score, the second share being the one with the largest likelihood, which is searched for."""

    def score(d):
        def unlikely(share):
            terms = ((first, share + d), (second, share), (1 - first - second, 1 - 2 * share - d))
            return -math.fsum(times * math.log(max(chance, 1e-300)) for times, chance in terms if times)

        ends = max(0.0, -d), (1 - d) / 2
        share = minimize_scalar(unlikely, bounds=ends, method="bounded", options={"xatol": 1e-13}).x
        return (first - second - d) / math.sqrt((2 * share + d * (1 - d)) / n)

    apart = first - second
    low = brentq(lambda d: score(d) - quantile, -1 + 1e-9, apart)
    return low, brentq(lambda d: score(d) + quantile, apart, 1 - 1e-9)


@pytest.mark.parametrize("shares", [(0.24, 0.04), (0.05, 0.0), (0.0, 0.1), (0.3, 0.3), (0.0, 0.0), (0.7, 0.3)])
def test_differences_are_those_of_a_slow_score_test(shares):
    assert tango(*map(np.float64, shares), 50, 1.96) == pytest.approx(slow_tango(*shares, 50, 1.96), abs=1e-6)


@given(st.integers(0, 30), st.integers(0, 30))
def test_a_difference_holds_0_where_mcnemars_test_says_nothing(first, second):
    low, high = tango(np.float64(first / 60), np.float64(second / 60), 60, 1.96)
    assert (low <= 1e-9 and high >= -1e-9) == ((first - second) ** 2 <= 1.96**2 * (first + second))


def test_differences_of_clusters_are_worth_what_their_spread_says():
    rng = np.random.default_rng(4)
    rises, falls = rng.uniform(0, 0.2, 12), rng.uniform(0, 0.1, 12)
    p, q = rises.mean(), falls.mean()
    n, quantile = worth((rises - falls).tolist(), p + q - (p - q) ** 2)
    found = clustered_difference(rises, falls)
    assert [*map(float, found)] == pytest.approx([p - q, *slow_tango(p, q, n, quantile)], abs=1e-6)
    nothing_falls = clustered_difference(rises, np.zeros(12))
    assert float(nothing_falls.high) == pytest.approx(clustered_share(rises).high)


@pytest.mark.parametrize("clusters", [0, 1, 4])
def test_few_clusters_have_no_interval(clusters):
    shares = np.full(clusters, 0.25)
    for found in (clustered_share(shares), clustered_difference(shares, shares)):
        assert np.isnan([found.low, found.high]).all()
