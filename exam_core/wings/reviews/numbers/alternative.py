"""The alternative annotator test: may a model stand in for one of several reviewers?

Each reviewer is left out in turn, and the model is measured beside them against those who remain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from exam_core.numbers.arrays import Bools, Floats

Alignment = Literal["accuracy", "rmse"]
"""How well an answer fits those of others: the share of them that are the same, or minus their root mean square
distance."""
EPSILON = {"expert": 0.2, "skilled": 0.15, "crowd": 0.1}
"""What a reviewer costs beside a model, as an advantage that the model is given: recommended by the paper."""
LEAST_ITEMS, RATE, PASSED = 30, 0.05, 0.5
"""Items of a reviewer that the t-test needs; false discovery rate; winning rate from which the model passes."""


@dataclass(frozen=True)
class Alternative:
    """What the test says; arrays have an entry for each reviewer.

    Parameters
    ----------
    n : items that the reviewer shares with another one and the model
    model, human : share of these on which the model, or the reviewer, fits the others at least as well as the other
    p : one-sided, of H0: model <= human - epsilon; NaN where the reviewer has too few items
    won : whether H0 is rejected for this reviewer
    winning_rate : share of tested reviewers for whom it is; NaN where none is tested
    advantage : mean of `model` over tested reviewers: the average advantage probability
    """

    n: Any
    model: Floats
    human: Floats
    p: Floats
    won: Bools
    winning_rate: float
    advantage: float

    @property
    def passed(self) -> bool:
        """Whether the model may replace a reviewer by this test."""
        return bool(self.winning_rate >= PASSED)


def alternative_annotator(
    answers: Floats,
    model: Floats,
    alignment: Alignment = "accuracy",
    *,
    epsilon: float = EPSILON["expert"],
    least: int = LEAST_ITEMS,
) -> Alternative:
    """Test for each reviewer whether the model stands for the others as well as they do, less `epsilon`.

    Parameters
    ----------
    answers : (R, I) of R reviewers; NaN where a reviewer has not answered
    model : (I,) NaN where it has no answer
    epsilon : advantage that the model is given, in [0, 1]
    least : items that a reviewer must share to be tested

    Returns
    -------
    An item counts for a reviewer where the model and somebody else answered it, too.

    Source: Calderon, Reichart & Dror, ACL 2025, The Alternative Annotator Test for LLM-as-a-Judge, section 3;
    Benjamini & Yekutieli 2001.

    >>> reviewers = np.array([[1, 0, 1, 0], [1, 0, 0, 0], [1, 0, 1, 1]], float)
    >>> found = alternative_annotator(reviewers, model=np.array([1.0, 0.0, 1.0, 0.0]), least=4, epsilon=0.6)
    >>> print(found.model.tolist(), found.human.tolist(), found.p.round(3).tolist())
    [1.0, 1.0, 1.0] [1.0, 0.75, 0.75] [0.0, 0.021, 0.021]
    """
    reviewers = len(answers)
    n, fits, human, p = np.zeros(reviewers, np.int64), *(np.full(reviewers, np.nan) for _ in range(3))
    for place in range(reviewers):
        others = np.delete(answers, place, axis=0)
        shared = ~np.isnan(answers[place]) & ~np.isnan(model) & ~np.isnan(others).all(axis=0)
        n[place] = shared.sum()
        if not n[place]:
            continue
        theirs = _fit(answers[place, shared], others[:, shared], alignment)
        its = _fit(model[shared], others[:, shared], alignment)
        fits[place], human[place] = (its >= theirs).mean(), (theirs >= its).mean()
        if n[place] >= max(least, 2):
            p[place] = _smaller((theirs >= its).astype(float) - (its >= theirs), epsilon)
    tested = ~np.isnan(p)
    won = np.zeros(reviewers, bool)
    won[tested] = benjamini_yekutieli(p[tested])
    means = (won[tested].mean(), fits[tested].mean()) if tested.any() else (np.nan, np.nan)
    return Alternative(n, fits, human, p, won, *map(float, means))


def benjamini_yekutieli(p: Floats) -> Bools:
    """Which hypotheses are rejected at the false discovery rate `RATE`, at any dependence among them.

    The largest k with p_(k) <= k RATE / (m (1 + 1/2 + ... + 1/m)) is taken, and the k smallest are rejected.

    Parameters
    ----------
    p : (m,) without NaN

    Source: Benjamini & Yekutieli 2001, theorem 1.3.

    >>> benjamini_yekutieli(np.array([0.02, 0.001, 0.5])).tolist()  # 0.001 <= 0.05 / (3 * (1 + 1/2 + 1/3))
    [False, True, False]
    """
    m, order = len(p), np.argsort(p, kind="stable")
    steps = np.arange(1, m + 1)
    below = np.flatnonzero(p[order] <= steps * RATE / (m * (1 / steps).sum()))
    rejected = np.zeros(m, bool)
    rejected[order[: below[-1] + 1 if len(below) else 0]] = True
    return rejected


def _fit(answers: Floats, others: Floats, alignment: Alignment) -> Floats:
    """(I,) how well answers fit those of others (R - 1, I), of whom some have none."""
    known = ~np.isnan(others)
    if alignment == "accuracy":
        return np.asarray(((others == answers) & known).sum(axis=0) / known.sum(axis=0))
    squares = np.where(known, (others - answers) ** 2, 0.0)
    return np.asarray(-np.sqrt(squares.sum(axis=0) / known.sum(axis=0)))


def _smaller(differences: Floats, epsilon: float) -> float:
    """One-sided p of Student's t-test that the mean is smaller than epsilon; 0 or 1 where all are one number."""
    from scipy.special import stdtr

    n, mean = len(differences), differences.mean()
    error = differences.std(ddof=1) / np.sqrt(n)
    if not error:
        return 0.0 if mean < epsilon else 1.0
    return float(stdtr(n - 1, (mean - epsilon) / error))
