"""Intervals of shares, and of how far two shares are apart: the formulas, for numbers and arrays alike."""

from __future__ import annotations

from typing import Any

import numpy as np


def wilson(value: Any, n: Any, quantile: Any) -> tuple[Any, Any]:
    """Wilson's interval of a share.

    Parameters
    ----------
    value : the share; n : how many things it is of, perhaps not whole
    quantile : of the normal distribution, or Student's

    Returns
    -------
    Lower and upper end, within [0, 1]

    Source: Wilson 1927.
    """
    z = quantile**2 / n
    middle, half = (value + z / 2) / (1 + z), np.sqrt(z * value * (1 - value) + z**2 / 4) / (1 + z)
    return np.maximum(0.0, middle - half), np.minimum(1.0, middle + half)


def newcombe(first: Any, second: Any) -> tuple[Any, Any]:
    """The interval of first minus second, of two independent shares that have a value, a low and a high end each.

    Source: Newcombe 1998, Interval estimation for the difference between independent proportions, method 10.
    """
    value = first.value - second.value
    below = np.hypot(first.value - first.low, second.high - second.value)
    above = np.hypot(first.high - first.value, second.value - second.low)
    return value - below, value + above
