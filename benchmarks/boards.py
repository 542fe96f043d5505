"""Boards whose true means are known: runs in families that fail alike, queries with heavy tails, a run far off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from exam_core.numbers.arrays import Floats, Ints

NOISE = 2.6
"""Deviation of one value, in deviations of true means: as on DL19, 43 queries leave a standard error of 0.4."""

ALIKE = 0.8
"""Correlation of a family's true means, and of its errors."""

ACROSS = 0.5
"""Correlation of a run's errors on two measures."""


PARTING = 1.0
"""Mean and deviation of how much a query tells runs apart. With 43 queries means are stretched by 15%, give or take;
by 11 to 28% on DL19."""


@dataclass(frozen=True)
class Shape:
    """What kind of board is made.

    Parameters
    ----------
    name : in tables
    runs, queries : how many
    correlation : of the true means with those of the reference, before anything else
    families : how many families the runs fall into, of unequal sizes; None: every run by itself
    heavy : whether values have the tails of Student's t with 3 degrees of freedom
    far : whether the last run is 6 deviations behind
    stretched : whether queries tell runs apart more or less, all of them alike
    values : any number; in sixths from 0 to 1; 0 or 1; or mostly 0
    """

    name: str
    runs: int
    queries: int
    correlation: float
    families: int | None = None
    heavy: bool = False
    far: bool = False
    stretched: bool = False
    values: Literal["any", "graded", "binary", "zeros"] = "any"


SHAPES = (
    Shape("independent runs", 22, 43, 0.95),
    Shape("independent runs, middling correlation", 37, 43, 0.6),
    Shape("families", 37, 43, 0.9, families=9),
    Shape("families, one run far off", 37, 43, 0.9, families=9, far=True),
    Shape("heavy tails, one run far off", 37, 43, 0.9, heavy=True, far=True),
    Shape("families, heavy tails", 22, 43, 0.95, families=6, heavy=True),
    Shape("families, heavy tails, more queries", 22, 200, 0.95, families=6, heavy=True),
    Shape("few runs", 10, 43, 0.9),
    Shape("few queries", 22, 15, 0.9),
    Shape("few queries, many runs", 40, 15, 0.9),
    Shape("queries that part runs, or not", 37, 43, 0.9, stretched=True),
    Shape("families, queries that part runs, or not", 37, 43, 0.9, families=9, stretched=True),
    Shape("few queries that part runs, or not", 22, 15, 0.9, stretched=True),
    Shape("graded, families", 37, 43, 0.9, families=9, values="graded"),
    Shape("graded, families, nearly perfect", 37, 43, 0.99, families=9, values="graded"),
    Shape("graded, families, middling correlation", 37, 43, 0.5, families=9, values="graded"),
    Shape("graded, families, ten queries", 20, 10, 0.9, families=5, values="graded"),
    Shape("graded, families, many queries", 37, 250, 0.95, families=9, values="graded"),
    Shape("0 and 1", 20, 25, 0.9, values="binary"),
    Shape("0 and 1, families", 37, 43, 0.9, families=9, values="binary"),
    Shape("0 and 1, families, nearly perfect", 20, 43, 0.99, families=5, values="binary"),
    Shape("0 and 1, ten queries", 20, 10, 0.9, values="binary"),
    Shape("0 and 1, families, many queries", 37, 250, 0.95, families=9, values="binary"),
    Shape("mostly 0, families", 37, 43, 0.9, families=9, values="zeros"),
)


@dataclass(frozen=True)
class Board:
    """Values of two measures on the same queries, and what their means would be with endless ones.

    Parameters
    ----------
    values, others : (R, Q)
    truth, other_truth : (R,) in the order of the means with endless queries
    """

    values: Floats
    others: Floats
    truth: Floats
    other_truth: Floats


@dataclass(frozen=True)
class Population:
    """Runs whose true means are known: each one's family, and the true means by two measures, (R,) each."""

    shape: Shape
    family: Ints
    truth: Floats
    other_truth: Floats

    def sample(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """(R, Q) values of both measures on queries drawn anew."""
        shape, family = self.shape, self.family
        errors = [_by_family(family, shape.queries, shape, rng) for _ in range(3)]
        mixed = [np.sqrt(ACROSS) * errors[0] + np.sqrt(1 - ACROSS) * own for own in errors[1:]]
        if shape.heavy:
            # one factor for each value, but the same for a family's: near-duplicates fail together
            factor = rng.standard_t(3, (shape.runs, shape.queries))[family] / np.sqrt(3)
            mixed = [one * np.abs(factor) for one in mixed]
        parts = rng.exponential(PARTING, shape.queries) if shape.stretched else np.ones(shape.queries)
        values, others = (
            _cut(truth[:, None] * parts + NOISE * error + rng.standard_normal(shape.queries), shape)
            for truth, error in zip((self.truth, self.other_truth), mixed, strict=True)
        )
        return values, others


def population(shape: Shape, rng: np.random.Generator) -> Population:
    """Runs of their own, drawn anew."""
    family = rng.integers(0, shape.families, shape.runs) if shape.families else np.arange(shape.runs)
    first, rest = (_by_family(family, 1, shape, rng)[:, 0] for _ in range(2))
    second = shape.correlation * first + np.sqrt(1 - shape.correlation**2) * rest
    if shape.far:
        first[-1] -= 6
        second[-1] -= 6
    return Population(shape, family, first, second)


def board(shape: Shape, rng: np.random.Generator) -> Board:
    """A board of its own, drawn anew."""
    runs = population(shape, rng)
    values, others = runs.sample(rng)
    return Board(values, others, runs.truth, runs.other_truth)


def _cut(values: Floats, shape: Shape) -> Floats:
    """As measures have them; the order of the means with endless queries stays, since all runs are as noisy."""
    places = values / NOISE
    if shape.values == "graded":
        return np.asarray(np.clip(np.round(3 * places + 3), 0, 6) / 6)
    if shape.values == "binary":
        return np.asarray((places > 0.3).astype(float))
    if shape.values == "zeros":
        return np.asarray(np.clip(places - 0.8, 0, 1))
    return values


def _by_family(family: Ints, columns: int, shape: Shape, rng: np.random.Generator) -> Floats:
    """(R, columns) normal deviates that correlate by `ALIKE` within a family."""
    own = rng.standard_normal((shape.runs, columns))
    if not shape.families:
        return own
    shared = rng.standard_normal((shape.runs, columns))[family]
    mixed: Floats = np.sqrt(ALIKE) * shared + np.sqrt(1 - ALIKE) * own
    return mixed
