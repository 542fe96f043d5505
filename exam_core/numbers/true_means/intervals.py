"""What a rank correlation would be with endless queries of the same kind: its interval, and its middle."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from exam_core.numbers import DRAWS, SEED
from exam_core.numbers.arrays import Floats
from exam_core.numbers.quantiles import step_quantiles
from exam_core.numbers.rank_correlations import COEFFICIENTS, DIGITS, Correlations, correlations
from exam_core.numbers.true_means.fixed_reference import draws_beside_ranks
from exam_core.numbers.true_means.modelled import FEWEST, distinct, means_of, modelled
from exam_core.numbers.true_means.observed import errors, normal_scores
from exam_core.numbers.true_means.two_boards import draws_beside_measure

ORDERED = ("spearman", "kendall", "tau_ap", "tau_ap_b", "rbo")
"""Coefficients of orders alone, which is what the model knows."""

ENDS = (0.01, 0.995)
"""Quantiles of the draws that are called 95%: those at 2.5% and 97.5% hold less where families of runs, or real data,
depart from the model, and the truth lies above an interval more often than below. Chosen by simulation, so a
calibration and no theorem; docs/explanation/intervals.md says how often they hold."""

ENDS_IN_WORDS = " and ".join(f"{100 * end:g}%" for end in ENDS)

RBO_QUERIES = 500
"""Below it nothing is said of rank-biased overlap with another measure over the same queries. It looks at the first
runs alone, which may follow other rules than those that the model learns from all: on ten simulated collections
(seeds 100 to 109) its interval held the truth in 88-94% of samples of 43 and 131 queries, in one of them in 60%."""


@dataclass(frozen=True)
class TrueCorrelations:
    """Of B boards, what each coefficient would be with endless queries: the ends of a 95% interval, and the middle.

    NaN where nothing can be said.
    """

    low: Correlations
    middle: Correlations
    high: Correlations


def true_correlations(
    values: Floats,
    reference: Floats,
    which: Collection[str] = ORDERED,
    *,
    draws: int = DRAWS,
    seed: int = SEED,
    queries: int | None = None,
) -> TrueCorrelations:
    """How well each board would agree with the reference if there were endless queries of the same population.

    Noise of the means lowers a correlation. A bootstrap of the queries adds it a second time, so that its interval lies
    as far below the observed coefficient as that lies below the true one. Here true means are drawn from a model of the
    observed ones, in which the reference takes part, and each draw is correlated with the reference.

    Parameters
    ----------
    values : (B, R, Q) per-query values of B boards; NaN doesn't count
    reference : (R,) fixed scores, larger is better, or (R, Q) values of another measure on the same queries
    which : names among `ORDERED`; others stay NaN
    draws, seed : the same seed gives the same draws, for every board
    queries : instead of endless ones, so many others of the same population: what a new sample would show

    Returns NaN for fewer than five queries or runs that differ, a side without an order, a run without values, and a
    board that has the reference's own values: that is a correlation of 1, whatever the queries. NaN for `rbo` with a
    reference by query and fewer than `RBO_QUERIES`; and for a coefficient that is observed above the interval: noise
    lowers correlations, so that the model does not fit these values.

    Source: Fay & Herriot 1979 (the model's kind); Louis 1984 (ranks from draws of the true means, not from their
    expectations); docs/explanation/intervals.md says which choices were made by simulation.
    """
    quantiles = np.full((3, len(COEFFICIENTS), len(values)), np.nan)
    few = reference.ndim == 2 and values.shape[-1] < RBO_QUERIES
    wanted = [name for name in ORDERED if name in which and not (few and name == "rbo")]
    for board, board_values in enumerate(values):
        if not _can_tell(board_values, reference):
            continue
        rng = np.random.default_rng(seed)
        drawn = correlations(*_drawn(board_values, reference, draws, rng, queries), wanted)
        known = correlations(means_of(board_values), reference if reference.ndim == 1 else means_of(reference), wanted)
        for name in wanted:
            ends = step_quantiles(getattr(drawn, name), (ENDS[0], 0.5, ENDS[1]))
            if getattr(known, name) <= ends[2] + 10.0**-DIGITS:
                quantiles[:, COEFFICIENTS.index(name), board] = ends
    low, middle, high = (Correlations(*part) for part in quantiles)
    return TrueCorrelations(low, middle, high)


def _drawn(
    values: Floats, reference: Floats, draws: int, rng: np.random.Generator, queries: int | None
) -> tuple[Floats, Floats]:
    """(draws, R) true means, or means over so many other queries, and the reference of each draw."""
    fixed = reference.ndim == 1
    model = modelled(values[None] if fixed else np.stack([values, reference]))
    if fixed:
        means = draws_beside_ranks(model.observed, model.of_runs(normal_scores(reference)), draws, rng)[:, None]
    else:
        means = draws_beside_measure(model.observed, draws, rng)
    if queries is not None:
        means = means + np.sqrt(model.observed.queries / queries) * errors(model.observed, draws, rng)
    means = model.of_all(means)
    return means[:, 0], reference if fixed else means[:, 1]


def is_same(values: Floats, reference: Floats) -> bool:
    """Whether (R, Q) values are those of the reference: (R, Q), too, or a fixed (R,) that never is."""
    if reference.ndim == 1:
        return False
    return bool(np.isclose(values, reference, rtol=0, atol=10.0**-DIGITS, equal_nan=True).all())


def _can_tell(values: Floats, reference: Floats) -> bool:
    """Whether there are runs and queries enough, and orders that chance could change."""
    if min(values.shape) < FEWEST or not _ordered(values):
        return False
    boards = values[None] if reference.ndim == 1 else np.stack([values, reference])
    if len(distinct(boards)[0]) < FEWEST:
        return False
    if reference.ndim == 1:
        return not np.isnan(reference).any() and bool(np.ptp(np.round(reference, DIGITS)) > 0)
    return _ordered(reference) and not is_same(values, reference)


def _ordered(values: Floats) -> bool:
    """Whether every run has a mean, and not all have the same."""
    if np.isnan(values).all(axis=1).any():
        return False
    return bool(np.ptp(np.round(means_of(values), DIGITS)) > 0)
