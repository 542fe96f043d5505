"""Shares of things that come in clusters, such as passages of queries: each cluster counts the same."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from exam_core.measures.gradebook import Floats
from exam_core.measures.intervals import newcombe, wilson
from exam_core.measures.resampling import LEVEL

FEWEST = 5
"""Fewer clusters have no interval."""


class Share(NamedTuple):
    """Shares with the ends of their intervals, (...) each; NaN where there is none."""

    value: Floats
    low: Floats
    high: Floats


def clustered_share(shares: Floats, level: float = LEVEL) -> Share:
    """The mean of the clusters' shares, with Wilson's interval for as many things as the clusters are worth.

    They are worth n = p (1 - p) / v, with v the variance of the mean between clusters. The quantile is Student's, with
    the degrees of freedom that v itself has: where few clusters hold most of what happened, there are few. Where all
    clusters have the same share, and so v = 0, each is worth one thing.

    Parameters
    ----------
    shares : (..., C) one for each cluster, in [0, 1]
    level : confidence

    Returns
    -------
    without an interval for fewer than `FEWEST` clusters

    Source: Wilson 1927; Korn & Graubard 1998 (what clusters are worth); Satterthwaite 1946 (degrees of freedom).
    """
    from scipy.special import stdtrit  # not at the top: scipy takes long to load

    clusters = shares.shape[-1]
    value: Floats = shares.mean(axis=-1) if clusters else np.full(shares.shape[:-1], np.nan)
    if clusters < FEWEST:
        return Share(value, np.full_like(value, np.nan), np.full_like(value, np.nan))
    squares = (shares - value[..., None]) ** 2
    spread = squares.sum(axis=-1)
    fourth = (squares**2).sum(axis=-1)
    unequal = fourth - spread**2 / clusters
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = np.where(unequal > 1e-12 * fourth, 2 * spread**2 / unequal, clusters - 1)
        worth = np.where(spread > 1e-12, value * (1 - value) * clusters * (clusters - 1) / spread, clusters)
    quantile = stdtrit(np.clip(freedom, 1, clusters - 1), (1 + level) / 2)
    return Share(value, *wilson(value, worth, quantile))


def clustered_difference(first: Share, second: Share) -> Share:
    """How far two shares of the same clusters are apart, first minus second.

    Source: Newcombe 1998, Interval estimation for the difference between independent proportions, method 10. Shares
    that rise and fall together are nearer to each other than the interval says.
    """
    return Share(first.value - second.value, *newcombe(first, second))
