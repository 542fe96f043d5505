"""Which runs differ: tests of pairs of runs over the same queries, and tiers.

Every test works on the R (R - 1) / 2 differences between two runs, query by query. Values are rounded to 1e-9 first,
so that noise in the last bits makes no difference. A query that counts for one run of a pair only is left out of it.
"""

from __future__ import annotations

import numpy as np

from exam_core.numbers import DRAWS, SEED
from exam_core.numbers.arrays import Bools, Floats, Ints, slices
from exam_core.numbers.rank_correlations import DIGITS
from exam_core.numbers.resampling import BLOCK_WEIGHTS, bootstrap_counts, bootstrap_means

SLACK = 1e-13
"""Sums in another order differ by less than this, and means that differ on one of 9,000 queries by more."""


def paired_t(values: Floats) -> Floats:
    """Two-sided p of Student's paired t-test for each pair of runs, of (R, Q) values; NaN doesn't count.

    Returns (R, R) symmetric. 1 for equal runs and on the diagonal, 0 where all differences are one and the same number;
    NaN where a pair differs and shares fewer than two queries, or shares none.

    Source: Student 1908; Smucker, Allan & Carterette 2007 compare it with the two tests below.

    >>> paired_t(np.array([[0.5, 0.6, 0.9], [0.4, 0.5, 0.7]])).round(3).tolist()  # differences 0.1, 0.1, 0.2: t = 4
    [[1.0, 0.057], [0.057, 1.0]]
    """
    from scipy.special import stdtr  # not at the top: scipy takes long to load

    differences = _differences(values)
    n, mean = _shared(differences), _means(differences)
    deviations = differences - mean[:, None]
    if n.size and n.min() < values.shape[1]:
        deviations = np.nan_to_num(deviations)
    spread = np.sqrt((deviations**2).sum(axis=1) / np.maximum(n - 1, 1) / np.maximum(n, 1))
    constant = spread <= SLACK
    t = mean / np.where(constant, 1.0, spread)
    p = np.where(constant, 0.0, 2 * stdtr(np.maximum(n - 1, 1), -np.abs(t)))
    return _square(np.where(n < 2, np.nan, p), differences, len(values))


def paired_bootstrap(values: Floats, draws: int = DRAWS, seed: int = SEED) -> Floats:
    """Two-sided p of the paired bootstrap test for each pair of runs, studentised.

    How far the mean difference of each draw of queries is from the observed one, in standard errors of the draw, is
    compared with how far the observed one is from 0 in its own: p = (1 + draws as far) / (1 + draws). Without standard
    errors, 16 to 38% of boards of 20 equal runs show a pair after Holm's adjustment. All pairs see the same draws; one
    that holds no query that the pair shares, or whose differences are all one number, counts as far. Returns (R, R)
    symmetric p of (R, Q) values, at least 1 / (1 + draws). 1 for equal runs and on the diagonal, 1 / (1 + draws) where
    all differences are one and the same number; NaN where a pair differs and shares fewer than two queries, or shares
    none.

    Source: Noreen 1989; Smucker, Allan & Carterette 2007; studentised as in Efron & Tibshirani 1993, chapter 16.

    >>> values = np.array([[0.5, 0.6, 0.9], [0.4, 0.5, 0.8]])  # 0.1 apart on each query, and so in each draw
    >>> paired_bootstrap(values, draws=99).tolist()
    [[1.0, 0.01], [0.01, 1.0]]
    """
    differences = _differences(values)
    centred = differences - _means(differences)[:, None]
    counts = bootstrap_counts(values.shape[1], draws, seed)
    drawn = bootstrap_means(centred, counts)
    spread = np.sqrt(np.maximum(bootstrap_means(centred**2, counts) - drawn**2, 0.0))
    observed, own = np.abs(_means(differences)), np.sqrt(_means(centred**2))
    # Both sides times both spreads, so that nothing is divided by one that is 0.
    nearer = (np.abs(drawn) * own < observed * spread - SLACK) | ((own <= SLACK) & (observed > SLACK))
    return _square((1 + (~nearer).sum(axis=0)) / (1 + draws), differences, len(values))


def randomisation(values: Floats, draws: int = DRAWS, seed: int = SEED) -> Floats:
    """Two-sided p of Fisher's randomisation test for each pair of runs: differences change sign at random.

    p = (1 + draws whose mean difference is as far from 0 as the observed one) / (1 + draws). All pairs see the same
    signs, and the same seed gives the same signs. Returns (R, R) symmetric p of (R, Q) values, at least 1 / (1 +
    draws). 1 for equal runs and on the diagonal; NaN where a pair differs and shares fewer than two queries, or shares
    none.

    Source: Fisher 1935; Smucker, Allan & Carterette 2007; the added 1 as in Davison & Hinkley 1997, chapter 4.

    >>> values = np.array([[0.5, 0.6, 0.9], [0.4, 0.5, 0.7]])
    >>> print(randomisation(values, draws=9999)[0, 1].round(2))  # 2 of 8 patterns of signs: 0.25
    0.24
    """
    differences = _differences(values)
    rng = np.random.default_rng(seed)
    shared = ~np.isnan(differences)
    known, n = np.where(shared, differences, 0.0).T, np.maximum(shared.sum(axis=1), 1)
    nearer = np.zeros(len(differences), np.int64)
    for part in slices(draws, max(1, BLOCK_WEIGHTS // max(1, len(known)))):
        signs = rng.choice((-1.0, 1.0), (part.stop - part.start, len(known)))
        nearer += (np.abs(signs @ known / n) < np.abs(_means(differences)) - SLACK).sum(axis=0)
    return _square((1 + draws - nearer) / (1 + draws), differences, len(values))


def holm(p: Floats) -> Floats:
    """Holm's adjustment of the p values of all pairs: step down, family-wise error at any dependence.

    The k-th smallest of m values is multiplied by m - k + 1, and is never below the adjusted one before it. Of the (R,
    R) matrix, the entries above the diagonal are read; a NaN is no test and doesn't count in m. Returns (R, R)
    symmetric, at least `p`, at most 1; 1 on the diagonal, NaN stays NaN.

    Source: Holm 1979.

    >>> p = np.array([[1.0, 0.01, 0.04], [0.01, 1.0, 0.03], [0.04, 0.03, 1.0]])
    >>> holm(p).tolist()  # 3 * 0.01, 2 * 0.03, and not less than that
    [[1.0, 0.03, 0.06], [0.03, 1.0, 0.06], [0.06, 0.06, 1.0]]
    """
    return _symmetric(holm_of(p[np.triu_indices(len(p), 1)]), len(p))


def holm_of(p: Floats) -> Floats:
    """(n,) Holm's adjustment of n p values, as `holm` has it; NaN is no test and stays NaN.

    >>> holm_of(np.array([0.04, np.nan, 0.01])).tolist()
    [0.04, nan, 0.02]
    """
    order = np.argsort(p, kind="stable")  # NaN comes last
    m = int((~np.isnan(p)).sum())
    adjusted = np.full(len(p), np.nan)
    steps = p[order[:m]] * np.arange(m, 0, -1)
    adjusted[order[:m]] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def wins(values: Floats) -> Ints:
    """(R, R) on how many queries the row's run has a value above the column's run, by more than 1e-9.

    The diagonal is 0. Of the queries that count for both, those that neither run wins are ties.

    >>> wins(np.array([[0.5, 0.6, 0.9], [0.4, 0.8, 0.9]])).tolist()
    [[0, 1], [1, 0]]
    """
    differences = _differences(values)
    counts = np.zeros((len(values), len(values)), np.int64)
    first, second = np.triu_indices(len(values), 1)
    counts[first, second], counts[second, first] = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
    return counts


def holm_against(p: Floats, baseline: int) -> Floats:
    """(R,) Holm's adjustment of the p values (R, R) of one run with the R - 1 others; 1 for the run itself.

    Source: Holm 1979.

    >>> p = np.array([[1.0, 0.01, 0.04], [0.01, 1.0, 0.03], [0.04, 0.03, 1.0]])
    >>> holm_against(p, baseline=0).tolist()  # 2 * 0.01, and 0.04
    [1.0, 0.02, 0.04]
    """
    adjusted, others = np.ones(len(p)), np.arange(len(p)) != baseline
    adjusted[others] = holm_of(p[baseline, others])
    return adjusted


def overlap(mean: Floats, stderr: Floats) -> Bools:
    """(R, R) whether the standard-error bars of two runs, mean -+ stderr, overlap or touch.

    True where a mean or a standard error is NaN: without bars nothing is shown to differ.

    Source: how EXAM and EXAM++ read their error bars.

    >>> overlap(np.array([0.2, 0.3, 0.5]), stderr=np.array([0.06, 0.05, 0.05])).tolist()
    [[True, True, False], [True, True, False], [False, False, True]]
    """
    gaps = np.abs(mean[:, None] - mean) - (stderr[:, None] + stderr)
    return np.asarray(~(np.round(gaps, DIGITS) > 0))


def tiers(mean: Floats, separable: Bools) -> Ints:
    """Groups of runs from the best down: a tier ends before the first run that is separable from its best run.

    Runs of a tier need not be inseparable of each other, only of their best; equal means go in the given order. Returns
    (R,) tiers from 1 by (R,) means and symmetric (R, R) flags; 0 for a run whose mean is NaN.

    >>> differ = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool)  # the first and the third run alone
    >>> tiers(np.array([0.5, 0.4, 0.3]), differ).tolist()
    [1, 1, 2]
    """
    counts = np.zeros(len(mean), np.int64)
    order = [int(run) for run in np.argsort(-np.round(mean, DIGITS), kind="stable") if not np.isnan(mean[run])]
    best, tier = (order[0] if order else 0), 1
    for run in order:
        if separable[best, run]:
            best, tier = run, tier + 1
        counts[run] = tier
    return counts


def separable_share(separable: Bools, mean: Floats) -> float:
    """Share of the pairs of runs with a mean that are separable, by (R, R) flags; NaN for fewer than two such runs.

    >>> differ = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool)
    >>> print(round(separable_share(differ, np.array([0.5, 0.4, 0.3])), 2))
    0.33
    """
    known = np.flatnonzero(~np.isnan(mean))
    of_pairs = separable[np.ix_(known, known)][np.triu_indices(len(known), 1)]
    return float(of_pairs.mean()) if len(of_pairs) else float("nan")


def _differences(values: Floats) -> Floats:
    """(pairs, Q) differences of the runs of each pair; NaN where either has no value."""
    rounded = np.round(values, DIGITS)
    first, second = np.triu_indices(len(values), 1)
    return np.round(rounded[first] - rounded[second], DIGITS)


def _means(differences: Floats) -> Floats:
    """(pairs,) means over shared queries; 0 where there is none, which `_square` makes undefined."""
    return np.nansum(differences, axis=1) / np.maximum(_shared(differences), 1)


def _shared(differences: Floats) -> Ints:
    """(pairs,) queries that count for both runs."""
    return np.asarray((differences == differences).sum(axis=1))


def _square(p: Floats, differences: Floats, runs: int) -> Floats:
    """The pairs' p as a matrix: 1 for equal runs, NaN where too few queries are shared to tell."""
    n = _shared(differences)
    equal = (n > 0) & ~(np.nan_to_num(differences) != 0).any(axis=1)
    return _symmetric(np.where(equal, 1.0, np.where(n < 2, np.nan, p)), runs)


def _symmetric(upper: Floats, runs: int) -> Floats:
    square = np.ones((runs, runs))
    first, second = np.triu_indices(runs, 1)
    square[first, second] = square[second, first] = upper
    return square
