"""One value for several collections: random effects, with how much the collections differ beyond chance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import stats

from exam_core.numbers.arrays import Floats

_Z = 1.959963984540054
"""Quantile of the normal distribution that an interval of 95% reaches to."""
MOST = 0.999
"""The end of an interval that reaches 1 on Fisher's scale, where 1 itself is infinitely far."""
HARTUNG_KNAPP = "random effects (Paule & Mandel 1982; interval of Hartung & Knapp 2001)"


class Pooled(NamedTuple):
    """A pooled value with its 95% interval, and the heterogeneity of the n values that it is of.

    Attributes
    ----------
    between : variance between the collections' own values, on the scale on which they are pooled
    i2 : share of the values' variance that chance within collections does not explain, 0 to 1
    q, p : Cochran's Q and its p value, if all collections had the same value
    """

    value: float
    low: float
    high: float
    between: float
    i2: float
    q: float
    p: float
    n: int


UNKNOWN = Pooled(np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, 0)


def pooled(values: Floats, variances: Floats) -> Pooled:
    """The mean of n values with known variances, whose own values differ: a random-effects model.

    Values without a variance do not count. The interval is that of Hartung and Knapp with n - 1 degrees of freedom, and
    never narrower than the model's normal one, which would be wider only because values are alike by chance.
    Everything is NaN with fewer than two values.

    Source: Paule & Mandel 1982 (variance between); Hartung & Knapp 2001, with the normal interval as its least by
    Wiksten, Ruecker & Schwarzer 2016; Higgins & Thompson 2002 (I2); Cochran 1954 (Q).

    >>> result = pooled(np.array([0.2, 0.4, 0.9]), np.array([0.01, 0.01, 0.01]))
    >>> [round(number, 3) for number in (result.value, result.low, result.high, result.between, result.i2)]
    [0.5, -0.396, 1.396, 0.12, 0.923]
    """
    known = ~np.isnan(values) & (variances > 0)
    own, variance = values[known], variances[known]
    n = len(own)
    if n < 2:
        return UNKNOWN._replace(n=n)
    fixed = 1 / variance
    q = float((fixed * (own - (fixed * own).sum() / fixed.sum()) ** 2).sum())
    between = between_variance(own, variance)
    weights = 1 / (variance + between)
    value = float((weights * own).sum() / weights.sum())
    spread = float((weights * (own - value) ** 2).sum()) / (n - 1)
    half = float(max(stats.t.ppf(0.975, n - 1) * np.sqrt(spread), _Z) / np.sqrt(weights.sum()))
    i2 = max(0.0, 1 - (n - 1) / q) if q else 0.0
    return Pooled(value, value - half, value + half, between, i2, q, float(stats.chi2.sf(q, n - 1)), n)


def between_variance(own: Floats, variance: Floats) -> float:
    """Paule and Mandel's variance: where the weighted squares are what is expected of them, by bisection.

    >>> print(round(between_variance(np.array([0.2, 0.4, 0.9]), np.array([0.01, 0.01, 0.01])), 3))
    0.12
    """

    def excess(between: float) -> float:
        weights = 1 / (variance + between)
        mean = (weights * own).sum() / weights.sum()
        return float((weights * (own - mean) ** 2).sum() - (len(own) - 1))

    low, high = 0.0, float(np.ptp(own) ** 2 + 1e-12)
    if excess(low) <= 0:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return (low + high) / 2


def pooled_coefficients(values: Floats, lows: Floats, highs: Floats) -> Pooled:
    """The pooled value of n coefficients between -1 and 1 with 95% intervals, by `pooled` on Fisher's scale: atanh.

    A coefficient's variance there is that of a normal distribution whose interval is as wide. `between` stays on
    Fisher's scale.

    >>> result = pooled_coefficients(np.array([0.5, 0.7]), np.array([0.3, 0.5]), np.array([0.7, 0.8]))
    >>> round(result.value, 3), round(result.low, 3), round(result.high, 3)
    (0.61, -0.865, 0.992)
    """
    value, low, high = (np.arctanh(np.clip(side, -MOST, MOST)) for side in (values, lows, highs))
    on_fisher = pooled(value, ((high - low) / (2 * _Z)) ** 2)
    ends = [float(np.tanh(end)) for end in (on_fisher.value, on_fisher.low, on_fisher.high)]
    return on_fisher._replace(value=ends[0], low=ends[1], high=ends[2])
