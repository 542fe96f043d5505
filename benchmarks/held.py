"""Whether intervals hold the truth, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.drawn import correlation_intervals
from exam_core.numbers.arrays import Floats
from exam_core.numbers.rank_correlations import Correlations, correlations
from exam_core.numbers.resampling import bootstrap_counts
from exam_core.numbers.true_means import ORDERED, true_correlations

DRAWS = 1000
"""Draws of the true means, and of the bootstrap."""


@dataclass(frozen=True)
class Held:
    """Intervals of samples of one population: ends and truth, arrays of one shape; the bootstrap's where there is one.

    NaN where an interval can't be told.
    """

    low: Floats
    high: Floats
    truth: Floats
    bootstrap_low: Floats | None = None
    bootstrap_high: Floats | None = None


def of_correlation(
    values: Floats, references: Sequence[Floats], truth: Floats, reference_truth: Floats
) -> dict[str, Held]:
    """Of each coefficient: the model's and the bootstrap's intervals of samples (S, R, Q) with a reference each.

    Parameters
    ----------
    truth, reference_truth : (R,) what all samples are of
    """
    whole = _ordered_by(correlations(truth, reference_truth, ORDERED))
    ends = [_ends(sample, reference) for sample, reference in zip(values, references, strict=True)]
    return _held(np.array(ends), np.broadcast_to(whole, (len(ends), len(ORDERED))))


def of_halves(values: Floats, reference: Floats, splits: int, rng: np.random.Generator) -> dict[str, Held]:
    """Of each coefficient: whether what half of the queries lets expect of the others is what the others show.

    The only check that asks nothing of a model where no truth is known: on real queries. The bootstrap's interval is
    taken as it is.

    Parameters
    ----------
    values : (R, Q)
    reference : (R,) fixed, or (R, Q) of the same queries
    """
    queries = values.shape[-1]
    ends, shown = [], []
    for _ in range(splits):
        order = rng.permutation(queries)
        one, other = order[: queries // 2], order[queries // 2 :]
        sides = [reference if reference.ndim == 1 else reference[:, half] for half in (one, other)]
        ends.append(_ends(values[:, one], sides[0], len(other)))
        theirs = sides[1] if reference.ndim == 1 else sides[1].mean(axis=1)
        shown.append(_ordered_by(correlations(values[:, other].mean(axis=1), theirs, ORDERED)))
    return _held(np.array(ends), np.array(shown))


def _ends(values: Floats, reference: Floats, queries: int | None = None) -> Floats:
    """(4, coefficients) low and high of the model, of endless queries or of so many, and of the bootstrap."""
    known = true_correlations(values[None], reference, draws=DRAWS, queries=queries)
    drawn = correlation_intervals(values[None], reference, bootstrap_counts(values.shape[-1], DRAWS), ORDERED)
    return np.array([_ordered_by(side) for side in (known.low, known.high, *drawn)])


def _held(ends: Floats, truth: Floats) -> dict[str, Held]:
    """Of `_ends` (S, 4, coefficients) and truths (S, coefficients)."""
    found = {}
    for place, name in enumerate(ORDERED):
        low, high, drawn_low, drawn_high = ends[:, :, place].T
        found[name] = Held(low, high, truth[:, place], drawn_low, drawn_high)
    return found


def _ordered_by(side: Correlations) -> Floats:
    """(coefficients,) of one board."""
    return np.array([np.ravel(getattr(side, name))[0] for name in ORDERED], float)


def summary(populations: Sequence[Held], *, fresh: bool = False) -> dict[str, Any]:
    """Share of the intervals that hold the truth, with its standard error over the populations.

    Samples of one population are not independent: the order of its near-ties is the same in all of them.

    Parameters
    ----------
    fresh : every population has one sample

    Returns
    -------
    coverage, stderr (of a single population: over its samples), lowest (of a population), mean_width, unknown (share
    without an interval), samples, and the bootstrap's coverage and mean width. Shares are null without any interval
    """
    held = [_share(one.low, one.high, one.truth) for one in populations]
    known = [share for share in held if not np.isnan(share)]
    of_samples = len(populations) == 1
    found: dict[str, Any] = {
        "coverage": _mean(known),
        "stderr": _stderr(known, len(populations[0].low)),
        "lowest": None if fresh or of_samples or not known else min(known),
        "mean_width": _mean(np.concatenate([np.ravel(one.high - one.low) for one in populations])),
        "unknown": float(np.mean(np.concatenate([np.ravel(np.isnan(one.low)) for one in populations]))),
        "samples": sum(len(one.low) for one in populations),
    }
    drawn = [one for one in populations if one.bootstrap_low is not None and one.bootstrap_high is not None]
    if drawn:
        shares = [_share(one.bootstrap_low, one.bootstrap_high, one.truth) for one in drawn]  # type: ignore[arg-type]
        widths = [np.ravel(one.bootstrap_high - one.bootstrap_low) for one in drawn]  # type: ignore[operator]
        found |= {"bootstrap": _mean(shares), "bootstrap_width": _mean(np.concatenate(widths))}
    return found


def _stderr(shares: Sequence[float], samples: int) -> float | None:
    if not shares:
        return None
    if len(shares) == 1:
        return float(np.sqrt(shares[0] * (1 - shares[0]) / samples))
    return float(np.std(shares, ddof=1) / np.sqrt(len(shares)))


def _share(low: Floats, high: Floats, truth: Floats) -> float:
    """Of the intervals that there are; NaN without any."""
    known = ~np.isnan(low)
    return float(((low <= truth) & (truth <= high))[known].mean()) if known.any() else np.nan


def _mean(values: Any) -> float | None:
    found = np.asarray(values, float)
    found = found[~np.isnan(found)]
    return float(found.mean()) if len(found) else None
