"""Shares of clusters: by hand, beside a slow twin, and where nothing happened."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm, t

from exam_core.measures.clustered import clustered_difference, clustered_share
from exam_core.measures.intervals import wilson


def slow(shares: list[float], level: float = 0.95) -> tuple[float, float, float]:
    """One cluster after the other; the ends as the roots of Wilson's equation (p - x)^2 = q^2 x (1 - x) / n."""
    n = len(shares)
    mean = math.fsum(shares) / n
    squares = [(share - mean) ** 2 for share in shares]
    variance = math.fsum(squares) / (n - 1) / n
    worth, freedom = float(n), n - 1.0
    if variance > 1e-15:
        worth = mean * (1 - mean) / variance
        # The variance of a sum of squares of n residuals, from their fourth powers; Satterthwaite matches moments.
        noise = math.fsum(one**2 for one in squares) - math.fsum(squares) ** 2 / n
        freedom = 2 * math.fsum(squares) ** 2 / noise if noise > 1e-12 * math.fsum(one**2 for one in squares) else n - 1
    quantile = t.ppf((1 + level) / 2, min(max(freedom, 1.0), n - 1.0))
    a, b, c = 1 + quantile**2 / worth, -2 * mean - quantile**2 / worth, mean**2
    root = math.sqrt(max(b * b - 4 * a * c, 0.0))
    return mean, (-b - root) / (2 * a), (-b + root) / (2 * a)


@pytest.mark.parametrize("clusters", [5, 8, 43])
@pytest.mark.parametrize("most", [0.05, 1.0])
def test_shares_are_those_of_the_slow_twin(clusters: int, most: float) -> None:
    shares = np.random.default_rng(clusters).uniform(0, most, (6, clusters)).round(2)
    shares[0, 1:] = 0  # one cluster has all
    shares[1] = 0.5  # all are alike
    found = clustered_share(shares)
    assert pytest.approx(np.array([slow(row.tolist()) for row in shares]), abs=1e-9) == np.array(found).T


def test_wilson_is_as_newcombe_prints_it() -> None:
    # Newcombe 1998, Two-sided confidence intervals for the single proportion, table 1: 81 of 263 and 0 of 20.
    assert wilson(81 / 263, 263, norm.ppf(0.975)) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0.0, 20, norm.ppf(0.975)) == pytest.approx((0, 0.1611), abs=5e-5)


def test_where_nothing_happened_each_cluster_is_worth_one_thing() -> None:
    none = clustered_share(np.zeros(43))
    assert (none.value, none.low) == (0, 0)
    assert none.high == pytest.approx(wilson(0.0, 43, t.ppf(0.975, 42))[1])
    apart = clustered_difference(none, none)
    assert (apart.low, apart.value, apart.high) == pytest.approx((-none.high, 0, none.high))


def test_more_clusters_of_the_same_kind_make_the_interval_narrower() -> None:
    shares = np.array([0.1, 0.0, 0.3, 0.2, 0.1, 0.0])
    few, many = clustered_share(shares), clustered_share(np.repeat(shares, 10))
    assert many.high - many.low < (few.high - few.low) / 3  # the root of 10 times as many


@pytest.mark.parametrize("clusters", [0, 1, 4])
def test_few_clusters_have_no_interval(clusters: int) -> None:
    found = clustered_share(np.full(clusters, 0.25))
    assert np.isnan([found.low, found.high]).all()
