"""Intervals of shares, and of the difference of two shares of the same things, for numbers and arrays alike."""

from __future__ import annotations

from typing import Any

import numpy as np


def wilson(value: Any, n: Any, quantile: Any) -> tuple[Any, Any]:
    """Wilson's interval, within [0, 1], of a share of n things; n may be a fraction.

    `quantile` is of the normal distribution, or of Student's.

    Source: Wilson 1927.

    >>> low, high = wilson(0.5, 10, 1.96)
    >>> print(low.round(3), high.round(3))
    0.237 0.763
    """
    z = quantile**2 / n
    middle, half = (value + z / 2) / (1 + z), np.sqrt(z * value * (1 - value) + z**2 / 4) / (1 + z)
    return np.maximum(0.0, middle - half), np.minimum(1.0, middle + half)


HALVINGS = 60
"""Steps that find an end of `tango` to the last digit."""


def tango(first: Any, second: Any, n: Any, quantile: Any) -> tuple[Any, Any]:
    """The interval of first minus second, of two shares of the same n things, of none of which both are true.

    It holds the differences d that a score test does not reject: (first - second - d)^2 <= quantile^2 (2 s + d (1 - d))
    / n, where s is the likeliest second share if the difference is d. It has its width also where a share is 0. The
    shares add up to 1 at most; `n` and `quantile` are as in `wilson`.

    Source: Tango 1998, Equivalence test and confidence interval for the difference in proportions for the paired-sample
    design.

    >>> low, high = tango(np.array(0.3), np.array(0.1), 50, 1.96)
    >>> print(low.round(3), high.round(3))
    0.026 0.365
    """
    value = first - second

    def rejected(d: Any) -> Any:
        b = (2 - first + second) * d - first - second
        likeliest = (np.sqrt(np.maximum(b**2 + 8 * second * d * (1 - d), 0.0)) - b) / 4
        return n * (value - d) ** 2 > quantile**2 * (2 * likeliest + d * (1 - d))

    ends = []
    for furthest in (-1.0, 1.0):
        outside, inside = np.full_like(value, furthest), value
        for _ in range(HALVINGS):
            middle = (outside + inside) / 2
            out = rejected(middle)
            outside, inside = np.where(out, middle, outside), np.where(out, inside, middle)
        ends.append(inside)
    return ends[0], ends[1]
