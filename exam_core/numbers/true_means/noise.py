"""How uncertain means over the same queries are together: their covariances, steadied by families of runs."""

from __future__ import annotations

import numpy as np

from exam_core.numbers.arrays import Floats

FEW = 5
"""A run with fewer values has no variance to speak of; it borrows that of the others where theirs is larger."""


def deviations(values: Floats) -> Floats:
    """What each query adds to the error of each mean: (..., R, Q) of (..., R, Q) values, where NaN does not count.

    The mean over runs of a query's deviations is taken off, since what moves all runs alike does not change an order.
    A value that does not count adds nothing, and those that count weigh as much more as they are fewer.
    """
    counted = ~np.isnan(values)
    n = counted.sum(axis=-1, keepdims=True)
    filled = np.where(counted, values, 0.0)
    means = filled.sum(axis=-1, keepdims=True) / np.maximum(n, 1)
    off = np.where(counted, values - means, 0.0) * values.shape[-1] / np.maximum(n, 1)
    return off - off.mean(axis=-2, keepdims=True)


def variances(off: Floats, n: Floats) -> Floats:
    """(..., R) squared standard errors of means over n values, from `deviations` (..., R, Q)."""
    size = off.shape[-1]
    values = (off**2).sum(axis=-1) / size**2 * n / np.maximum(n - 1, 1)
    few = n < FEW
    if few.any() and not few.all():
        usual = np.median((values * n)[~few])
        values = np.where(few, np.maximum(values, usual / np.maximum(n, 1)), values)
    return np.asarray(values, float)


def steadied(off: Floats) -> Floats:
    """Deviations (M, R, Q) of the same shape, with variances that differ between runs no more than they surely do.

    By chance alone, 15 queries make some runs seem twice as certain as others. What is taken for certain counts most:
    where such a run is away from its place, true means seem to part that do not. The variances of a board are shrunk
    towards their mean by the share of their differences that chance would make.

    Source: James & Stein 1961, as far as chance explains the differences.
    """
    squares = (off - off.mean(axis=-1, keepdims=True)) ** 2
    sizes = squares.mean(axis=-1)
    chance = squares.var(axis=-1).mean(axis=-1) / off.shape[-1]
    tiny = np.finfo(float).tiny
    share = np.clip(chance / np.maximum(sizes.var(axis=-1, ddof=1), tiny), 0, 1)[:, None]
    wanted = (1 - share) * sizes + share * sizes.mean(axis=-1, keepdims=True)
    return off * np.sqrt(wanted / np.maximum(sizes, tiny))[..., None]


def without_stretching(off: Floats, places: Floats) -> Floats:
    """Deviations without what only stretches a board, as far as there is more of that than of other noise.

    One query tells all runs apart better than another: its values are the means, stretched. What that adds to the
    noise lies along the means themselves and moves no run past another. Left in, it makes the very direction in which
    the runs are ordered the least certain of all. On TREC DL 2019, with 37 runs and so 36 directions, a sixth to a
    quarter of the noise lies in that one. Noise also lies along the means that it makes itself: so as much of what is
    more than usual is taken off as the means are more than noise. `off` are (M, R, Q) deviations on the scale of the
    (M, R) means, `places`.
    """
    size, runs = off.shape[-1], off.shape[1]
    centred = places - places.mean(axis=1, keepdims=True)
    length = (centred**2).sum(axis=1)
    along = np.einsum("mr,mrq->mq", centred, off) / np.sqrt(length)[:, None]
    scale = size * (size - 1)
    stretch = (along**2).sum(axis=1) / scale
    noise = ((off - off.mean(axis=1, keepdims=True)) ** 2).sum(axis=(1, 2)) / scale
    usual = (noise - stretch) / max(runs - 2, 1)
    more = np.maximum(0.0, stretch - usual) * np.maximum(0.0, 1 - noise / length)
    share = 1 - np.sqrt(1 - more / np.maximum(stretch, np.finfo(float).tiny))
    return off - (share / np.sqrt(length))[:, None, None] * centred[:, :, None] * along[:, None, :]


def correlations_of_errors(off: Floats) -> Floats:
    """(MR, MR) correlations of the errors of one or two boards' means, shrunk towards those of families of runs.

    The families are an average-linkage tree of the runs, and a pair correlates as the branches do that it lies on, by
    the mean over the boards; across two boards all of that by one common factor. A tree is also found in chance, so
    it counts as far as the correlations of the runs differ by more than that (`_sure_of_families`). How far to shrink
    is the share of the differences between sample and tree that chance alone would make.

    Source: Schafer & Strimmer 2005 (how far); Sokal & Michener 1958 (average linkage).
    """
    boards, runs, size = off.shape
    each = off - off.mean(axis=-1, keepdims=True)
    length = np.sqrt((each**2).sum(axis=-1, keepdims=True))
    each = np.divide(each, length, out=np.zeros_like(each), where=length > 0).reshape(boards * runs, size)
    sample = np.clip(each @ each.T, -1, 1)
    np.fill_diagonal(sample, 1.0)
    blocks = sample.reshape(boards, runs, boards, runs)
    together = np.mean([blocks[board, :, board] for board in range(boards)], axis=0)
    tree = _families(together, size)
    factors = np.array([[(blocks[a, :, b] * tree).sum() for b in range(boards)] for a in range(boards)])
    factors = np.clip(factors / (tree**2).sum(), -1, 1)
    np.fill_diagonal(factors, 1.0)
    target = np.kron(factors, tree)
    chance = size / (size - 1) * ((each**2) @ (each**2).T - sample**2 / size)
    apart = (sample - target) ** 2
    np.fill_diagonal(chance, 0.0)
    np.fill_diagonal(apart, 0.0)
    share = min(1.0, max(0.0, chance.sum() / apart.sum())) if apart.sum() > 0 else 1.0
    return (1 - share) * sample + share * target


def _families(sample: Floats, size: int) -> Floats:
    """(R, R) the mean correlation of the two branches on which each pair of runs parts, or of all pairs if unsure."""
    from scipy.cluster.hierarchy import average, cophenet  # not at the top: scipy takes long to load

    pairs = sample[above := np.triu_indices(len(sample), 1)]
    sure = _sure_of_families(pairs, size)
    tree = np.eye(len(sample))
    tree[above] = sure * (1 - cophenet(average(1 - pairs))) + (1 - sure) * pairs.mean()
    return tree + tree.T - np.eye(len(sample))


def _sure_of_families(pairs: Floats, size: int) -> float:
    """0 where correlations of pairs over so many queries vary no more than chance makes them, 1 from twice as much on.

    A correlation r of n values has the variance (1 - r^2)^2 / (n - 1). Chosen by simulation: without it, intervals of
    40 independent runs on 15 queries held the truth in 70% of samples, with it in 94% (seeds from 9,000).
    """
    chance = float(((1 - pairs**2) ** 2).mean()) / (size - 1)
    return float(np.clip(pairs.var() / chance - 1, 0.0, 1.0)) if chance > 0 else 1.0
