"""Agreement of predicted labels with human judgments, from counts of passages.

Everything is vectorised over leading axes, so that a batch of tables (queries, cuts, label ranks)
costs one call. Undefined is NaN.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from exam_core.numbers.arrays import Floats, Ints

Weights = Literal["linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval"]


class Retrieval(NamedTuple):
    """Precision, recall and F1 of the predicted labels, taking the judgments as the truth."""

    precision: Floats
    recall: Floats
    f1: Floats


def binary_counts(matrix: Ints, labels: Ints, relevances: Ints, taus: Ints, cuts: Ints) -> Ints:
    """2 x 2 counts [[tp, fp], [fn, tn]] of graded matrices at every tau and every judgment cut.

    Parameters
    ----------
    matrix : (..., G, J) passages by label and relevance
    labels, relevances : (G,) and (J,) what rows and columns stand for, ascending
    taus, cuts : (T,) smallest labels and (C,) smallest relevances that count as relevant

    Returns (..., T, C, 2, 2); rows predicted, columns judged.

    >>> matrix = np.array([[5, 1], [1, 4]])  # labels 0 and 3 in rows, judgments 0 and 2 in columns
    >>> binary_counts(matrix, np.array([0, 3]), np.array([0, 2]), taus=np.array([3]), cuts=np.array([1])).tolist()
    [[[[4, 1], [1, 5]]]]
    """
    from_here = np.zeros((*matrix.shape[:-2], len(labels) + 1, len(relevances) + 1), np.int64)
    from_here[..., :-1, :-1] = matrix[..., ::-1, ::-1].cumsum(axis=-2).cumsum(axis=-1)[..., ::-1, ::-1]
    row, column = np.searchsorted(labels, taus)[:, None], np.searchsorted(relevances, cuts)
    true_positive = from_here[..., row, column]
    false_positive = from_here[..., row, [0]] - true_positive
    false_negative = from_here[..., [[0]], column] - true_positive
    total = from_here[..., :1, :1]
    true_negative = total - true_positive - false_positive - false_negative
    cells = (true_positive, false_positive, false_negative, true_negative)
    return np.stack(cells, axis=-1).reshape(*true_positive.shape, 2, 2)


def square(matrix: Ints, labels: Ints, relevances: Ints) -> Ints:
    """Graded matrices as square ones: both axes run over every integer from the smallest to the largest value.

    A value that nobody used gets an empty row or column. So a distance of two places is a distance of two
    grades, and no coefficient changes when a value happens not to occur.

    Counts are (..., G, J) by labels (G,) and relevances (J,); the square is (..., k, k).

    >>> square(np.array([[2, 1]]), labels=np.array([1]), relevances=np.array([0, 2])).tolist()
    [[0, 0, 0], [2, 0, 1], [0, 0, 0]]
    """
    values = np.concatenate([labels, relevances])
    low, size = (int(values.min()), int(np.ptp(values)) + 1) if len(values) else (0, 0)
    counts = np.zeros((*matrix.shape[:-2], size, size), np.int64)
    counts[..., (labels - low)[:, None], relevances - low] = matrix
    return counts


def cohen_kappa(counts: Ints) -> Any:
    """Cohen's kappa of square tables of counts (..., k, k): (po - pe) / (1 - pe).

    Returns (...) in [-1, 1]; NaN for an empty table, and where both use one and the same category only (pe = 1).

    Source: Cohen 1960; EXAM, section 4.1.

    >>> print(cohen_kappa(np.array([[20, 5], [10, 15]])).round(3))  # 70% observed, 50% by chance
    0.4
    """
    diagonal = np.diagonal(counts, axis1=-2, axis2=-1)
    total = counts.sum(axis=(-2, -1))
    chance = (counts.sum(axis=-1, dtype=float) * counts.sum(axis=-2, dtype=float)).sum(axis=-1)
    squared = total.astype(float) ** 2
    defined = diagonal.max(axis=-1, initial=0) < total
    return _ratio(total * diagonal.sum(axis=-1, dtype=float) - chance, squared - chance, defined)


def observed_agreement(counts: Ints) -> Any:
    """The share of (..., k, k) counts on which both raters agree; NaN for an empty table.

    >>> print(observed_agreement(np.array([[20, 5], [10, 15]])))
    0.7
    """
    return _share(np.diagonal(counts, axis1=-2, axis2=-1).sum(axis=-1), counts.sum(axis=(-2, -1)))


def gwet_ac1(counts: Ints) -> Any:
    """Gwet's AC1 of counts (..., k, k), k at least 2: (po - pe) / (1 - pe), where pe = sum of s (1 - s) / (k - 1).

    s is the share of a category, the mean of both raters. Kappa is near 0 or below where one category is rare, however
    often the raters agree; AC1 is not. Returns (...) in [-1, 1]; NaN for an empty table.

    Source: Gwet 2008, eq. 4.

    >>> print(gwet_ac1(np.array([[118, 5], [2, 0]])).round(3))  # kappa is -0.023
    0.941
    """
    total = counts.sum(axis=(-2, -1))
    shares = _share(counts.sum(axis=-1) + counts.sum(axis=-2), 2 * total[..., None])
    chance = (shares * (1 - shares)).sum(axis=-1) / (counts.shape[-1] - 1)
    return (observed_agreement(counts) - chance) / (1 - chance)


def pabak(counts: Ints) -> Any:
    """Prevalence-adjusted, bias-adjusted kappa of counts (..., k, k), k at least 2: (k po - 1) / (k - 1).

    It is the kappa that raters who agree as often would have if each used all categories equally often; 2 po - 1 for
    two categories. Returns (...) in [-1, 1]; NaN for an empty table.

    Source: Byrt, Bishop & Carlin 1993, eq. 5; Brennan & Prediger 1981 for more categories.

    >>> print(pabak(np.array([[80, 10], [5, 5]])).round(2))  # kappa is 0.32
    0.7
    """
    categories = counts.shape[-1]
    return (categories * observed_agreement(counts) - 1) / (categories - 1)


def weighted_kappa(counts: Ints, weights: Weights = "linear") -> Any:
    """Weighted kappa: 1 - observed / expected distance of label and judgment.

    Only numbers on one scale have a distance, so the table must be square (see `square`). Labels 0..5
    and judgments 0..3 are then read as the same numbers: label 5 on a judgment of 3 is two steps
    off, the value cannot reach 1, and it is comparable between graders but not between scales.

    Counts are (..., k, k); `weights` are the distance |i - j| or its square. Returns (...) at most 1; NaN for an
    empty table, and where both use one and the same category only.

    Source: Cohen 1968.

    >>> counts = np.array([[2, 0, 1], [0, 2, 0], [0, 0, 2]])  # distance: observed 14/49, by chance 46/49
    >>> print(weighted_kappa(counts).round(3))
    0.696
    """
    place = np.arange(counts.shape[-1])
    distance = np.abs(place[:, None] - place).astype(float) ** (1 if weights == "linear" else 2)
    rows, columns = counts.sum(axis=-1, dtype=float), counts.sum(axis=-2, dtype=float)
    observed = (counts * distance).sum(axis=(-2, -1)) * rows.sum(axis=-1)
    expected = ((rows @ distance) * columns).sum(axis=-1)
    return _ratio(expected - observed, expected, expected > 0)


def krippendorff_alpha(counts: Ints | Floats, level: Level = "ordinal") -> Any:
    """Krippendorff's alpha of two raters who both rated every unit: 1 - observed / expected disagreement.

    Parameters
    ----------
    counts : (..., k, k) units by the two raters' values; the raters' values are the same scale
    level : nominal: all values differ alike; ordinal: by how many ratings lie between them; interval: by
        the square of their distance in places

    Returns (...) at most 1; NaN for an empty table, and where all ratings have the same value.

    Source: Krippendorff 2011, Computing Krippendorff's Alpha-Reliability.

    >>> counts = np.array([[3, 1], [0, 4]])  # 2 of 16 ratings disagree; by chance 2 * 7 * 9 / (16 * 15)
    >>> print(krippendorff_alpha(counts, "nominal").round(3))
    0.762
    """
    coincidences = (counts + np.swapaxes(counts, -1, -2)).astype(float)
    ratings = coincidences.sum(axis=-1)
    pairs = ratings[..., :, None] * ratings[..., None, :]
    difference = _squared_difference(ratings, level)
    observed = (coincidences * difference).sum(axis=(-2, -1)) * (ratings.sum(axis=-1) - 1)
    expected = (pairs * difference).sum(axis=(-2, -1))
    return _ratio(expected - observed, expected, expected > 0)


def interval_alpha(ratings: Floats) -> float:
    """Krippendorff's alpha of numbers that several raters gave, by the square of their difference.

    `ratings` are (N, G) of units by raters, NaN where one is missing; units with fewer than two ratings don't count.
    Returns at most 1; NaN without such units, and where all ratings are equal.

    Source: Krippendorff 2011; Hayes & Krippendorff 2007.

    >>> print(round(interval_alpha(np.array([[1.0, 1.5], [2.0, 2.5], [4.0, np.nan]])), 3))  # 1 - 0.25 / 0.833
    0.7
    """
    given = ~np.isnan(ratings)
    number = given.sum(axis=1)
    ratings, given, number = ratings[number > 1], given[number > 1], number[number > 1]
    pooled = ratings[given]
    if not len(pooled):
        return np.nan
    apart = np.where(given, ratings - np.nanmean(ratings, axis=1, keepdims=True), 0.0)
    # Squared differences of all ordered pairs of m ratings add up to 2 m times the squares about their mean.
    observed = (2 * number / (number - 1) * (apart**2).sum(axis=1)).sum() / len(pooled)
    return float(_ratio(2 * pooled.var(ddof=1) - observed, 2 * pooled.var(ddof=1), np.ptp(pooled) > 0))


def _squared_difference(ratings: Floats, level: Level) -> Floats:
    """(..., k, k) squared difference of two values, given the (..., k) number of ratings of each."""
    size = ratings.shape[-1]
    place = np.arange(size, dtype=float)
    if level == "nominal":
        return 1 - np.eye(size)
    if level == "ordinal":
        # The ratings between two values, and half of those at either end.
        place = ratings.cumsum(axis=-1) - ratings / 2
    return (place[..., :, None] - place[..., None, :]) ** 2


def precision_recall_f1(counts: Ints) -> Retrieval:
    """Precision, recall and F1 of (..., 2, 2) counts [[tp, fp], [fn, tn]]; relevant is positive.

    Returns three arrays (...) in [0, 1]. Precision is NaN where nothing is predicted relevant, recall where nothing is
    judged relevant, F1 = 2 tp / (2 tp + fp + fn) only where both are so.

    Source: van Rijsbergen 1979, chapter 7.

    >>> precision, recall, f1 = precision_recall_f1(np.array([[3, 1], [2, 4]]))
    >>> print(precision, recall, f1.round(3))
    0.75 0.6 0.667
    """
    tp, fp, fn = counts[..., 0, 0], counts[..., 0, 1], counts[..., 1, 0]
    return Retrieval(_share(tp, tp + fp), _share(tp, tp + fn), _share(2 * tp, 2 * tp + fp + fn))


def kappa_variance(shares: Floats, n: Any) -> Any:
    """Variance of Cohen's kappa over n passages of (..., k, k) shares; NaN where kappa is undefined.

    Source: Fleiss, Cohen & Everitt 1969, eq. 13.

    >>> print(kappa_variance(np.array([[0.4, 0.1], [0.1, 0.4]]), 100).round(4))
    0.0064
    """
    rows, columns = shares.sum(axis=-1), shares.sum(axis=-2)
    same = np.diagonal(shares, axis1=-2, axis2=-1)
    observed, chance = same.sum(axis=-1), (rows * columns).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = (1 - observed) / (1 - chance)  # 1 - kappa
        agreeing = (same * (1 - (rows + columns) * apart[..., None]) ** 2).sum(axis=-1)
        sums = columns[..., :, None] + rows[..., None, :]
        off = (shares * sums**2).sum(axis=(-2, -1)) - (same * (rows + columns) ** 2).sum(axis=-1)
        variance = agreeing + apart**2 * off - (1 - apart - chance * apart) ** 2
        return variance / (n * (1 - chance) ** 2)


def _share(part: Ints, whole: Ints) -> Any:
    return _ratio(part, whole, whole > 0)


def _ratio(above: Any, below: Any, defined: Any) -> Any:
    quotient = np.full(np.shape(above), np.nan)
    np.divide(above, below, out=quotient, where=defined)
    return quotient[()]
