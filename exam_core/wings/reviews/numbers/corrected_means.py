"""What humans would have found: means over labels, corrected by a sample of human answers.

The grader predicts an answer for every passage; where humans answered, the difference is known, and weighted by how
likely the passage was drawn it says how far the prediction is off on average.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from exam_core.numbers import DRAWS, SEED
from exam_core.numbers.arrays import Bools, Floats, Ints

FOLDS = 5
RIDGE = 1.0
"""How strongly the coefficients of the calibration are pulled to 0, in units of answers."""
LEVEL = 0.95
LEAST_OPEN = 0.02
"""The smallest variance of an answer that nobody gave: calibrated chances may be too sure."""


@dataclass(frozen=True)
class Sampled:
    """Items that humans answered.

    Parameters
    ----------
    items : (m,) which of the population; one that was drawn for two queues is there twice
    answers : (m,) in [0, 1]: the share of reviewers who find it relevant
    weights : (m,) how many items of the population each stands for: 1 over the probability of being answered
    people : (m,) how many answered each; all are yes or no
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
    """How likely a human finds each item relevant, by the grader's grades.

    Parameters
    ----------
    everywhere : (P,) for each item of the population; for an answered one by a model that has not seen its answer
    answered : (m,) for the answered items, by such a model
    """

    everywhere: Floats
    answered: Floats


@dataclass(frozen=True)
class MeanParts:
    """What passages add to the means of R runs.

    Parameters
    ----------
    answered : (R, m) what each answered item adds if it is relevant; 0 where a run does not hold it
    predicted : (R,) the sum over all items of what they add times `Calibration.everywhere`
    whole : (R,) the sum over all items of what they add
    unknown : (R,) variance of what the items add that nobody answered, by the calibrated chances
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
    mean : (R,) what humans would have found, without bias
    low, high : (R,) ends of the interval, each run's by itself
    shrunk : (R,) the grader's means plus the corrections, each pulled towards the common one as far as it is noise:
        nearer to the truth than `mean` while reviews are few, and what the order is taken from. Never outside of the
        run's interval
    pulled : how far, from 0 (not at all) to 1 (one correction for all, so the order is the grader's)
    tuning : how much of the calibrated grades is used; 0 is humans alone
    mistakes : variance of one person's answer about what such people say of an item on average; NaN where nobody
        answered what somebody else did, so that intervals leave it out
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
        """Ends of intervals (R,) that hold all runs at once: each by itself is at the level that all need.

        Errors of the means are drawn with their correlations, and the smallest chance of an error of its size among
        the runs says how rare the worst of them is.

        Source: Westfall & Young 1993 (the smallest p, with the correlations of the tests).
        """
        from scipy.special import ndtr, stdtrit  # not at the top: scipy takes long to load

        sizes, directions = np.linalg.eigh(self.covariance)
        drawn = np.random.default_rng(SEED).standard_normal((draws, len(sizes))) * np.sqrt(np.maximum(sizes, 0))
        deviations = np.sqrt(np.diag(self.covariance))
        errors = np.divide(drawn @ directions.T, deviations, out=np.zeros_like(drawn), where=deviations > 0)
        rare = min(float(np.quantile(2 * ndtr(-np.abs(errors).max(axis=1)), 1 - LEVEL)), 1 - LEVEL)
        wider = stdtrit(self.freedom, 1 - rare / 2) / stdtrit(self.freedom, (1 + LEVEL) / 2)
        return self.mean - wider * (self.mean - self.low), self.mean + wider * (self.high - self.mean)


def calibrate(features: Floats, queries: Ints, sampled: Sampled) -> Calibration:
    """Logistic calibration of an item's features and query, cross-fitted: no answer predicts itself.

    Parameters
    ----------
    features : (P, F), about 0 with a spread of about 1
    queries : (P,) index of each item's query

    Source: cross-fitting as in Zrnic and Candès 2024 (cross-prediction-powered inference).

    >>> sampled = Sampled(np.arange(10), np.arange(10) >= 5.0, np.full(10, 2.0), np.ones(10, int))
    >>> features = np.array([-1.0] * 5 + [1.0] * 5 + [-1.0, 1.0])[:, None]  # the last two items nobody answered
    >>> calibrate(features, np.zeros(12, int), sampled).everywhere[10:].round(1).tolist()
    [0.2, 0.8]
    """
    items, answers = sampled.items, sampled.answers
    groups = _folds(items)
    counts = np.bincount(groups, minlength=FOLDS) / max(len(items), 1)
    names, columns = np.unique(queries[items], return_inverse=True)
    design = np.hstack([np.ones((len(items), 1)), features[items], np.eye(len(names))[columns]])
    place = np.full(int(queries.max(initial=0)) + 1, len(names))
    place[names] = np.arange(len(names))
    everywhere, answered = np.zeros(len(features)), np.zeros(len(items))
    for fold in range(FOLDS):
        left_out = groups == fold
        if not left_out.any():
            continue
        found = logistic(design[~left_out], answers[~left_out])
        n = features.shape[1] + 1
        effects = np.r_[found[n:], 0.0]
        predicted = _sigmoid(found[0] + features @ found[1:n] + effects[place[queries]])
        everywhere += counts[fold] * predicted
        answered[left_out] = predicted[items[left_out]]
    everywhere[items] = answered
    return Calibration(everywhere, answered)


def _folds(items: Ints) -> Ints:
    """(m,) a fold for each answer, of equal sizes; an item that is there twice is in one fold."""
    names, inverse = np.unique(items, return_inverse=True)
    return (np.random.default_rng(0).permutation(len(names)) % FOLDS)[inverse]


def logistic(design: Floats, answers: Floats, ridge: float = RIDGE) -> Floats:
    """(F,) coefficients of a logistic regression with a ridge on all but the first, by Newton's method.

    >>> design = np.array([[1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [1.0, 1.0]])  # a constant and a feature
    >>> print(*logistic(design, np.array([0.0, 1.0, 1.0, 1.0]), ridge=0.1).round(1))
    1.6 1.5
    """
    found = np.zeros(design.shape[1])
    penalty = np.full(design.shape[1], ridge)
    # The intercept is free, but for what keeps it finite where all answers are equal.
    penalty[0] = min(ridge, 1e-2)
    for _ in range(50):
        chance = _sigmoid(design @ found)
        bend = (design.T * (chance * (1 - chance))) @ design
        bend[np.diag_indices_from(bend)] += penalty
        step = np.linalg.solve(bend, design.T @ (answers - chance) - penalty * found)
        found += step
        if np.abs(step).max() < 1e-8:
            break
    return found


def _sigmoid(x: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(x, -30, 30)))


def corrected_means(parts: MeanParts, calibration: Calibration, sampled: Sampled, grader: Floats) -> CorrectedMeans:
    """Means of what humans would say, by the difference estimator, with intervals from the sampling.

    A mean is a sum over passages of a part (1/k over the number of queries, where a run holds it in its first k) times
    the answer. It is that sum over the calibrated grades, plus the weighted sum of human minus calibrated over the
    sample. Intervals are over other samples of the same passages, answered by other such people: Deville's variance for
    samples of unequal probabilities, what answers add to it that are not the same each time, and Student's t with the
    effective number of answers that a run has.

    Parameters
    ----------
    grader : (R,) the grader's own means

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
    tuning, constant = _tuned(sampled.answers, calibration.answered, matter)
    left = sampled.answers - constant - tuning * calibration.answered
    pieces = parts.answered * (weights * left)
    mean = tuning * parts.predicted + constant * parts.whole + pieces.sum(axis=1)
    mistakes = _answers_variance(parts, sampled)
    # Deville's variance has 1 - 1/weight of what the answers vary by: the more is answered, the less of it.
    again = np.nan_to_num(mistakes) * (parts.answered * (weights / sampled.people)) @ parts.answered.T
    covariance = _covariance(pieces, weights) + again
    # Where nearly all is answered, few pieces say how uncertain the rest is: less so than its chances, never.
    variance = np.maximum(np.diag(covariance), parts.unknown + np.diag(again))
    freedom = _freedom(parts.answered * weights)
    reach = stdtrit(freedom, (1 + LEVEL) / 2) * np.sqrt(variance)
    apart_by = np.eye(len(mean)) - 1 / len(mean)
    noise = np.diag(apart_by @ covariance @ apart_by)
    shrunk, pulled = shrink(mean, grader, noise)
    # A run that is unlike the others is not pulled out of its own interval (Efron and Morris 1972).
    within = np.clip(shrunk, mean - reach, mean + reach)
    return CorrectedMeans(mean, mean - reach, mean + reach, within, pulled, tuning, mistakes, covariance, freedom)


def _answers_variance(parts: MeanParts, sampled: Sampled) -> float:
    """By how much answers of several people about one item vary, on average over what the means are made of.

    Each item with k answers, a share p of them yes, says p (1 - p) k / (k - 1): half of the disagreements of two.

    Returns
    -------
    NaN where no item has several answers
    """
    p, people = sampled.answers[sampled.several], sampled.people[sampled.several]
    counts = (people - 1) * (sampled.weights * (parts.answered**2).sum(axis=0))[sampled.several]
    total = counts.sum()
    return float(counts @ (p * (1 - p) * people / (people - 1)) / total) if total > 0 else np.nan


def _tuned(answers: Floats, predicted: Floats, weights: Floats) -> tuple[float, float]:
    """How much of the predictions to use, from 0 to 1, and the constant beside them: weighted least squares."""
    total = weights.sum()
    if not total > 0:
        weights, total = np.ones(len(answers)), float(len(answers))
    middle, level = (weights @ predicted) / total, (weights @ answers) / total
    spread = weights @ (predicted - middle) ** 2
    slope = float(np.clip(weights @ ((predicted - middle) * (answers - level)) / spread, 0, 1)) if spread > 0 else 0.0
    return slope, float(level - slope * middle)


def shrink(mean: Floats, grader: Floats, noise: Floats) -> tuple[Floats, float]:
    """The grader's means plus a correction for each, which is pulled towards the common one as far as it is noise.

    Parameters
    ----------
    noise : (R,) variances of what the corrections differ by

    Returns
    -------
    (R,) means, and how far corrections are pulled on average: 1 leaves one for all

    Source: Efron and Morris 1975 (empirical Bayes).

    >>> means, pulled = shrink(np.array([0.3, 0.5]), grader=np.array([0.4, 0.4]), noise=np.array([0.01, 0.01]))
    >>> print(means.round(2), round(pulled, 2))  # half of the corrections' variance is noise
    [0.35 0.45] 0.5
    """
    correction = mean - grader
    common = correction.mean()
    spread = ((correction - common) ** 2).sum() / max(len(mean) - 1, 1) - noise.mean()
    kept = spread / (spread + noise) if spread > 0 else np.zeros(len(mean))
    return grader + common + kept * (correction - common), float(1 - kept.mean())


def _covariance(pieces: Floats, weights: Floats) -> Floats:
    """(R, R) covariances of the sums of (R, m) pieces that were drawn with probabilities 1 over weights."""
    n = len(weights)
    chance = 1 - 1 / weights
    total = chance.sum()
    if n < 2 or total <= 0:
        return np.full((len(pieces), len(pieces)), 0.0 if n > 1 else np.nan)
    off = pieces - (pieces @ chance / total)[:, None]
    return (off * chance) @ off.T * n / (n - 1)


def _freedom(weighted: Floats) -> Floats:
    """(R,) degrees of freedom for intervals of each run: Kish's effective number of its answers, less one."""
    squares = (weighted**2).sum(axis=1)
    effective = weighted.sum(axis=1) ** 2 / np.where(squares > 0, squares, 1)
    return np.maximum(effective - 1, 1)
