"""Corrected means: equal to a slow twin, exact where everything is answered."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from exam_core.measures.corrected import (
    Calibration,
    Parts,
    Sampled,
    calibrate,
    corrected_means,
    logistic,
    shrink,
)


def test_the_calibration_is_scikit_learns():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(200, 3))
    answers = (rng.random(200) < 1 / (1 + np.exp(-features[:, 0]))).astype(float)
    # Without an intercept of their own, all coefficients bear the ridge there; ours leaves the first one free.
    design = np.hstack([np.ones((200, 1)), features])
    theirs = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(features, answers)
    assert logistic(design, answers)[1:] == pytest.approx(theirs.coef_[0], abs=2e-3)
    assert logistic(design, answers)[0] == pytest.approx(theirs.intercept_[0], abs=2e-3)


@pytest.mark.parametrize("answer", [0.0, 1.0])
def test_equal_answers_have_a_calibration(answer):
    found = calibrate(np.zeros((50, 2)), np.zeros(50, int), Sampled(np.arange(40), np.full(40, answer), np.ones(40)))
    assert np.abs(found.everywhere - answer).max() < 0.2


def world(seed, items=300, runs=4, n=80):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(items, 2))
    truth = (rng.random(items) < 1 / (1 + np.exp(-2 * features[:, 0]))).astype(float)
    adds = (rng.random((runs, items)) < 0.5) / items
    chances = rng.uniform(0.1, 0.5, items)
    chances *= n / chances.sum()
    sample = np.flatnonzero(rng.random(items) < chances)
    return features, truth, adds, Sampled(sample, truth[sample], 1 / chances[sample])


def parts_of(adds, sampled, calibration):
    chance = calibration.everywhere
    left = np.ones(len(chance), bool)
    left[sampled.items] = False
    return Parts(
        adds[:, sampled.items],
        adds @ chance,
        adds.sum(axis=1),
        (adds[:, left] ** 2 * np.maximum(chance * (1 - chance), 0.02)[left]).sum(axis=1),
    )


def slow(adds, calibration, sampled):
    """The same, item by item."""
    runs, m = len(adds), len(sampled.items)
    weights, answers, predicted = sampled.weights, sampled.answers, calibration.answered
    matter = [
        weights[i] * (weights[i] - 1) * sum(adds[r, sampled.items[i]] ** 2 for r in range(runs)) for i in range(m)
    ]
    total = sum(matter)
    middle = sum(w * f for w, f in zip(matter, predicted, strict=True)) / total
    level = sum(w * y for w, y in zip(matter, answers, strict=True)) / total
    above = sum(w * (f - middle) * (y - level) for w, f, y in zip(matter, predicted, answers, strict=True))
    slope = min(max(above / sum(w * (f - middle) ** 2 for w, f in zip(matter, predicted, strict=True)), 0), 1)
    means, variances = [], []
    for run in range(runs):
        model = sum(adds[run, i] * (level + slope * (f - middle)) for i, f in enumerate(calibration.everywhere))
        pieces = [
            adds[run, sampled.items[i]] * weights[i] * (answers[i] - level - slope * (predicted[i] - middle))
            for i in range(m)
        ]
        factors = [1 - 1 / w for w in weights]
        centre = sum(f * p for f, p in zip(factors, pieces, strict=True)) / sum(factors)
        means.append(model + sum(pieces))
        variances.append(sum(f * (p - centre) ** 2 for f, p in zip(factors, pieces, strict=True)) * m / (m - 1))
    return np.array(means), np.array(variances)


@pytest.mark.parametrize("seed", range(4))
def test_corrected_means_are_those_of_the_slow_twin(seed):
    features, _, adds, sampled = world(seed)
    calibration = calibrate(features, np.zeros(len(features), int), sampled)
    found = corrected_means(parts_of(adds, sampled, calibration), calibration, sampled, adds.sum(axis=1) / 2)
    means, variances = slow(adds, calibration, sampled)
    assert found.mean == pytest.approx(means, abs=1e-12)
    weighted = adds[:, sampled.items] * sampled.weights
    effective = weighted.sum(axis=1) ** 2 / (weighted**2).sum(axis=1)
    from scipy import stats

    assert found.high - found.mean == pytest.approx(stats.t.ppf(0.975, effective - 1) * np.sqrt(variances), abs=1e-12)


def test_where_everything_is_answered_the_truth_comes_out_without_an_interval():
    features, truth, adds, _ = world(7)
    sampled = Sampled(np.arange(len(truth)), truth, np.ones(len(truth)))
    calibration = calibrate(features, np.zeros(len(truth), int), sampled)
    found = corrected_means(parts_of(adds, sampled, calibration), calibration, sampled, np.zeros(4))
    assert found.mean == pytest.approx(adds @ truth, abs=1e-12)
    assert found.low == pytest.approx(found.high, abs=1e-12)


def test_no_answer_predicts_itself():
    """One answer turned round changes what is predicted of others, but never of itself."""
    features, _, _, sampled = world(3)
    before = calibrate(features, np.zeros(len(features), int), sampled)
    turned = sampled.answers.copy()
    turned[5] = 1 - turned[5]
    after = calibrate(features, np.zeros(len(features), int), Sampled(sampled.items, turned, sampled.weights))
    assert after.answered[5] == before.answered[5] == before.everywhere[sampled.items[5]]
    assert (after.answered != before.answered).any()


def test_contrary_predictions_are_not_used():
    features, _, adds, sampled = world(1)
    contrary = 1 - sampled.answers
    calibration = Calibration(np.full(len(features), 0.5), contrary)
    found = corrected_means(parts_of(adds, sampled, calibration), calibration, sampled, np.zeros(4))
    assert found.tuning == 0


def test_corrections_without_a_difference_become_one_for_all():
    # The corrections -0.1, -0.2 and -0.3 differ by less than their noise: each run gets -0.2.
    grader = np.array([0.8, 0.7, 0.6])
    found, pulled = shrink(np.array([0.7, 0.5, 0.3]), grader, np.full(3, 1.0))
    assert found == pytest.approx(grader - 0.2)
    assert pulled == 1


def test_corrections_without_noise_stay():
    found, pulled = shrink(np.array([0.7, 0.5, 0.3]), np.array([0.8, 0.7, 0.6]), np.zeros(3))
    assert found == pytest.approx([0.7, 0.5, 0.3])
    assert pulled == 0


def test_corrections_are_pulled_as_far_as_they_are_noise():
    # Corrections -0.1, -0.2, -0.3: variance 0.01, half of it noise, so each goes half of the way to -0.2.
    found, pulled = shrink(np.array([0.7, 0.5, 0.3]), np.array([0.8, 0.7, 0.6]), np.full(3, 0.005))
    assert found == pytest.approx([0.65, 0.5, 0.35])
    assert pulled == pytest.approx(0.5)
