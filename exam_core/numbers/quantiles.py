"""Quantiles of draws that take few values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from exam_core.numbers.arrays import Floats
from exam_core.numbers.rank_correlations import DIGITS


def step_quantiles(samples: Floats, shares: Sequence[float]) -> Floats:
    """Quantiles of samples that take few values, such as rank correlations of a board that is nearly certain.

    Each value stands for the middle of its share of the samples, and between two values it is interpolated. Plain
    quantiles would mostly be such values, as the truth is, so that an interval between two would hold it too often.

    Samples are (draws,) without NaN, compared after rounding to 1e-9; `shares` of them lie below the quantiles.

    Source: Ma, Genton & Parzen 2011, Asymptotic properties of sample quantiles of discrete distributions.

    >>> step_quantiles(np.array([1.0, 1.0, 1.0, 2.0]), [0.375, 0.625]).tolist()  # 1 is at 3/8, 2 at 7/8
    [1.0, 1.5]
    """
    values, count = np.unique(np.round(samples, DIGITS), return_counts=True)
    middles = (np.cumsum(count) - count / 2) / len(samples)
    return np.interp(shares, middles, values)
