"""How often intervals of a grader's gullibility hold it: graders whose bias is known, on simulated passages."""

from __future__ import annotations

from typing import Any

import numpy as np

from exam_core.numbers.arrays import Floats, Ints
from exam_core.progress import Progress, no_progress
from exam_core.wings.trust.circularity import Share, clustered_difference, clustered_share

QUERIES = (20, 43, 97)
"""As few as one may have, and as many as TREC DL 2019 and both of its years have."""
PASSAGES, QUESTIONS = 5, 10
"""Non-relevant passages of a query, and questions asked of each: the default sample on TREC DL 2019."""
BIASES = (0.0, 0.02, 0.05)
"""Share of the grades that a perturbation raises."""
ACCIDENTS = (0.0, 0.03)
"""Share of the grades that rise by accident, and as many fall."""
ALIKE = (0.0, 0.05)
"""Correlation of a query's passages, and of a passage's grades, in what happens to them."""
SEED = 80_000
"""First seed; no choice was made on it."""


def benchmark(samples: int = 4000, *, progress: Progress = no_progress) -> dict[str, Any]:
    """Count how often the 95% intervals of a probe hold what they are of.

    Parameters
    ----------
    samples : probes of each setting

    Returns
    -------
    rows: a setting each, with the coverage of the share that rises (`rises`) and of what remains after the share that
    falls (`net`), standard error and mean width of both; a share that is 0 for certain is held by any interval
    """
    settings = [(n, alike, by) for n in QUERIES for alike in ALIKE for by in ACCIDENTS]
    rows = []
    for place, (queries, alike, accidents) in enumerate(settings):
        rng = np.random.default_rng([SEED, place])
        for bias in BIASES:
            rises, falls = simulated(rng, (samples, queries), bias, accidents, alike)
            rows.append(
                {"queries": queries, "alike": alike, "accidents": accidents, "bias": bias}
                | _held("rises", clustered_share(rises), bias + accidents)
                | _held("net", clustered_difference(rises, falls), bias)
            )
        progress((place + 1) / len(settings))
    return {"samples": samples, "passages": PASSAGES, "questions": QUESTIONS, "seed": SEED, "rows": rows}


def simulated(
    rng: np.random.Generator, shape: tuple[int, int], bias: float, accidents: float, alike: float
) -> tuple[Floats, Floats]:
    """Shares of each query's grades that rise and that fall: (samples, queries) each.

    What happens to a grade is likelier for some queries than for others, and for some of their passages: Beta
    distributions whose correlation within a query, and within a passage, is `alike`. Their means are the known shares.
    """
    up, down = (_chances(rng, shape, mean, alike) for mean in (bias + accidents, accidents))
    most = np.maximum(up + down, 1.0)
    up, down = up / most, down / most
    rises: Ints = rng.binomial(QUESTIONS, up)
    falls: Ints = rng.binomial(QUESTIONS - rises, np.clip(down / np.maximum(1 - up, 1e-12), 0, 1))
    return rises.mean(axis=-1) / QUESTIONS, falls.mean(axis=-1) / QUESTIONS


def _chances(rng: np.random.Generator, shape: tuple[int, int], mean: float, alike: float) -> Floats:
    """(samples, queries, passages) chance that something happens to a grade of the passage."""
    of_queries = _spread(rng, np.full(shape, mean), alike)
    return _spread(rng, np.repeat(of_queries[..., None], PASSAGES, axis=-1), alike)


def _spread(rng: np.random.Generator, means: Floats, alike: float) -> Floats:
    """Draws of Beta distributions with these means; of a mean that is 0, or without spread, the mean."""
    if not alike:
        return means
    weight = 1 / alike - 1
    tiny = 1e-9
    drawn = rng.beta(np.maximum(means, tiny) * weight, np.maximum(1 - means, tiny) * weight)
    return np.where(means > tiny, drawn, 0.0)


def _held(name: str, found: Share, truth: float) -> dict[str, float]:
    """Shares are sums of doubles: an end that equals the truth up to rounding holds it."""
    held = ((found.low <= truth + 1e-12) & (truth - 1e-12 <= found.high)).mean()
    return {
        name: float(held),
        f"{name}_stderr": float(np.sqrt(held * (1 - held) / len(found.value))),
        f"{name}_width": float((found.high - found.low).mean()),
    }
