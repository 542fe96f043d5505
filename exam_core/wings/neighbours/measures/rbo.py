"""Rank-biased overlap of two rankings in full: ties in three ways, and what the unseen rest can make of it.

`exam_core.numbers.rank_correlations` computes one of these (ties as equality, extrapolated) for thousands of
leaderboards over the same runs at once. This takes any two rankings: uneven, with items that only one of them has,
with ties.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from exam_core.errors import UndefinedMeasure
from exam_core.numbers.arrays import Bools, Floats, Ints

Ties = Literal["w", "a", "b"]
"""What a tie is.

- w: items that are equal, as in sports; each counts from the first place of its group on
- a: an order that isn't known: the mean over all orders of the tied items
- b: as a, divided as Kendall's tau-b is, so that a ranking with ties has an overlap of 1 with itself
"""
Ranking = Sequence[str | Collection[str]]
"""Items, best first; a collection that is no text is a group of ties."""


@dataclass(frozen=True)
class Rbo:
    """Rank-biased overlap of two rankings, each in [0, 1].

    Attributes
    ----------
    ext : extrapolated: what is not seen agrees as much as what is
    min, max : if nothing more agrees, and if all agrees that can
    """

    ext: float
    min: float
    max: float


def rbo(x: Ranking, y: Ranking, *, p: float = 0.9, ties: Ties = "w") -> Rbo:
    """Rank-biased overlap of two rankings, which may differ in length and in what they rank.

    The agreement A at each depth d is weighed by (1 - p) p^(d - 1). With p = 1 all depths down to the end of the longer
    ranking weigh the same, and what comes after it nothing: the limit of the weights that are divided by their sum,
    known as average overlap. Then min and max are those of a shorter ranking's unseen places alone.

    Parameters
    ----------
    x, y : rankings; which comes first makes no difference
    p : persistence, above 0 and at most 1: small p looks at the top alone
    ties : see `Ties`; without ties all three are equal

    Raises
    ------
    ValueError : p is out of range, there is no such way of ties, or a ranking names an item twice
    UndefinedMeasure : a ranking is empty

    Source: Webber, Moffat & Zobel 2010 (A Similarity Measure for Indefinite Rankings), eq. 11, 15 and 32; ties:
    Corsi & Urbano 2024 (The Treatment of Ties in Rank-Biased Overlap), sections 3 to 5.

    >>> found = rbo(["a", "b"], ["b", "a"], p=0.5)  # the first items differ, the first two agree
    >>> print(found.ext, round(found.min, 3), found.max)
    0.5 0.386 0.5
    """
    if not 0 < p <= 1:
        raise ValueError(f"p = {p:g}: rank-biased overlap needs a p above 0 and at most 1")
    if ties not in get_args(Ties):
        raise ValueError(f"ties {ties!r}: there are {', '.join(get_args(Ties))}")
    short, long = sorted((_groups(x), _groups(y)), key=lambda groups: sum(map(len, groups)))
    seen = _PrefixOverlap.of(short, long, ties)
    ext, low, high = seen.agreements()
    if p == 1:
        return Rbo(float(ext.mean()), float(low.mean()), float(high.mean()))
    weights = (1 - p) * p ** (seen.depths - 1.0)
    beyond = _beyond(seen, p)
    return Rbo(*(float(weights @ part + rest) for part, rest in zip((ext, low, high), beyond, strict=True)))


@dataclass(frozen=True)
class _PrefixOverlap:
    """Two rankings down to the end of the longer one: (D,) arrays over its depths.

    Parameters
    ----------
    s : length of the shorter ranking
    both : overlap of what both have
    length : what the overlap is divided by, if the shorter ranking went on without ties
    only : (m, D) shares of the items that the longer ranking alone has, largest first
    """

    s: int
    depths: Ints
    both: Floats
    length: Floats
    only: Floats

    @classmethod
    def of(cls, short: list[list[str]], long: list[list[str]], ties: Ties) -> _PrefixOverlap:
        in_short = {item for group in short for item in group}
        items = [item for group in long for item in group]
        rows = {item: row for row, item in enumerate([*items, *sorted(in_short - set(items))])}
        depths = np.arange(1, len(items) + 1)
        mine, theirs = (_shares(groups, rows, depths, ties) for groups in (short, long))
        unseen = np.maximum(depths - len(in_short), 0)
        power = 2 if ties == "b" else 1
        sizes = (mine**power).sum(axis=0) + unseen, (theirs**power).sum(axis=0)
        length = {"w": (sizes[0] + sizes[1]) / 2, "a": depths.astype(float), "b": np.sqrt(sizes[0] * sizes[1])}[ties]
        alone: Bools = np.array([item not in in_short for item in items], bool)
        only = -np.sort(-theirs[: len(items)][alone], axis=0)
        return cls(len(in_short), depths, (mine * theirs).sum(axis=0), length, only)

    def agreements(self) -> tuple[Floats, Floats, Floats]:
        """The agreement at each depth: extrapolated, smallest, largest."""
        unseen = np.maximum(self.depths - self.s, 0)
        low = self.both / self.length
        met = np.vstack([np.zeros(len(self.depths)), np.cumsum(self.only, axis=0)])
        high = (self.both + met[np.minimum(unseen, len(self.only)), self.depths - 1]) / self.length
        # An unseen item is met as often as the seen ones were, by an item that is there as much as the others are.
        there = (self.only > 0).sum(axis=0)
        share = self.only.sum(axis=0) / np.maximum(there, 1)
        return (self.both + unseen * low[self.s - 1] * share) / self.length, low, high


def _beyond(seen: _PrefixOverlap, p: float) -> tuple[float, float, float]:
    """What all depths after the longer ranking's end add: extrapolated, smallest, largest."""
    depth, overlap = len(seen.depths), seen.both[-1]
    unseen = depth - seen.s
    agreed = seen.both[seen.s - 1] / seen.length[seen.s - 1]
    ext = (overlap + unseen * agreed) / depth * p**depth
    rest = math.log(1 / (1 - p)) - float((p**seen.depths / seen.depths).sum())
    low = (1 - p) / p * overlap * rest
    # At each depth both unseen items may meet what the other ranking has, until everything is met.
    whole = round(depth + seen.s - overlap)
    further = np.arange(depth + 1, whole + 1)
    largest = (2 * further - depth - seen.s + overlap) / further
    high = float(((1 - p) * p ** (further - 1.0)) @ largest) + p**whole
    return ext, low, high


def _groups(ranking: Ranking) -> list[list[str]]:
    """A ranking as groups of ties, most of one item."""
    groups = [[group] if isinstance(group, str) else list(group) for group in ranking]
    items = [item for group in groups for item in group]
    if not items:
        raise UndefinedMeasure("Rank-biased overlap is undefined for an empty ranking.")
    if len(set(items)) < len(items):
        twice = next(item for place, item in enumerate(items) if item in items[:place])
        raise ValueError(f"{twice} is ranked twice: rank-biased overlap needs each item once")
    return [group for group in groups if group]


def _shares(groups: list[list[str]], rows: dict[str, int], depths: Ints, ties: Ties) -> Floats:
    """(items, D): how much of each item is among the first d; between 0 and 1 within a group of ties."""
    shares, above = np.zeros((len(rows), len(depths))), 0
    for group in groups:
        places = [rows[item] for item in group]
        shares[places] = depths > above if ties == "w" else np.clip((depths - above) / len(group), 0, 1)
        above += len(group)
    return shares
