"""Samples of known probabilities: how likely each item is drawn, and the draw itself."""

from __future__ import annotations

import numpy as np

from exam_core.measures.gradebook import Floats, Ints


def inclusion_probabilities(sizes: Floats, n: int) -> Floats:
    """(P,) probabilities in proportion to sizes, none above 1, which add up to n.

    Items whose share would be more than 1 are certain; the others share what is left.

    Parameters
    ----------
    sizes : (P,) above 0
    n : how many items are drawn; all where there are no more

    Source: Särndal, Swensson and Wretman 1992, section 3.6.
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


def systematic(probabilities: Floats, rng: np.random.Generator) -> Ints:
    """Indices of a sample, in random order: each item comes in with just its probability.

    Items are laid in random order along a line, each as long as its probability, and taken at equal steps from a random
    start, so the sample's size is the sum of the probabilities.

    Source: Hartley and Rao 1962 (systematic sampling of a randomised list).
    """
    order = rng.permutation(len(probabilities))
    ends = np.cumsum(probabilities[order])
    n = round(float(ends[-1]))
    # The sum of many probabilities is a whole number but for rounding.
    steps = (rng.random() + np.arange(n)) * (ends[-1] / n) if n else np.zeros(0)
    found = order[np.minimum(np.searchsorted(ends, steps, side="right"), len(order) - 1)]
    return rng.permutation(found)
