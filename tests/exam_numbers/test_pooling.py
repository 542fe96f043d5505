"""Pooled values of several collections, beside a published example and in simulation."""

import numpy as np
import pytest
from scipy import optimize, stats

from exam_core.numbers.pooling import pooled, pooled_coefficients

BCG = (
    *((4, 123, 11, 139), (6, 306, 29, 303), (3, 231, 11, 220), (62, 13598, 248, 12867), (33, 5069, 47, 5808)),
    *((180, 1541, 372, 1451), (8, 2545, 10, 629), (505, 88391, 499, 88391), (29, 7499, 45, 7277)),
    *((17, 1716, 65, 1665), (186, 50634, 141, 27338), (5, 2498, 3, 2341), (27, 16913, 29, 17854)),
)
"""Cases and people of 13 trials of a vaccine, vaccinated and not (Colditz et al. 1994)."""


def trials():
    cases, of, cases_without, of_without = np.array(BCG, float).T
    ratios = np.log((cases / of) / (cases_without / of_without))
    return ratios, 1 / cases - 1 / of + 1 / cases_without - 1 / of_without


def by_hand(values, variances):
    """Paule and Mandel's variance as a root, and the weighted mean."""

    def excess(between):
        weights = 1 / (variances + between)
        mean = np.average(values, weights=weights)
        return float(weights @ (values - mean) ** 2) - (len(values) - 1)

    between = optimize.brentq(excess, 0, 100) if excess(0) > 0 else 0.0
    return between, float(np.average(values, weights=1 / (variances + between)))


def test_the_trials_of_a_vaccine_have_the_published_mean_variance_and_heterogeneity():
    result = pooled(*trials())
    # Viechtbauer 2010 (Journal of Statistical Software 36:3): Q(12) = 152.233; Paule and Mandel: 0.3181 and -0.7150
    assert result.q == pytest.approx(152.233, abs=5e-4)
    assert (result.between, result.value) == pytest.approx((0.3181, -0.7150), abs=5e-5)
    assert result.i2 == pytest.approx(1 - 12 / result.q)
    assert result.p == pytest.approx(stats.chi2.sf(result.q, 12))


@pytest.mark.parametrize("seed", range(5))
def test_values_are_those_of_a_root_found_otherwise(seed):
    rng = np.random.default_rng(seed)
    values, variances = rng.normal(0, 0.5, 6), rng.uniform(0.01, 0.2, 6)
    result = pooled(values, variances)
    assert (result.between, result.value) == pytest.approx(by_hand(values, variances), abs=1e-9)


def test_alike_values_are_no_more_certain_than_their_variances():
    result = pooled(np.full(4, 0.3), np.full(4, 0.04))
    half = stats.norm.ppf(0.975) * 0.1
    assert (result.value, result.low, result.high) == pytest.approx((0.3, 0.3 - half, 0.3 + half))
    assert (result.between, result.i2) == (0, 0)


def test_one_value_and_values_without_an_interval_are_not_pooled():
    assert np.isnan(pooled(np.array([0.3]), np.array([0.1])).value)
    two = pooled_coefficients(np.array([0.5, 0.7, 0.9]), np.array([0.3, np.nan, 0.8]), np.array([0.6, np.nan, 1.0]))
    assert two.n == 2
    assert -1 < two.low < two.value < two.high < 1


@pytest.mark.parametrize(("collections", "between"), [(3, 0.3), pytest.param(6, 0.15, marks=pytest.mark.thorough)])
def test_the_mean_lies_in_its_interval_in_95_of_100_samples(collections, between):
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(1000):
        errors = rng.uniform(0.05, 0.25, collections)
        own = rng.normal(0.8, between, collections)
        result = pooled(rng.normal(own, errors), errors**2)
        inside += result.low <= 0.8 <= result.high
    assert 0.93 <= inside / 1000 <= 0.99
