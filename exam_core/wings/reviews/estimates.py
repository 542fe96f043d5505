"""Estimates from a probability sample: means and shares with intervals. Numbers only.

Means as humans would grade: the grader predicts an answer for every passage; where humans answered, the difference is
known, and weighted by the chance of the passage it shows how far the prediction is off on average.

Figures of all items from some that were drawn: an item weighs the inverse of its probability, since items that were
likelier to be drawn stand for fewer others. So any figure of a table of counts (kappa, alpha, a share) becomes that of
a table of weights, and its interval is that of the drawing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from exam_core.numbers import DRAWS, SEED
from exam_core.numbers.annotator_agreement import cohen_kappa
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.numbers.kappa_intervals import kappa_interval
from exam_core.numbers.resampling import LEVEL
from exam_core.numbers.share_intervals import wilson

FOLDS = 5
RIDGE = 1.0
"""Strength with which the coefficients of the calibration are pulled to 0, in units of answers."""
MEANS_LEVEL = 0.95
LEAST_OPEN = 0.02
"""The smallest variance of an answer that nobody gave: calibrated chances may be too sure."""


@dataclass(frozen=True)
class Sampled:
    """m items that humans answered.

    Parameters
    ----------
    items : (m,) which of the population; one that was drawn for two queues occurs twice
    answers : (m,) in [0, 1]: the share of reviewers who judge it relevant
    weights : (m,) items of the population that each stands for: 1 over the probability of being answered
    people : (m,) how many answered each; all answers are yes or no
    """

    items: Ints
    answers: Floats
    weights: Floats
    people: Ints

    @cached_property
    def several(self) -> Bools:
        """(m,) which items more than one person answered."""
        return self.people > 1


@dataclass(frozen=True)
class Calibration:
    """Chance that a human judges each item relevant, by the grader's grades.

    `everywhere` is (P,) for each item of the population, `answered` (m,) for the answered ones: for these by a model
    without their answers.
    """

    everywhere: Floats
    answered: Floats


@dataclass(frozen=True)
class MeanParts:
    """Parts of passages in the means of R runs.

    `answered` is (R, m), the part of each answered item if it is relevant, 0 where a run does not hold it. Sums over
    all items are (R,): `predicted` of the part times `Calibration.everywhere`, `whole` of the part, and `unknown` the
    variance of the parts of items that nobody answered, by the calibrated chances.
    """

    answered: Floats
    predicted: Floats
    whole: Floats
    unknown: Floats


@dataclass(frozen=True)
class CorrectedMeans:
    """Corrected means of R runs.

    Parameters
    ----------
    mean : (R,) as humans would grade, without bias
    low, high : (R,) ends of the interval, each run's by itself
    shrunk : (R,) the grader's means plus the corrections, each pulled towards the common one as far as it is noise:
        nearer to the truth than `mean` while reviews are few, and used for the order. Never outside of the interval
    pulled : from 0 (not at all) to 1 (one correction for all, so the order is the grader's)
    tuning : share of the calibrated grades that is used; 0 is humans alone
    mistakes : variance of one person's answer about the average answer of such people to an item; NaN where no item
        has two answers, so that intervals leave it out
    covariance : (R, R) of the means' errors
    freedom : (R,) degrees of freedom of each interval
    """

    mean: Floats
    low: Floats
    high: Floats
    shrunk: Floats
    pulled: float
    tuning: float
    mistakes: float
    covariance: Floats
    freedom: Floats

    def together(self, draws: int = DRAWS) -> tuple[Floats, Floats]:
        """(R,) ends of intervals that hold all runs at once: each by itself is at the level that all need.

        Errors of the means are drawn with their correlations; the smallest chance of an error of its size among the
        runs shows how rare the worst of them is.

        Source: Westfall & Young 1993 (the smallest p, with the correlations of the tests).
        """
        from scipy.special import ndtr, stdtrit  # not at the top: scipy takes long to load

        sizes, directions = np.linalg.eigh(self.covariance)
        drawn = np.random.default_rng(SEED).standard_normal((draws, len(sizes))) * np.sqrt(np.maximum(sizes, 0))
        deviations = np.sqrt(np.diag(self.covariance))
        errors = np.divide(drawn @ directions.T, deviations, out=np.zeros_like(drawn), where=deviations > 0)
        rare = min(float(np.quantile(2 * ndtr(-np.abs(errors).max(axis=1)), 1 - MEANS_LEVEL)), 1 - MEANS_LEVEL)
        wider = stdtrit(self.freedom, 1 - rare / 2) / stdtrit(self.freedom, (1 + MEANS_LEVEL) / 2)
        return self.mean - wider * (self.mean - self.low), self.mean + wider * (self.high - self.mean)


def calibrate(features: Floats, queries: Ints, sampled: Sampled) -> Calibration:
    """Logistic calibration of an item's features and query, cross-fitted: no answer predicts itself.

    `features` are (P, F), about 0 with a spread of about 1; `queries` (P,) index of each item's query.

    Source: cross-fitting as in Zrnic and Candès 2024 (cross-prediction-powered inference).

    >>> sampled = Sampled(np.arange(10), np.arange(10) >= 5.0, np.full(10, 2.0), np.ones(10, int))
    >>> features = np.array([-1.0] * 5 + [1.0] * 5 + [-1.0, 1.0])[:, None]  # the last two items nobody answered
    >>> calibrate(features, np.zeros(12, int), sampled).everywhere[10:].round(1).tolist()
    [0.2, 0.8]
    """
    items, answers = sampled.items, sampled.answers
    # Folds of equal sizes; an item that occurs twice is in one fold.
    unique, inverse = np.unique(items, return_inverse=True)
    groups = (np.random.default_rng(0).permutation(len(unique)) % FOLDS)[inverse]
    counts = np.bincount(groups, minlength=FOLDS) / max(len(items), 1)
    answered_queries, columns = np.unique(queries[items], return_inverse=True)
    design = np.hstack([np.ones((len(items), 1)), features[items], np.eye(len(answered_queries))[columns]])
    place = np.full(int(queries.max(initial=0)) + 1, len(answered_queries))
    place[answered_queries] = np.arange(len(answered_queries))
    everywhere, answered = np.zeros(len(features)), np.zeros(len(items))
    for fold in range(FOLDS):
        left_out = groups == fold
        if not left_out.any():
            continue
        values = logistic(design[~left_out], answers[~left_out])
        n = features.shape[1] + 1
        effects = np.r_[values[n:], 0.0]
        predicted = _sigmoid(values[0] + features @ values[1:n] + effects[place[queries]])
        everywhere += counts[fold] * predicted
        answered[left_out] = predicted[items[left_out]]
    everywhere[items] = answered
    return Calibration(everywhere, answered)


def logistic(design: Floats, answers: Floats, ridge: float = RIDGE) -> Floats:
    """(F,) coefficients of a logistic regression with a ridge on all but the first, by Newton's method.

    >>> design = np.array([[1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [1.0, 1.0]])  # a constant and a feature
    >>> print(*logistic(design, np.array([0.0, 1.0, 1.0, 1.0]), ridge=0.1).round(1))
    1.6 1.5
    """
    values = np.zeros(design.shape[1])
    penalty = np.full(design.shape[1], ridge)
    # The intercept is free, but for what keeps it finite where all answers are equal.
    penalty[0] = min(ridge, 1e-2)
    for _ in range(50):
        chance = _sigmoid(design @ values)
        bend = (design.T * (chance * (1 - chance))) @ design
        bend[np.diag_indices_from(bend)] += penalty
        step = np.linalg.solve(bend, design.T @ (answers - chance) - penalty * values)
        values += step
        if np.abs(step).max() < 1e-8:
            break
    return values


def _sigmoid(x: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(x, -30, 30)))


def corrected_means(parts: MeanParts, calibration: Calibration, sampled: Sampled, grader: Floats) -> CorrectedMeans:
    """Means as humans would grade, by the difference estimator, with intervals from the sampling.

    A mean is a sum over passages of a part (1/k over the number of queries, where a run holds it in its first k) times
    the answer. It is that sum over the calibrated grades, plus the weighted sum of human minus calibrated over the
    sample. Intervals are over other samples of the same passages, answered by other such people: Deville's variance for
    samples of unequal probabilities, the variance of answers that differ from person to person, and Student's t with
    the effective number of answers that a run has. `grader` are (R,) the grader's own means.

    Source: Angelopoulos et al. 2023 (prediction-powered inference, and PPI++ for the tuning); Särndal, Swensson and
    Wretman 1992, chapter 6 (the difference estimator); Deville 1999 (the variance).

    >>> sampled = Sampled(np.array([0, 3]), np.array([1.0, 0.0]), weights=np.full(2, 2.0), people=np.ones(2, int))
    >>> parts = MeanParts(np.full((1, 2), 0.25), np.array([0.5]), np.array([1.0]), np.array([0.02]))
    >>> calibration = Calibration(np.full(4, 0.5), np.full(2, 0.5))
    >>> corrected_means(parts, calibration, sampled, grader=np.array([0.9])).mean.tolist()  # one of two was relevant
    [0.5]
    """
    from scipy.special import stdtrit  # not at the top: scipy takes long to load

    weights = sampled.weights
    matter = weights * (weights - 1) * (parts.answered**2).sum(axis=0)
    # Weighted least squares: how much of the predictions to use, from 0 to 1, and the constant beside them.
    if not matter.sum() > 0:
        matter = np.ones(len(matter))
    total = matter.sum()
    middle, level = (matter @ calibration.answered) / total, (matter @ sampled.answers) / total
    away = calibration.answered - middle
    spread = matter @ away**2
    tuning = float(np.clip(matter @ (away * (sampled.answers - level)) / spread, 0, 1)) if spread > 0 else 0.0
    constant = float(level - tuning * middle)
    left = sampled.answers - constant - tuning * calibration.answered
    pieces = parts.answered * (weights * left)
    mean = tuning * parts.predicted + constant * parts.whole + pieces.sum(axis=1)
    mistakes = _answers_variance(parts, sampled)
    # Deville's variance has 1 - 1/weight of the answers' variance: the more is answered, the less of it.
    again = np.nan_to_num(mistakes) * (parts.answered * (weights / sampled.people)) @ parts.answered.T
    covariance = _covariance(pieces, weights) + again
    # Where nearly all is answered, few pieces show how uncertain the rest is: never less than by its chances.
    variance = np.maximum(np.diag(covariance), parts.unknown + np.diag(again))
    # Kish's effective number of a run's answers, less one.
    weighted = parts.answered * weights
    squares = (weighted**2).sum(axis=1)
    freedom = np.maximum(weighted.sum(axis=1) ** 2 / np.where(squares > 0, squares, 1) - 1, 1)
    reach = stdtrit(freedom, (1 + MEANS_LEVEL) / 2) * np.sqrt(variance)
    apart_by = np.eye(len(mean)) - 1 / len(mean)
    noise = np.diag(apart_by @ covariance @ apart_by)
    shrunk, pulled = shrink(mean, grader, noise)
    # A run that is unlike the others is not pulled out of its own interval (Efron and Morris 1972).
    within = np.clip(shrunk, mean - reach, mean + reach)
    return CorrectedMeans(mean, mean - reach, mean + reach, within, pulled, tuning, mistakes, covariance, freedom)


def _answers_variance(parts: MeanParts, sampled: Sampled) -> float:
    """Return the variance of several people's answers to one item, on average over the parts of the means.

    For an item with k answers, a share p of them yes, it is p (1 - p) k / (k - 1): half of the disagreements of two.
    NaN where no item has several answers.
    """
    p, people = sampled.answers[sampled.several], sampled.people[sampled.several]
    counts = (people - 1) * (sampled.weights * (parts.answered**2).sum(axis=0))[sampled.several]
    total = counts.sum()
    return float(counts @ (p * (1 - p) * people / (people - 1)) / total) if total > 0 else np.nan


def shrink(mean: Floats, grader: Floats, noise: Floats) -> tuple[Floats, float]:
    """The grader's means plus a correction for each, which is pulled towards the common one as far as it is noise.

    `noise` are (R,) variances of the corrections' differences. Also returns the average pull: 1 leaves one correction
    for all.

    Source: Efron and Morris 1975 (empirical Bayes).

    >>> means, pulled = shrink(np.array([0.3, 0.5]), grader=np.array([0.4, 0.4]), noise=np.array([0.01, 0.01]))
    >>> print(means.round(2), round(pulled, 2))  # half of the corrections' variance is noise
    [0.35 0.45] 0.5
    """
    correction = mean - grader
    common = correction.mean()
    spread = ((correction - common) ** 2).sum() / max(len(mean) - 1, 1) - noise.mean()
    values = spread / (spread + noise) if spread > 0 else np.zeros(len(mean))
    return grader + common + values * (correction - common), float(1 - values.mean())


def _covariance(pieces: Floats, weights: Floats) -> Floats:
    """(R, R) covariances of the sums of (R, m) pieces that were drawn with probabilities 1 over weights."""
    n = len(weights)
    chance = 1 - 1 / weights
    total = chance.sum()
    if n < 2 or total <= 0:
        return np.full((len(pieces), len(pieces)), 0.0 if n > 1 else np.nan)
    off = pieces - (pieces @ chance / total)[:, None]
    return (off * chance) @ off.T * n / (n - 1)


class Estimate(NamedTuple):
    """A figure, its 95% interval, and the number of its items; NaN where it is undefined."""

    value: float
    low: float
    high: float
    n: int


UNKNOWN = Estimate(np.nan, np.nan, np.nan, 0)


@dataclass(frozen=True)
class Sample:
    """The sampling of a table's n rows.

    `items` are (n,) numbers of the rows' items; rows of one item are no independent draws. `weights` are (n,) items
    that each row stands for, in any unit; `chances` (n,) probabilities that the item is in the sample, 0 where nobody
    drew it.
    """

    items: Ints
    weights: Floats
    chances: Floats

    def only(self, rows: Any) -> Sample:
        """Return the sample with some of its rows."""
        return Sample(self.items[rows], self.weights[rows], self.chances[rows])

    @property
    def effective(self) -> float:
        """The number of items of equal weights with the same variance: (sum)^2 / sum of squares (Kish 1965)."""
        weights = np.bincount(self.items, self.weights)
        squares = (weights**2).sum()
        return float(weights.sum() ** 2 / squares) if squares else 0.0


def sample_of(items: Ints, queues: Ints, probability: Floats, drawn: Floats) -> Sample:
    """The sample of reviews: pooled over queues, and over the people who answered the same item.

    Of a queue k of n_k items, drawn with probabilities pi_ik, some are answered: a random part, since queues are in
    random order. With m items answered in all queues together, item i of queue k weighs n_k / (pi_ik m), and its
    chance of being answered is pi_ik m_k / n_k. People who answered one item of one queue share its weight. An item
    that nobody drew weighs as much as a drawn one on average.

    All are (n,): numbers of each review's item and queue, from 0; the `probability` of coming into the queue, NaN where
    nobody drew it; how many items were `drawn` for the queue, NaN for as many as are answered.

    Source: Horvitz & Thompson 1952; Hansen & Hurwitz 1943 for the pooling of several samples.

    >>> items, queue = np.array([0, 1]), np.array([0, 0])  # the first is drawn half as often
    >>> sample = sample_of(items, queue, probability=np.array([0.25, 0.5]), drawn=np.array([2.0, 2.0]))
    >>> print(sample.weights.round(2).tolist(), sample.chances.tolist())
    [1.33, 0.67] [0.25, 0.5]
    """
    if not len(items):
        return Sample(items, np.zeros(0), np.zeros(0))
    draws, first, draw = np.unique(np.stack([queues, items]), axis=1, return_index=True, return_inverse=True)
    answered = np.bincount(draws[0])[draws[0]]
    chance, size = probability[first], np.where(np.isnan(drawn[first]), answered, drawn[first])
    known = (chance > 0) & (chance <= 1)
    single = np.divide(size, chance, out=np.full(len(size), np.nan), where=known)
    single = np.where(known, single / single[known].mean(), 1.0) if known.any() else np.ones(len(size))
    unseen = np.ones(int(items.max()) + 1)
    np.multiply.at(unseen, draws[1], 1 - np.where(known, np.minimum(chance * answered / size, 1.0), 0.0))
    draw = draw.ravel()
    return Sample(items, (single / np.bincount(draw))[draw], 1 - unseen[items])


def table_of(rows: Ints, columns: Ints, size: int) -> Floats:
    """(n, size, size) a table for each item, with a 1 where its two values meet."""
    tables = np.zeros((len(rows), size, size))
    tables[np.arange(len(rows)), rows, columns] = 1
    return tables


def coincidences(counts: Any) -> Floats:
    """(n, k, k) how often values of each item meet: summands of `krippendorff_alpha`.

    `counts` are (n, k) raters of each value; an item of fewer than two raters has a table of zeros.

    Source: Krippendorff 2011, Computing Krippendorff's Alpha-Reliability; halved, since alpha counts both directions.

    >>> coincidences([[2, 1]]).tolist()  # of three raters two gave the first value, and one the second
    [[[0.5, 0.5], [0.5, 0.0]]]
    """
    counts = np.asarray(counts, float)
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(counts.shape[1])
    others = counts.sum(axis=1)[:, None, None] - 1
    return np.where(others > 0, pairs / np.maximum(2 * others, 1), 0.0)


def estimate(statistic: Callable[[Any], Any], tables: Floats, sample: Sample) -> Estimate:
    """A figure of all items that is at most 1, and its interval: each item is left out in turn (jackknife).

    The variance is that of sampling without replacement by the items' chances: an item that is likely to be in the
    sample adds little, and where all items are in it no uncertainty is left. The limits are made on the scale of log(1
    - value), on which the values of samples lie more evenly. Where few items are of one class they can lie below 0
    between raters who agree by chance alone: kappa of two classes has `estimate_kappa`, which serves no other figure.

    Simulated for this choice: 1,500 samples each of 100, 200 and 400 of 3,000 items, drawn uniformly, by a number of
    runs and by disagreement, from populations of kappa 0.42 and 0.79 with 30% relevant. How often the 95% interval of
    kappa held the population's: this one 94.3-96.5%, the same without the logarithm 93.2-95.9%, and with items - 1
    degrees of freedom 91.3-95.9%. With 10% relevant: this one 94.0-98.3%, the others 93.0-99.4% and 91.5-95.0%.

    `tables` are (n, k, k) of the sample's rows, and `statistic` is of (..., k, k) such as `cohen_kappa`. Limits are NaN
    with fewer than two items, where the figure is undefined without one of them, and where it is 1 though not all items
    are in the sample: items without a disagreement don't show how others disagree.

    Source: Hajek 1964 (variance); Berger 2007, A jackknife variance estimator for unistage stratified samples with
    unequal probabilities; Satterthwaite 1946 (degrees of freedom).

    >>> sample = Sample(items=np.arange(4), weights=np.ones(4), chances=np.full(4, 0.1))
    >>> tables = table_of(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), 2)
    >>> first = estimate(lambda table: table[..., 0, 0] / table.sum(axis=(-2, -1)), tables, sample)
    >>> print(first.value, round(first.low, 2), round(first.high, 2), first.n)
    0.25 -1.0 0.73 4
    """
    from scipy.special import stdtrit  # not at the top: scipy takes long to load

    each, unseen = _of_items(tables, sample)
    together = each.sum(axis=0)
    value, n = float(statistic(together)), len(each)
    if n < 2 or np.isnan(value):
        return Estimate(value, np.nan, np.nan, n)
    error, degrees = _spread(np.asarray(statistic(np.maximum(together - each, 0.0))), unseen)
    if not unseen.any():
        return Estimate(value, value, value, n)
    if np.isnan(error) or value >= 1 or not error:
        return Estimate(value, np.nan, np.nan, n)
    factor = np.exp(stdtrit(degrees, (1 + LEVEL) / 2) * error / (1 - value))
    return Estimate(value, float(max(-1.0, 1 - (1 - value) * factor)), float(1 - (1 - value) / factor), n)


def estimate_kappa(tables: Floats, sample: Sample) -> Estimate:
    """Cohen's kappa of two classes of all items, and its interval: `kappa_interval` with items in place of queries.

    The number of items is the effective one of their weights (Kish), so where many disagreements were drawn on purpose
    the interval is wider than needed. docs/explanation/reviews.md has how often it held the kappa of simulated items.

    `tables` are (n, 2, 2) of the sample's rows. Limits are NaN where `kappa_interval` has none.

    >>> tables = np.repeat(np.eye(4).reshape(4, 2, 2), [20, 5, 5, 20], axis=0)  # 40 of 50 items agree
    >>> sample = Sample(items=np.arange(50), weights=np.ones(50), chances=np.full(50, 0.1))
    >>> kappa = estimate_kappa(tables, sample)
    >>> print(round(kappa.value, 2), round(kappa.low, 2), round(kappa.high, 2))
    0.6 0.35 0.83
    """
    each, unseen = _of_items(tables, sample)
    value, n = float(cohen_kappa(each.sum(axis=0))), len(each)
    if n and not unseen.any():
        return Estimate(value, value, value, n)
    low, high = kappa_interval(each, LEVEL, passages=sample.effective, unseen=unseen)
    return Estimate(value, float(low), float(high), n)


def share(flags: Any, sample: Sample) -> Estimate:
    """The share of all items with a flag, and Wilson's interval for the effective number of items.

    `flags` are (n,) of the sample's rows. NaN without items.

    Source: Wilson 1927; Korn & Graubard 1998 (effective number of items).

    >>> sample = Sample(items=np.arange(4), weights=np.array([1.0, 1.0, 1.0, 3.0]), chances=np.full(4, 0.1))
    >>> print(round(share([True, True, True, False], sample).value, 2))  # the fourth stands for three items
    0.5
    """
    from scipy.special import ndtri

    tables = np.stack([np.asarray(flags, float), 1 - np.asarray(flags, float)], axis=-1)
    each, unseen = _of_items(tables, sample)
    n, total = len(each), each.sum()
    if not n:
        return UNKNOWN
    value = float(min(1.0, each[:, 0].sum() / total))
    residuals = (each[:, 0] - value * each.sum(axis=1)) / total
    if not unseen.any():
        return Estimate(value, value, value, n)
    variance = (unseen * residuals**2).sum() * n / max(n - 1, 1)
    worth = value * (1 - value) / variance if 0 < value < 1 and variance > 0 else sample.effective
    low, high = wilson(value, worth, float(ndtri((1 + LEVEL) / 2)))
    return Estimate(value, float(low), float(high), n)


def _of_items(tables: Floats, sample: Sample) -> tuple[Floats, Floats]:
    """Return each item's part, in units in which items weigh 1 on average; and its chance to be in no sample."""
    counts, first, item = np.unique(sample.items, return_index=True, return_inverse=True)
    total = sample.weights.sum()
    weights = sample.weights * (len(counts) / total if total > 0 else 0.0)
    each = tables * weights.reshape(-1, *[1] * (tables.ndim - 1))
    if len(counts) < len(item):
        order = np.argsort(item, kind="stable")
        each = np.add.reduceat(each[order], np.searchsorted(item[order], np.arange(len(counts))))
    else:
        each = each[first]
    return each, 1 - sample.chances[first]


def _spread(left_out: Floats, unseen: Floats) -> tuple[float, float]:
    """Return the standard error of a figure from its values without each item, and its degrees of freedom."""
    n = len(left_out)
    if not unseen.any():
        return 0.0, 1.0
    centre = (unseen * left_out).sum() / unseen.sum()
    squares = unseen * (left_out - centre) ** 2
    spread, fourth = squares.sum(), (squares**2).sum()
    unequal = fourth - spread**2 / n
    worth = 2 * spread**2 / unequal if unequal > 1e-12 * fourth else n - 1
    return float(np.sqrt(spread * (n - 1) / n)), float(np.clip(worth, 1, n - 1))


def inclusion_probabilities(sizes: Floats, n: int) -> Floats:
    """(P,) probabilities in proportion to sizes, none above 1, which add up to n.

    Items whose share would be more than 1 are certain; the others share the rest. `sizes` are (P,) above 0; all items
    are drawn where there are no more than `n`.

    Source: Särndal, Swensson and Wretman 1992, section 3.6.

    >>> inclusion_probabilities(np.array([1.0, 1.0, 8.0]), n=2).tolist()
    [0.5, 0.5, 1.0]
    """
    if n >= len(sizes):
        return np.ones(len(sizes))
    certain = np.zeros(len(sizes), bool)
    while True:
        shares = (n - certain.sum()) * sizes / sizes[~certain].sum()
        more = ~certain & (shares >= 1)
        if not more.any():
            return np.where(certain, 1.0, shares)
        certain |= more


def pivotal(probabilities: Floats, rng: np.random.Generator) -> Ints:
    """Draw the indices of a sample, in random order: each item comes in with just its probability.

    Items meet in random order, two at a time, and a draw settles which of them takes the other's probability, until
    each has 0 or 1. The sample's size is the sum of the probabilities, and samples differ nearly as much as they can,
    so that the variance of independent draws holds. (Equal steps along a line are simpler; but where many
    probabilities are equal, their samples differ in another way than that variance takes for granted.)

    Source: Deville and Tillé 1998 (the pivotal method), in random order.

    >>> sorted(pivotal(np.array([0.5, 0.5, 1.0]), np.random.default_rng(0)).tolist())  # 2 is certain, with 0 or 1
    [0, 2]
    """
    order = rng.permutation(len(probabilities)).tolist()
    chances, draws = probabilities.tolist(), rng.random(len(probabilities)).tolist()
    numbers: list[int] = []
    if not order:
        return np.zeros(0, int)
    left = order[0]
    for new in order[1:]:
        mine, theirs, draw = chances[left], chances[new], draws[new]
        both = mine + theirs
        if both < 1:
            left = left if draw * both >= theirs else new
            chances[left] = both
        elif draw * (2 - both) < 1 - theirs:
            numbers.append(left)
            left, chances[new] = new, both - 1
        else:
            numbers.append(new)
            chances[left] = both - 1
    # What is left over is 0 or 1 but for rounding, where the probabilities add up to a whole number.
    if rng.random() < chances[left]:
        numbers.append(left)
    return rng.permutation(np.array(numbers, int))
