"""Samples of known probabilities: how likely each item is drawn, and the draw itself."""

from __future__ import annotations

import numpy as np

from exam_core.numbers.arrays import Floats, Ints


def inclusion_probabilities(sizes: Floats, n: int) -> Floats:
    """(P,) probabilities in proportion to sizes, none above 1, which add up to n.

    Items whose share would be more than 1 are certain; the others share what is left.

    Parameters
    ----------
    sizes : (P,) above 0
    n : how many items are drawn; all where there are no more

    Source: Särndal, Swensson and Wretman 1992, section 3.6.

    >>> inclusion_probabilities(np.array([1.0, 1.0, 8.0]), n=2).tolist()
    [0.5, 0.5, 1.0]
    """
    if n >= len(sizes):
        return np.ones(len(sizes))
    certain = np.zeros(len(sizes), bool)
    while True:
        shares = (n - certain.sum()) * sizes / sizes[~certain].sum()
        more = ~certain & (shares >= 1)
        if not more.any():
            return np.where(certain, 1.0, shares)
        certain |= more


def pivotal(probabilities: Floats, rng: np.random.Generator) -> Ints:
    """Indices of a sample, in random order: each item comes in with just its probability.

    Items meet in random order, two at a time, and a draw settles which of them takes the other's probability, until
    each has 0 or 1. The sample's size is the sum of the probabilities, and samples differ nearly as much as they can,
    so that the variance of independent draws holds. (Equal steps along a line are simpler; but where many
    probabilities are equal, their samples differ in another way than that variance takes for granted.)

    Source: Deville and Tillé 1998 (the pivotal method), in random order.

    >>> sorted(pivotal(np.array([0.5, 0.5, 1.0]), np.random.default_rng(0)).tolist())  # 2 is certain, with 0 or 1
    [0, 2]
    """
    order = rng.permutation(len(probabilities)).tolist()
    chances, draws = probabilities.tolist(), rng.random(len(probabilities)).tolist()
    found: list[int] = []
    if not order:
        return np.zeros(0, int)
    left = order[0]
    for new in order[1:]:
        mine, theirs, draw = chances[left], chances[new], draws[new]
        both = mine + theirs
        if both < 1:
            left = left if draw * both >= theirs else new
            chances[left] = both
        elif draw * (2 - both) < 1 - theirs:
            found.append(left)
            left, chances[new] = new, both - 1
        else:
            found.append(new)
            chances[left] = both - 1
    # What is left over is 0 or 1 but for rounding, where the probabilities add up to a whole number.
    if rng.random() < chances[left]:
        found.append(left)
    return rng.permutation(np.array(found, int))
