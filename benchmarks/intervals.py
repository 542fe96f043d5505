"""How long the intervals of a board's rank correlations take, beside a bootstrap of the same draws."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.boards import Shape, board
from exam_core.defaults import DRAWS
from exam_core.numbers.arrays import Floats
from exam_core.numbers.resampling import bootstrap_counts, correlation_intervals
from exam_core.numbers.true_means import ORDERED, true_correlations
from exam_core.progress import Progress, no_progress

SIZES = ((37, 43), (22, 131), (22, 721))
"""Runs and queries: TREC DL 2019, CAR Y3 by pages and by subtopics."""

REPEATS = 15


def benchmark(*, progress: Progress = no_progress) -> dict[str, Any]:
    """Processor time of all four coefficients' intervals of one board, with 2,000 draws.

    A thread of numpy's that waits for another takes processor time as well: the command lets it have one.

    Returns
    -------
    `rows`: runs, queries, reference (fixed, or a measure over the same queries), model_ms and bootstrap_ms (medians
    of 15, milliseconds of processor time), times_bootstrap
    """
    rows = []
    for step, (runs, queries) in enumerate(SIZES):
        made = board(Shape("timed", runs, queries, 0.9, families=runs // 4), np.random.default_rng(1))
        for name, reference in (("fixed", made.other_truth), ("measure", made.others)):
            model, bootstrap = _milliseconds(made.values[None], reference)
            size = {"runs": runs, "queries": queries, "reference": name}
            rows.append(size | {"model_ms": model, "bootstrap_ms": bootstrap, "times_bootstrap": model / bootstrap})
        progress((step + 1) / len(SIZES))
    return {"draws": DRAWS, "coefficients": ORDERED, "rows": rows}


def _milliseconds(values: Floats, reference: Floats) -> tuple[float, float]:
    """Of the model and of the bootstrap, by turns; a first round, which loads scipy, doesn't count."""
    counts = bootstrap_counts(values.shape[-1], DRAWS)
    times = []
    for _ in range(REPEATS + 1):
        start = time.process_time()
        true_correlations(values, reference)
        middle = time.process_time()
        correlation_intervals(values, reference, counts, ORDERED)
        times.append((middle - start, time.process_time() - middle))
    model, bootstrap = np.median(times[1:], axis=0) * 1000
    return float(model), float(bootstrap)
