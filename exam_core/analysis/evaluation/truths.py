"""What rank correlations would be with endless queries, in names and in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from exam_core.analysis.evaluation.caveats import listed
from exam_core.defaults import DRAWS, SEED
from exam_core.numbers.arrays import Floats
from exam_core.numbers.rank_correlations import NAMES
from exam_core.numbers.true_means import (
    ENDS_IN_WORDS,
    FEWEST,
    ORDERED,
    RBO_QUERIES,
    true_correlations,
)

WHY_LOW = (
    "Few queries make scores noisy, which lowers correlations. The interval estimates the correlation with unlimited "
    "queries, so the observed value may lie near its lower end, or below it. A reference over the same queries shares "
    "their noise, which raises the correlation."
)
WIDE = 0.6
"""Share of a coefficient's range that an interval has to span before it says next to nothing."""

RANGE = dict.fromkeys(ORDERED, 2.0) | {"rbo": 1.0}

MEANING = (
    "Meant to contain the correlation with unlimited queries in 95 of 100 samples of queries. In simulations "
    "it did in 92 to 96 of 100 with 25 queries or more (80 in the worst setting), in 88 to 92 with 10, and in 76 to 78 "
    f"with 10 and a correlation of 0.99. {ENDS_IN_WORDS} quantiles over true means that are simulated by a model of "
    "the observed means; a computed reference is simulated in the same way. It needs five runs and five queries."
)
NO_INTERVAL = "Always empty: noise shifts R2 and RMSE in ways that no method tried here takes out."
"""Of coefficients that are no rank correlations."""
MIDDLE = (
    "Estimate of the correlation with unlimited queries: the median over simulated true means. With few queries, and a "
    "reference that does not share their noise, it is usually higher than the observed value."
)
SOURCE = "docs/explanation/intervals.md"


@dataclass(frozen=True)
class TruthInterval:
    """What a coefficient would be with endless queries: the ends of its 95% interval, and the middle."""

    low: float
    middle: float
    high: float


@dataclass(frozen=True)
class Named:
    """A coefficient as it is and as it would be.

    Parameters
    ----------
    name : in sentences, such as `Kendall at tau 3`
    coefficient : `spearman` and so on
    """

    name: str
    coefficient: str
    observed: float
    truth: TruthInterval


def truths(
    values: Floats,
    reference: Floats,
    which: Collection[str] = ORDERED,
    *,
    draws: int = DRAWS,
    seed: int = SEED,
) -> list[dict[str, TruthInterval]]:
    """Of each board of (B, R, Q) values, by coefficient: what can be told of it with endless queries.

    Parameters and errors are those of `true_correlations`; what can't be told is left out.
    """
    found = true_correlations(values, reference, which, draws=draws, seed=seed)
    boards = []
    for board in range(len(values)):
        ends = {
            name: TruthInterval(*(float(getattr(part, name)[board]) for part in (found.low, found.middle, found.high)))
            for name in ORDERED
            if name in which
        }
        boards.append({name: truth for name, truth in ends.items() if not np.isnan(truth.low)})
    return boards


def about_truths(found: Sequence[Named]) -> list[str]:
    """Why observed values lie low in their intervals, where they do, and which intervals say next to nothing."""
    notes = []
    low = [one for one in found if one.observed < one.truth.low + (one.truth.high - one.truth.low) / 4]
    if low:
        notes.append(WHY_LOW)
    wide = [one for one in found if one.truth.high - one.truth.low > WIDE * RANGE[one.coefficient]]
    if wide:
        ends = listed([f"{one.name} [{one.truth.low:.2f}, {one.truth.high:.2f}]" for one in wide])
        notes.append(f"Too few queries to say anything about {ends}.")
    return notes


def about_missing(
    shape: tuple[int, int], observed: Mapping[str, float], known: Collection[str], *, fixed: bool, same: bool = False
) -> list[str]:
    """Why coefficients that are defined have no interval.

    Parameters
    ----------
    shape : runs and queries
    observed : coefficients by name; NaN is undefined
    known : names of those that have an interval
    fixed : whether the reference is stored, and not computed over the same queries
    same : whether the board has the reference's own values
    """
    runs, queries = shape
    missing = [name for name, value in observed.items() if not np.isnan(value) and name not in known]
    ranks = [name for name in missing if name in ORDERED]
    notes = []
    if ranks and min(shape) < FEWEST:
        notes.append(
            f"No intervals: they need {FEWEST} runs that differ and {FEWEST} queries; here are {runs} and {queries}."
        )
    elif ranks and same:
        notes.append("No intervals: the reference has this leaderboard's own values on every query.")
    else:
        few = "rbo" in ranks and not fixed and queries < RBO_QUERIES
        notes += _about_model([NAMES[name] for name in ranks if not few or name != "rbo"])
        if few:
            notes.append(
                "RBO has no interval: against a measure over the same queries, the model's intervals for it are "
                f"reliable from {RBO_QUERIES} queries on (here {queries})."
            )
    if scores := [NAMES[name] for name in missing if name not in ORDERED]:
        notes.append(
            f"{' and '.join(scores)} {'have' if len(scores) > 1 else 'has'} no interval: noise of the means changes "
            "them, and no reliable correction is known."
        )
    return notes


def _about_model(names: Sequence[str]) -> list[str]:
    if not names:
        return []
    return [
        f"{listed(names)} {'have' if len(names) > 1 else 'has'} no interval: the model does not fit these queries. "
        f"Fewer than {FEWEST} runs differ, or the observed correlation is higher than the model allows, although "
        "noise lowers correlations."
    ]
