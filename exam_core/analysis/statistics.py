"""Means over queries."""

from __future__ import annotations

import numpy as np

from exam_core.measures.gradebook import Floats


def mean_and_stderr(values: Floats) -> tuple[Floats, Floats, np.ndarray]:
    """Mean, sample standard deviation (n - 1) over the square root of n, and n, along the last axis.

    NaN values don't count; the standard error of fewer than two values is undefined (NaN).
    """
    counted = ~np.isnan(values)
    n = counted.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(counted, values, 0).sum(axis=-1) / n
        squares = np.where(counted, (values - mean[..., None]) ** 2, 0).sum(axis=-1)
        stderr = np.sqrt(squares / (n - 1) / n)
    return mean, np.where(n > 1, stderr, np.nan), n
