"""Bootstrap intervals of rank correlations, which the intervals that are told are compared with."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from exam_core.numbers.arrays import Floats, Ints, slices
from exam_core.numbers.rank_correlations import COEFFICIENTS, Correlations, correlations
from exam_core.numbers.resampling import BLOCK_VALUES, bootstrap_means, percentile_interval


def correlation_intervals(
    values: Floats, reference: Floats, counts: Ints, which: Collection[str] = COEFFICIENTS
) -> tuple[Correlations, Correlations]:
    """Percentile interval of each coefficient of each board with the reference, over draws of queries.

    Every run of every board has its mean over the same draws, and so has a reference that comes query by query.
    A run that loses all its values in a draw makes that draw undefined.

    Parameters
    ----------
    values : (B, R, Q) per-query values of B boards; NaN doesn't count
    reference : (R,) fixed scores, larger is better, or (R, Q) per-query values that are drawn along
    counts : (draws, Q) of `bootstrap_counts`

    Returns lower and upper ends: arrays (B,) in two `Correlations`. NaN where fewer than 90% of the draws have a
    coefficient.

    Source: Efron & Tibshirani 1993, chapter 13.
    """
    boards, runs, _ = values.shape
    samples = {name: np.full((len(counts), boards), np.nan) for name in COEFFICIENTS}
    for part in slices(len(counts), max(1, BLOCK_VALUES // max(1, boards * runs))):
        truth = reference if reference.ndim == 1 else bootstrap_means(reference, counts[part])[:, None]
        drawn = correlations(bootstrap_means(values, counts[part]), truth, which)
        for name in which:
            samples[name][part] = getattr(drawn, name)
    ends = {name: percentile_interval(sample) for name, sample in samples.items()}
    low, high = (Correlations(**{name: both[end] for name, both in ends.items()}) for end in (0, 1))
    return low, high
