"""Rank correlation of two leaderboards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from exam_core.measures.gradebook import Floats

DIGITS = 9
"""Scores are compared after rounding to 1e-9, because noise in the last bits breaks ties."""


@dataclass(frozen=True)
class Correlation:
    """Spearman's and Kendall's coefficient over `n` runs; NaN where either side is constant."""

    spearman: float
    kendall: float
    n: int


def rank_correlation(scores: Floats, reference: Floats) -> Correlation:
    """Spearman's rho and Kendall's tau-b of two leaderboards over the same runs, larger is better.

    Parameters
    ----------
    scores, reference : (n,) one value for each run; ranks are passed as their negatives

    Returns
    -------
    NaN for fewer than two runs or a constant side: there is no order to compare

    Source: EXAM, section 4.1; scipy.stats.spearmanr and kendalltau (tau-b), ties share their mean rank.
    """
    first, second = np.round(scores, DIGITS), np.round(reference, DIGITS)
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return Correlation(np.nan, np.nan, len(first))
    from scipy import stats  # half a second to load, which an import of a file need not wait for

    spearman = stats.spearmanr(first, second).statistic
    kendall = stats.kendalltau(first, second).statistic
    return Correlation(float(spearman), float(kendall), len(first))


def mean_rank(scores: Floats) -> Floats:
    """Rank of each score from 1, largest first, on scores rounded to 1e-9; ties share their mean rank."""
    ranks: Floats = pd.Series(np.round(scores, DIGITS)).rank(ascending=False).to_numpy(float)
    return ranks
