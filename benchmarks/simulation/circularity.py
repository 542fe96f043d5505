"""How often intervals of the displacement of tagged runs hold a bias that was put into their scores."""

from __future__ import annotations

import tempfile
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.errors import FEWEST_TAGGED, PLACES_DRAWS, places_interval
from benchmarks.held import Held, summary
from benchmarks.simulation.collection import simulate
from benchmarks.simulation.coverage import MEASURES, REFERENCES, RUNS, SIZES, TAU, pair_of
from benchmarks.simulation.settings import Settings
from exam_core.analysis.choosing import choose
from exam_core.analysis.references import Paired
from exam_core.numbers.arrays import Bools, Floats
from exam_core.numbers.displacement import displacement_interval, rank_displacement, score_by_query, score_displacement
from exam_core.numbers.rank_correlations import DIGITS
from exam_core.progress import Progress, no_progress
from exam_core.request import Request
from exam_core.store import Store

BIASES = (0.0, 0.02, 0.05)
"""What is added to the scores of tagged runs, in the measure's unit."""
FIRST_SEED = 270_000
"""Seeds begin here; the intervals were chosen on smaller ones."""


def benchmark(
    collections: int = 12, samples: int = 60, *, seed: int = FIRST_SEED, progress: Progress = no_progress
) -> dict[str, Any]:
    """Share of samples of queries whose 95% interval holds the displacement that all queries have.

    In every sample other runs are tagged, three of them to half of all. Their scores are first moved so that the
    displacement over all queries is 0, then each value gets an exponential amount more whose mean is the bias. So the
    displacement of scores that is to be held is the bias itself; that of ranks is what the biased board has.

    Parameters
    ----------
    collections : simulated ones, of 22 and of 40 runs by turns
    samples : of each size and bias from each collection, for each measure and reference, drawn with replacement

    Returns
    -------
    settings, and `rows` with displacement, bias, queries, reference and what `summary` says of the intervals
    """
    found: dict[tuple[str, str, float, int], list[Held]] = {}
    for number in range(collections):
        rng = np.random.default_rng(seed + number)
        with tempfile.TemporaryDirectory() as folder:
            store = Store(Path(folder))
            simulate(store, "population", Settings(runs=RUNS[number % len(RUNS)], seed=seed + number, texts=False))
            snapshot = store.snapshot("population")
            for measure, reference in product(MEASURES, REFERENCES):
                both = pair_of(snapshot, choose(snapshot, Request(measure=measure, tau=TAU)), reference)
                for bias, size in product(BIASES, SIZES):
                    held = np.array([_sample(both, bias, size, rng) for _ in range(samples)])
                    for place, name in enumerate(("score", "rank")):
                        found.setdefault((name, reference, bias, size), []).append(Held(*held[:, place].T))
        progress((number + 1) / collections)
    names = ("displacement", "reference", "bias", "queries")
    rows = [dict(zip(names, key, strict=True)) | summary(_together(held)) for key, held in found.items()]
    return {"collections": collections, "samples": samples, "draws": PLACES_DRAWS, "seed": seed, "rows": rows}


def _sample(both: Paired, bias: float, size: int, rng: np.random.Generator) -> Floats:
    """(2, 3) low, high and truth of the displacement of scores, and of ranks, of one sample of queries."""
    theirs, group = both.drawn_along, np.zeros(len(both.run_ids), bool)
    fixed = theirs.ndim == 1
    group[rng.permutation(len(group))[: rng.integers(FEWEST_TAGGED, len(group) // 2 + 1)]] = True
    order = theirs if fixed else theirs.mean(axis=1)
    values = _biased(both.values, order, group, bias, rng)
    truth = np.round(rank_displacement(values.mean(axis=1), order, group), DIGITS)  # as the ends of `step_interval`
    drawn = rng.integers(0, values.shape[1], size)
    sample, reference = values[:, drawn], theirs if fixed else theirs[:, drawn]
    scores = displacement_interval(score_by_query(sample, reference, group))
    return np.array([(*scores, bias), (*places_interval(sample, reference, group, rng), truth)], float)


def _biased(values: Floats, order: Floats, group: Bools, bias: float, rng: np.random.Generator) -> Floats:
    """(n, Q) values of which the group's are displaced by the bias, exactly, over all queries."""
    more = rng.exponential(1.0, (int(group.sum()), values.shape[1]))
    found = values.copy()
    found[group] += bias * more / more.mean() - score_displacement(values.mean(axis=1), order, group)
    return found


def _together(held: list[Held]) -> list[Held]:
    """One for each collection: its measures, which come one after the other within the same collections."""
    measures = len(MEASURES)
    parts = [held[start : start + measures] for start in range(0, len(held), measures)]
    return [
        Held(*(np.concatenate([getattr(one, end) for one in part]) for end in ("low", "high", "truth")))
        for part in parts
    ]
