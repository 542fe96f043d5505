"""How often tests of whole boards err, how much they find, and how often intervals of ranks hold the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from statistics import NormalDist
from typing import Any

import numpy as np

from benchmarks.boards import Population, Shape, population
from benchmarks.held import Held, summary
from exam_core.analysis.outliers import enough_draws
from exam_core.analysis.uncertainty import ALPHA
from exam_core.defaults import DRAWS
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.numbers.displacement import displacements, list_interval, rank_displacement, ranks_beside_list, sign_p
from exam_core.numbers.rank_correlations import DIGITS, mean_rank
from exam_core.numbers.resampling import bootstrap_counts, bootstrap_means, expanded, step_interval
from exam_core.numbers.significance_tests import holm, holm_of, paired_t, tiers
from exam_core.numbers.true_means import rank_intervals, standing_out_p
from exam_core.progress import Progress, no_progress

FIRST_SEED = 470_000
"""Seeds of boards begin here; tests of displaced runs were chosen on smaller ones."""

FEWEST_TAGGED = 3
PLACES_DRAWS = 300
"""Of the bootstrap of ranks; fewer than an answer takes, for time."""

SHAPES = (
    Shape("independent runs", 37, 43, 1.0),
    Shape("families", 37, 43, 1.0, families=9),
    Shape("heavy tails", 37, 43, 1.0, heavy=True),
    Shape("queries that part runs, or not", 37, 43, 1.0, stretched=True),
    Shape("graded, families", 37, 43, 1.0, families=9, values="graded"),
    Shape("0 and 1", 37, 43, 1.0, values="binary"),
    Shape("mostly 0, families", 37, 43, 1.0, families=9, values="zeros"),
)
"""Boards of two measures that order all runs alike."""

RANKED = (
    Shape("graded, families", 20, 10, 1.0, families=5, values="graded"),
    Shape("0 and 1, families", 20, 25, 1.0, families=5, values="binary"),
    Shape("graded, families", 37, 25, 1.0, families=9, values="graded"),
    Shape("graded, families", 37, 250, 1.0, families=9, values="graded"),
)
"""Of other sizes, for intervals of ranks alone."""

THIRD = NormalDist().inv_cdf(1 / 2 + 1 / 3)
"""How far a run that stands in the middle of a board has to be moved to pass a third of it."""


def benchmark(
    samples: int = 400,
    *,
    seed: int = FIRST_SEED,
    each: Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]] = map,
    progress: Progress = no_progress,
) -> dict[str, Any]:
    """Errors and power of flags, pairs and tiers, and coverage of ranks, on boards drawn anew.

    Parameters
    ----------
    samples : boards of each kind without a difference, and as many with one
    seed : the first; every kind of board has its own
    each : as in `coverage.benchmark`

    Returns
    -------
    settings; `errors`, with the share of boards on which anything is called different (`error`) where nothing is, and
    what is found of one run that is moved by a third of the board (`power`); and `ranks`, with what `summary` says
    """
    errors: list[dict[str, Any]] = []
    ranks: list[dict[str, Any]] = []
    numbered = list(enumerate((*SHAPES, *RANKED)))
    for done, (found, held) in enumerate(each(partial(_of_shape, samples=samples, seed=seed), numbered)):
        errors += found
        ranks += held
        progress((done + 1) / len(numbered))
    return {"samples": samples, "seed": seed, "errors": errors, "ranks": ranks}


def _of_shape(
    numbered: tuple[int, Shape], samples: int, seed: int
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of errors of one kind of board, none of those for ranks alone, and rows of its ranks."""
    step, shape = numbered
    head = {"population": shape.name, "runs": shape.runs, "queries": shape.queries}
    rng = np.random.default_rng(seed + step)
    runs = [population(shape, rng) for _ in range(samples)]
    ranks = [head | row for row in _of_ranks(runs, rng)]
    if step >= len(SHAPES):
        return [], ranks
    found: dict[tuple[str, str | None], tuple[list[float], list[float]]] = {}
    for one in runs:
        for key, flagged in _flags(one, rng):
            found.setdefault(key, ([], []))[0].append(float(flagged.any()))
        other, moved = _displaced(one, rng)
        for key, flagged in _flags(other, rng):
            found[key][1].append(float(flagged[moved]))
        for name, wrong, right in _apart(one, rng):
            null, power = found.setdefault((name, None), ([], []))
            null.append(float(wrong))
            power.append(right)
    return [
        head
        | {"statistic": name, "reference": reference, "samples": samples}
        | {"error": float(np.mean(null)), "error_stderr": _stderr(null)}
        | {"power": float(np.mean(power)), "power_stderr": _stderr(power)}
        for (name, reference), (null, power) in found.items()
    ], ranks


def _stderr(shares: list[float]) -> float:
    return float(np.std(shares) / np.sqrt(len(shares)))


def _flags(runs: Population, rng: np.random.Generator) -> Iterator[tuple[tuple[str, str | None], Bools]]:
    """(R,) which runs are flagged as displaced, beside each kind of reference."""
    values, others = runs.sample(rng)
    lists = {
        "exact list": runs.other_truth,
        "list of other queries": runs.sample(rng)[1].mean(axis=1),
        "list of the same queries": others.mean(axis=1),
    }
    for reference, listed in lists.items():
        yield ("flags", reference), holm_of(standing_out_p(values, listed)) < ALPHA
    counts = bootstrap_counts(values.shape[1], enough_draws(DRAWS, len(values)), int(rng.integers(2**31)))
    drawn = displacements(bootstrap_means(values, counts), bootstrap_means(others, counts))
    yield ("flags", "measure"), holm_of(sign_p(drawn)) < ALPHA


def _displaced(runs: Population, rng: np.random.Generator) -> tuple[Population, int]:
    """The same but for one run, which has a third of the board between its places; and its number."""
    run = int(rng.integers(runs.shape.runs))
    others = np.sort(np.delete(runs.other_truth, run))
    place, step = int((others < runs.other_truth[run]).sum()), runs.shape.runs // 3
    to = int(rng.choice([end for end in (place - step, place + step) if 0 <= end <= len(others)]))
    ends = np.array([others[0] - 1, *others, others[-1] + 1])
    truth = runs.other_truth.copy()
    truth[run] = ends[to : to + 2].mean()
    return replace(runs, other_truth=truth), run


def _apart(runs: Population, rng: np.random.Generator) -> Iterator[tuple[str, bool, float]]:
    """Of equal runs, whether any pair or two tiers part; of the others, how many do from one that is better."""
    equal = np.zeros(runs.shape.runs)
    better = equal.copy()
    better[0] = THIRD
    null, moved = (_tested(replace(runs, truth=truth, other_truth=truth).sample(rng)[0]) for truth in (equal, better))
    yield "pairs", bool(null[0].any()), float(moved[0][0, 1:].mean())
    yield "tiers", bool(null[1].max() > 1), float((moved[1][1:] > moved[1][0]).mean())


def _tested(values: Floats) -> tuple[Bools, Ints]:
    """Which pairs of runs differ significantly, and the runs' tiers."""
    separable = holm(paired_t(values)) < ALPHA
    return separable, tiers(values.mean(axis=1), separable)


def _of_ranks(several: list[Population], rng: np.random.Generator) -> list[dict[str, Any]]:
    """How intervals of ranks held: of all runs, of the truly best one, and of places of tagged runs beside a list."""
    held, best, places = [], [], []
    for number, runs in enumerate(several):
        ranks = mean_rank(runs.truth)
        low, high = rank_intervals(runs.sample(rng)[0])
        held.append(Held(low, high, ranks))
        first = ranks.argmin()
        best.append(Held(low[[first]], high[[first]], ranks[[first]]))
        places.append(_places(runs, THIRD * (number % 2), rng))
    return [
        {"statistic": name} | summary(found, fresh=True) | {"samples": len(several)}
        for name, found in (("rank", held), ("rank of the best run", best), ("places of tagged runs", places))
    ]


def _places(runs: Population, bias: float, rng: np.random.Generator) -> Held:
    """The interval of how many places runs, three to half of all, are displaced that are better by a bias."""
    group = np.zeros(runs.shape.runs, bool)
    group[rng.permutation(len(group))[: rng.integers(FEWEST_TAGGED, len(group) // 2 + 1)]] = True
    biased = replace(runs, truth=runs.truth + bias * group)
    low, high = places_interval(biased.sample(rng)[0], runs.other_truth, group, rng)
    truth = np.round(rank_displacement(biased.truth, runs.other_truth, group), DIGITS)
    return Held(np.array([low]), np.array([high]), np.array([truth]))


def places_interval(values: Floats, reference: Floats, group: Bools, rng: np.random.Generator) -> tuple[float, float]:
    """95% interval of a displacement of ranks, as `analysis.circularity` of the wing trust has it."""
    seed = int(rng.integers(2**32))
    if reference.ndim == 1:
        return list_interval(ranks_beside_list(values, reference, group, PLACES_DRAWS, seed))
    counts = bootstrap_counts(values.shape[1], PLACES_DRAWS, seed)
    ranks = rank_displacement(bootstrap_means(values, counts), bootstrap_means(reference, counts), group)
    return step_interval(ranks, expanded(values.shape[1]))
