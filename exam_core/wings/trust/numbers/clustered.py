"""Shares of things that come in clusters, such as passages of queries: each cluster counts the same."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from exam_core.numbers.arrays import Floats
from exam_core.numbers.resampling import LEVEL
from exam_core.numbers.share_intervals import tango, wilson

FEWEST = 5
"""Fewer clusters have no interval."""


class Share(NamedTuple):
    """Shares with the ends of their intervals, (...) each; NaN where there is none."""

    value: Floats
    low: Floats
    high: Floats


def clustered_share(shares: Floats) -> Share:
    """The mean of the clusters' shares, with Wilson's 95% interval for as many things as the clusters are worth.

    They are worth n = p (1 - p) / v, with v the variance of the mean between clusters. The quantile is Student's, with
    the degrees of freedom that v itself has: where few clusters hold most of what happened, there are few. Where all
    clusters have the same share, and so v = 0, each is worth one thing.

    Parameters
    ----------
    shares : (..., C) one for each cluster, in [0, 1]

    Returns
    -------
    without an interval for fewer than `FEWEST` clusters

    Source: Wilson 1927; Korn & Graubard 1998 (what clusters are worth); Satterthwaite 1946 (degrees of freedom).

    >>> found = clustered_share(np.array([0.0, 0.2, 0.4, 0.2, 0.2]))
    >>> print(found.value.round(2), found.low.round(2), found.high.round(2))
    0.2 0.08 0.42
    """
    value = _mean(shares)
    if shares.shape[-1] < FEWEST:
        return _unknown(value)
    return Share(value, *wilson(value, *_worth(shares, value * (1 - value))))


def clustered_difference(first: Floats, second: Floats) -> Share:
    """How far two shares of the same things are apart, first minus second; of no thing both are true.

    Tango's 95% score interval for as many things as the clusters are worth: n = (p + q - (p - q)^2) / v, with v the
    variance of the mean difference between clusters; the quantile is that of `clustered_share`. So a share that is 0 in
    all clusters is as sure as the other one lets it be.

    Parameters
    ----------
    first, second : (..., C) p and q of each cluster, in [0, 1]; together at most 1

    Returns
    -------
    without an interval for fewer than `FEWEST` clusters

    Source: Tango 1998; Korn & Graubard 1998 (what clusters are worth); Satterthwaite 1946 (degrees of freedom).

    >>> found = clustered_difference(np.array([0.2, 0.2, 0.4, 0.2, 0.0]), np.array([0.0, 0.1, 0.0, 0.0, 0.0]))
    >>> print(found.value.round(2), found.low.round(2), found.high.round(2))
    0.18 -0.03 0.4
    """
    one, other = _mean(first), _mean(second)
    apart = one - other
    if first.shape[-1] < FEWEST:
        return _unknown(apart)
    return Share(apart, *tango(one, other, *_worth(first - second, one + other - apart**2)))


def _mean(shares: Floats) -> Floats:
    return np.asarray(shares.mean(axis=-1) if shares.shape[-1] else np.full(shares.shape[:-1], np.nan))


def _unknown(value: Floats) -> Share:
    return Share(value, np.full_like(value, np.nan), np.full_like(value, np.nan))


def _worth(values: Floats, variance: Floats) -> tuple[Floats, Floats]:
    """How many things clusters (..., C) are worth, a single thing having this variance, and Student's quantile."""
    from scipy.special import stdtrit  # not at the top: scipy takes long to load

    clusters = values.shape[-1]
    squares = (values - values.mean(axis=-1, keepdims=True)) ** 2
    spread = squares.sum(axis=-1)
    fourth = (squares**2).sum(axis=-1)
    unequal = fourth - spread**2 / clusters
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = np.where(unequal > 1e-12 * fourth, 2 * spread**2 / unequal, clusters - 1)
        worth = np.where(spread > 1e-12, variance * clusters * (clusters - 1) / spread, clusters)
    return worth, stdtrit(np.clip(freedom, 1, clusters - 1), (1 + LEVEL) / 2)
