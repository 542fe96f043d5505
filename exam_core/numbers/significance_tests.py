"""Which runs differ: tests of pairs of runs over the same queries, and tiers.

Every test works on the R (R - 1) / 2 differences between two runs, query by query. Values are rounded to 1e-9 first,
so that noise in the last bits makes no difference. A query that counts for one run of a pair only is left out of it.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from exam_core.numbers import DRAWS, SEED
from exam_core.numbers.arrays import Bools, Floats, Ints, slices
from exam_core.numbers.rank_correlations import DIGITS
from exam_core.numbers.resampling import BLOCK_WEIGHTS, LEVEL, bootstrap_counts, bootstrap_means

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


def wilcoxon(values: Floats) -> Floats:
    """Two-sided p of Wilcoxon's signed-rank test for each pair of runs, of (R, Q) values; NaN doesn't count.

    Differences of 0 are left out (`zero_method="wilcox"`); those that are equal to 1e-9 share their mean rank. As
    scipy's `method="auto"`: exact up to 50 queries without zeros and ties, and up to 13 with them; the normal
    approximation with correction for ties, and none for continuity, otherwise. Returns (R, R) symmetric. 1 for equal
    runs and on the diagonal; NaN where a pair differs and shares fewer than two queries, or shares none.

    Source: Wilcoxon 1945.

    >>> wilcoxon(np.array([[0.5, 0.6, 0.9], [0.4, 0.4, 0.6]])).tolist()  # of 8 patterns of signs 2 are as far
    [[1.0, 0.25], [0.25, 1.0]]
    """
    from scipy.special import ndtr  # not at the top: scipy takes long to load

    differences = _tied_differences(values)
    p = np.ones(len(differences))
    for part in slices(len(differences), max(1, BLOCK_WEIGHTS // max(1, values.shape[1]))):
        known = differences[part]
        twice, tied = _doubled_ranks(known)
        better = np.where(known > 0, twice, 0.0).sum(axis=1) / 2
        n, shared = (twice > 0).sum(axis=1), _shared(known)
        spread = np.sqrt((n * (n + 1) * (2 * n + 1) - tied / 2) / 24)
        z = (better - n * (n + 1) / 4) / np.where(n > 0, spread, 1.0)
        p[part] = 2 * ndtr(-np.abs(z))
        for pair in np.flatnonzero((shared <= MOST_EXACT) & ((shared <= MOST_TIED) | ((tied == 0) & (n == shared)))):
            ranks = np.sort(twice[pair][twice[pair] > 0]).astype(int)
            p[part.start + pair] = _exact_p(tuple(ranks.tolist()), round(2 * better[pair]))
    return _square(p, differences, len(values))


MOST_EXACT, MOST_TIED = 50, 13
"""Queries up to which Wilcoxon's test is exact, without ties and zeros and with them: those of scipy."""


def _doubled_ranks(differences: Floats) -> tuple[Floats, Floats]:
    """(pairs, Q) twice the mean rank of each absolute difference, 0 where it is 0 or NaN, and (pairs,) sums of
    t cubed - t over the groups of t equal ones.
    """
    from scipy.stats import rankdata

    distances = np.where(np.nan_to_num(differences) != 0, np.abs(differences), np.inf)
    low, high = (rankdata(distances, method, axis=1) for method in ("min", "max"))
    some = np.isfinite(distances)
    return np.where(some, low + high, 0.0), np.where(some, (high - low + 1.0) ** 2 - 1, 0.0).sum(axis=1)


def _exact_p(twice: tuple[int, ...], better: int) -> float:
    """Two-sided p of a sum of some of the ranks, if each is in it or not with the same probability; all are doubled."""
    if not twice:
        return 1.0
    ways = _ways(twice)
    return min(1.0, 2 * float(min(ways[: better + 1].sum(), ways[better:].sum())))


@lru_cache(1000)
def _ways(twice: tuple[int, ...]) -> Floats:
    """(sum of all + 1,) probability of each sum of some of the ranks."""
    ways = np.zeros(sum(twice) + 1)
    ways[0] = 1.0
    for rank in twice:
        ways[rank:] = ways[rank:] + ways[:-rank]
        ways /= 2
    return ways


def tukey(values: Floats, draws: int = DRAWS, seed: int = SEED) -> Floats:
    """Two-sided p of each pair of runs by the randomised Tukey HSD test, adjusted for all pairs of runs.

    If the runs did not differ, a query's values could belong to any of them. So each draw shuffles the values of each
    query among the runs, and p = (1 + draws whose largest difference of two means is as far from 0 as the pair's) / (1
    + draws). Only queries that count for every run are used; a run without a value is no run. The same seed gives the
    same draws. Returns (R, R) symmetric p of (R, Q) values, at least 1 / (1 + draws). 1 for equal runs and on the
    diagonal; NaN where a pair differs on fewer than two queries, or there are none.

    Source: Carterette 2012, Multiple Testing in Statistical Analysis of Systems-Based Information Retrieval
    Experiments; Sakai 2018, Laboratory Experiments in Information Retrieval, chapter 4.

    >>> values = np.array([[0.5, 0.6, 0.9], [0.4, 0.5, 0.7], [0.1, 0.2, 0.1]])
    >>> tukey(values, draws=9999).round(2)[2].tolist()  # 6 of 6 ** 3 orders have so large a range
    [0.03, 0.21, 1.0]
    """
    some = ~np.isnan(values).all(axis=1)
    shared = ~np.isnan(values[some]).any(axis=0)
    differences = _differences(np.where(shared, values, np.nan))
    block = np.round(values[some][:, shared], DIGITS).T
    rng, ranges = np.random.default_rng(seed), np.zeros(draws)
    for part in slices(draws if block.size else 0, max(1, BLOCK_WEIGHTS // max(1, block.size))):
        drawn = rng.permuted(np.broadcast_to(block, (part.stop - part.start, *block.shape)), axis=2)
        ranges[part] = np.ptp(drawn.mean(axis=1), axis=1)
    nearer = np.searchsorted(np.sort(ranges), np.abs(_means(differences)) - SLACK)
    return _square((1 + draws - nearer) / (1 + draws), differences, len(values))


def effect_sizes(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Cohen's d of matched pairs (d_z) of each row's run with the column's, and the ends of its 95% interval.

    d is the mean difference over the sample standard deviation of the differences; its interval is that of the
    noncentral t distribution, to six digits. Three (R, R) arrays of (R, Q) values; NaN where two runs share fewer than
    two queries, or all their differences are one number.

    Source: Cohen 1988, chapter 2; Cumming & Finch 2001 (interval).

    >>> d, low, high = effect_sizes(np.array([[0.5, 0.6, 0.9], [0.4, 0.5, 0.7]]))  # 0.133 / 0.058
    >>> print(d[0, 1].round(2), low[0, 1].round(2), high[0, 1].round(2))
    2.31 -0.05 4.67
    """
    from scipy.special import nctdtrinc  # not at the top: scipy takes long to load

    differences = _differences(values)
    n, mean = _shared(differences), _means(differences)
    squares = np.nansum((differences - mean[:, None]) ** 2, axis=1)
    spread = np.sqrt(squares / np.maximum(n - 1, 1))
    d = np.where((n > 1) & (spread > SLACK), mean / np.where(spread > SLACK, spread, 1.0), np.nan)
    root, t = np.sqrt(np.maximum(n, 1)), np.abs(d) * np.sqrt(np.maximum(n, 1))
    near, far = (nctdtrinc(np.maximum(n - 1, 1), share, t) / root for share in ((1 + LEVEL) / 2, (1 - LEVEL) / 2))
    low, high = np.where(d < 0, -far, near), np.where(d < 0, -near, far)
    return _turned(d, -d, len(values)), _turned(low, -high, len(values)), _turned(high, -low, len(values))


def rank_biserial(values: Floats) -> Floats:
    """(R, R) matched-pairs rank-biserial correlation of each row's run with the column's, of (R, Q) values.

    Of the ranks of Wilcoxon's test, the share where the row's run is better minus the share where it is worse: -1 to 1;
    NaN where no shared query differs.

    Source: Kerby 2014, The Simple Difference Formula.

    >>> rank_biserial(np.array([[0.5, 0.6, 0.8], [0.4, 0.4, 0.9]])).round(2)[0].tolist()  # (1.5 + 3 - 1.5) / 6
    [nan, 0.5]
    """
    differences = _tied_differences(values)
    shares = np.full(len(differences), np.nan)
    for part in slices(len(differences), max(1, BLOCK_WEIGHTS // max(1, values.shape[1]))):
        ranks, _ = _doubled_ranks(differences[part])
        total = ranks.sum(axis=1)
        signed = (np.sign(np.nan_to_num(differences[part])) * ranks).sum(axis=1)
        shares[part] = np.where(total > 0, signed / np.maximum(total, 1), np.nan)
    return _turned(shares, -shares, len(values))


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


def _tied_differences(values: Floats) -> Floats:
    """As `_differences`, of values as they are: 2/3 - 1/3 and 1/3 - 0 differ in the ninth digit if rounded before."""
    first, second = np.triu_indices(len(values), 1)
    return np.round(values[first] - values[second], DIGITS)


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
    square = _turned(upper, upper, runs)
    np.fill_diagonal(square, 1.0)
    return square


def _turned(upper: Floats, lower: Floats, runs: int) -> Floats:
    """(R, R) with the pairs' values above the diagonal, those of the turned pairs below it, and NaN on it."""
    square = np.full((runs, runs), np.nan)
    first, second = np.triu_indices(runs, 1)
    square[first, second], square[second, first] = upper, lower
    return square
