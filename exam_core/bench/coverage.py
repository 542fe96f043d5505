"""How often a 95% interval holds the truth: samples of queries from a large simulated collection."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from exam_core import __version__
from exam_core.actions.simulating import simulate
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.choosing import choose
from exam_core.analysis.evaluation.references import Paired, find_reference, paired
from exam_core.analysis.evaluation.values import counted_values
from exam_core.analysis.judges.contingency import contingency
from exam_core.asked import Asked
from exam_core.measures.agreement import binary_counts, cohen_kappa, kappa_interval
from exam_core.measures.correlation import correlations
from exam_core.measures.gradebook import Floats, Ints
from exam_core.measures.resampling import bootstrap_counts, correlation_intervals, mean_interval
from exam_core.progress import Progress, no_progress
from exam_core.simulation.settings import Settings
from exam_core.store import Snapshot, Store
from exam_core.tables import OFFICIAL

SIZES = (43, 131, 721)
"""Queries of TREC DL 2019, pages and subtopics of CAR Y3."""
MEASURES = ("Cover@20", "P@20")
REFERENCES = (OFFICIAL, "qrels:nDCG@20")
COEFFICIENTS = ("spearman", "kendall", "tau_ap", "rbo")
TAU, RELEVANT_FROM = 4, 2


def benchmark(
    draws: int = 2000, bootstrap: int = 1000, seed: int = 0, *, progress: Progress = no_progress
) -> dict[str, Any]:
    """Share of samples of queries whose interval holds the value of the whole simulated collection.

    Parameters
    ----------
    draws : samples of each size, drawn with replacement
    bootstrap : draws within each sample, for the intervals of correlations
    seed : of the samples

    Returns
    -------
    settings, and `rows` with statistic, measure, reference, queries, coverage (share of the samples), mean_width
    """
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        simulate(store, "population", Settings(scale=10, texts=False), progress=lambda share: progress(0.2 * share))
        snapshot = store.snapshot("population")
        rng = np.random.default_rng(seed)
        rows: list[dict[str, Any]] = []
        for step, size in enumerate(SIZES):
            samples = rng.integers(0, Settings().queries * 10, (draws, size))
            rows += _of_size(snapshot, samples, bootstrap)
            progress(0.2 + 0.8 * (step + 1) / len(SIZES))
    return {"examboard": __version__, "draws": draws, "bootstrap_draws": bootstrap, "seed": seed, "rows": rows}


def _of_size(snapshot: Snapshot, samples: Ints, bootstrap: int) -> list[dict[str, Any]]:
    rows = []
    for measure in MEASURES:
        choice = choose(snapshot, Asked(measure=measure, tau=TAU))
        values = counted_values(snapshot, choice)
        rows.append({"statistic": "mean", "measure": measure, "reference": None} | _mean(values.values, samples))
        for name in REFERENCES:
            reference = find_reference(snapshot, name, choice)
            assert reference is not None
            both = paired(values, reference)
            head: dict[str, Any] = {"measure": measure, "reference": name}
            rows += [{"statistic": one} | head | found for one, found in _correlation(both, samples, bootstrap).items()]
    rows.append({"statistic": "kappa", "measure": None, "reference": OFFICIAL} | _kappa(snapshot, choice, samples))
    return [{**row, "queries": samples.shape[1]} for row in rows]


def _mean(values: Floats, samples: Ints) -> dict[str, float]:
    """Of the mean of every run."""
    truth = values.mean(axis=1)
    held, width = [], []
    for sample in samples:
        low, high = mean_interval(values[:, sample])
        held.append(((low <= truth) & (truth <= high)).mean())
        width.append((high - low).mean())
    return _summary(held, width)


def _kappa(snapshot: Snapshot, choice: Evaluation, samples: Ints) -> dict[str, float]:
    found = contingency(snapshot, choice.labelling, OFFICIAL)
    tables = binary_counts(found.counts, found.labels, found.relevances, np.array([TAU]), np.array([RELEVANT_FROM]))[
        :, 0, 0
    ]
    truth = cohen_kappa(tables.sum(axis=0))
    ends = [kappa_interval(tables[sample]) for sample in samples]
    return _summary([low <= truth <= high for low, high in ends], [high - low for low, high in ends])


def _correlation(both: Paired, samples: Ints, bootstrap: int) -> dict[str, dict[str, float]]:
    theirs = both.drawn_along
    whole = theirs if theirs.ndim == 1 else theirs.mean(axis=1)
    truth = correlations(both.values.mean(axis=1), whole, COEFFICIENTS)
    counts = bootstrap_counts(samples.shape[1], bootstrap)
    held: dict[str, list[bool]] = {name: [] for name in COEFFICIENTS}
    width: dict[str, list[float]] = {name: [] for name in COEFFICIENTS}
    for sample in samples:
        reference = theirs if theirs.ndim == 1 else theirs[:, sample]
        low, high = correlation_intervals(both.values[None][:, :, sample], reference, counts, COEFFICIENTS)
        for name in COEFFICIENTS:
            ends = getattr(low, name)[0], getattr(high, name)[0]
            held[name].append(ends[0] <= getattr(truth, name) <= ends[1])
            width[name].append(ends[1] - ends[0])
    return {name: _summary(held[name], width[name]) for name in COEFFICIENTS}


def _summary(held: list[Any], width: list[Any]) -> dict[str, float]:
    return {"coverage": float(np.mean(held)), "mean_width": float(np.nanmean(width))}
