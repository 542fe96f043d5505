"""Corrected means: equal to a slow twin, exact where everything is answered."""

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from exam_core.wings.reviews.corrected import ONCE
from exam_core.wings.reviews.estimates import (
    Calibration,
    CorrectedMeans,
    MeanParts,
    Sampled,
    calibrate,
    corrected_means,
    inclusion_probabilities,
    logistic,
    pivotal,
    shrink,
)
from tests.test_docs import ROOT


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
    sampled = Sampled(np.arange(40), np.full(40, answer), np.ones(40), np.ones(40, int))
    found = calibrate(np.zeros((50, 2)), np.zeros(50, int), sampled)
    assert np.abs(found.everywhere - answer).max() < 0.2


def world(seed, items=300, runs=4, n=80, people=1):
    """A third of the answered items has answers of several people, who may differ."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(items, 2))
    truth = (rng.random(items) < 1 / (1 + np.exp(-2 * features[:, 0]))).astype(float)
    adds = (rng.random((runs, items)) < 0.5) / items
    chances = rng.uniform(0.1, 0.5, items)
    chances *= n / chances.sum()
    sample = np.flatnonzero(rng.random(items) < chances)
    counts = np.where(np.arange(len(sample)) % 3, 1, people)
    yes = rng.binomial(counts, 0.8 * truth[sample] + 0.1) if people > 1 else truth[sample]
    return features, truth, adds, Sampled(sample, yes / counts, 1 / chances[sample], counts)


def parts_of(adds, sampled, calibration):
    chance = calibration.everywhere
    left = np.ones(len(chance), bool)
    left[sampled.items] = False
    return MeanParts(
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
    means, variances, spread = [], [], slow_spread(adds, sampled)
    for run in range(runs):
        model = sum(adds[run, i] * (level + slope * (f - middle)) for i, f in enumerate(calibration.everywhere))
        pieces = [
            adds[run, sampled.items[i]] * weights[i] * (answers[i] - level - slope * (predicted[i] - middle))
            for i in range(m)
        ]
        factors = [1 - 1 / w for w in weights]
        centre = sum(f * p for f, p in zip(factors, pieces, strict=True)) / sum(factors)
        means.append(model + sum(pieces))
        drawn = sum(f * (p - centre) ** 2 for f, p in zip(factors, pieces, strict=True)) * m / (m - 1)
        again = sum(weights[i] * adds[run, sampled.items[i]] ** 2 * spread / sampled.people[i] for i in range(m))
        variances.append(drawn + again)
    return np.array(means), np.array(variances)


def slow_spread(adds, sampled):
    """Half of the share of pairs of answers about one item that differ; an item counts by what it adds and stands for.

    One with k answers counts k - 1 times, as the variance within groups has it.
    """
    differ = counted = 0.0
    for place, item in enumerate(sampled.items):
        k = sampled.people[place]
        yes = round(sampled.answers[place] * k)
        if k > 1:
            weight = sampled.weights[place] * sum(run[item] ** 2 for run in adds) * (k - 1)
            differ += weight * (yes * (k - yes)) / (k * (k - 1) / 2) / 2
            counted += weight
    return differ / counted if counted else 0.0


@pytest.mark.parametrize("people", [1, 2, 3])
@pytest.mark.parametrize("seed", range(2))
def test_corrected_means_are_those_of_the_slow_twin(seed, people):
    features, _, adds, sampled = world(seed, people=people)
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
    sampled = Sampled(np.arange(len(truth)), truth, np.ones(len(truth)), np.full(len(truth), 2))
    calibration = calibrate(features, np.zeros(len(truth), int), sampled)
    found = corrected_means(parts_of(adds, sampled, calibration), calibration, sampled, np.zeros(4))
    assert found.mean == pytest.approx(adds @ truth, abs=1e-12)
    assert found.low == pytest.approx(found.high, abs=1e-12)
    assert np.concatenate(found.together()) == pytest.approx(np.tile(found.mean, 2), abs=1e-12)


@pytest.mark.parametrize("people", [1, 2])
def test_nothing_is_known_of_mistakes_where_nobody_answers_what_somebody_else_did(people):
    features, _, adds, sampled = world(5, people=people)
    calibration = calibrate(features, np.zeros(len(features), int), sampled)
    parts = parts_of(adds, sampled, calibration)
    found = corrected_means(parts, calibration, sampled, np.zeros(4))
    assert np.isnan(found.mistakes) == (people == 1)
    # yes is said with chance 0.1 or 0.9, so that the variance is 0.09
    assert people == 1 or found.mistakes == pytest.approx(0.09, abs=0.06)


def test_what_is_answered_in_whole_by_people_who_err_has_the_interval_of_their_errors():
    """200 times all is answered anew: the means vary by as much as is said."""
    features, truth, adds, _ = world(11, items=120)
    rng, chance = np.random.default_rng(1), 0.8 * truth + 0.1
    people, means, said = np.full(len(truth), 2), [], []
    for _ in range(200):
        sampled = Sampled(np.arange(len(truth)), rng.binomial(people, chance) / people, np.ones(len(truth)), people)
        calibration = calibrate(features, np.zeros(len(truth), int), sampled)
        found = corrected_means(parts_of(adds, sampled, calibration), calibration, sampled, np.zeros(4))
        means.append(found.mean)
        said.append(np.diag(found.covariance))
    assert np.mean(said) == pytest.approx(np.var(means, axis=0).mean(), rel=0.15)
    assert np.mean(means, axis=0) == pytest.approx(adds @ chance, abs=0.005)


def test_intervals_of_all_runs_at_once_hold_as_often_as_one_of_all_alone():
    """Of two runs that are one, they are those of one; of independent ones, at the level of Sidak."""
    rng = np.random.default_rng(2)
    one = CorrectedMeans(*[np.zeros(8)] * 4, 0.0, 1.0, np.nan, np.zeros((8, 8)), np.full(8, 1e9))
    one = replace(one, low=np.full(8, -1.959964), high=np.full(8, 1.959964))
    alike = replace(one, covariance=np.ones((8, 8))).together(20_000)[1]
    apart = replace(one, covariance=np.eye(8)).together(20_000)[1]
    assert alike == pytest.approx(np.full(8, 1.96), abs=0.05)
    # 1 - 0.95^(1/8) on both sides
    assert apart == pytest.approx(np.full(8, 2.727), abs=0.05)
    errors = np.abs(rng.standard_normal((20_000, 8))).max(axis=1)
    assert (errors < apart[0]).mean() == pytest.approx(0.95, abs=0.01)


def test_no_answer_predicts_itself():
    """One answer turned round changes what is predicted of others, but never of itself."""
    features, _, _, sampled = world(3)
    before = calibrate(features, np.zeros(len(features), int), sampled)
    turned = sampled.answers.copy()
    turned[5] = 1 - turned[5]
    after = calibrate(features, np.zeros(len(features), int), replace(sampled, answers=turned))
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


def test_probabilities_are_in_proportion_and_add_up():
    # 10 and 30 of 100, three drawn: 0.3 and 0.9; 60 would be 1.8, so it is certain, and two are left for 40.
    found = inclusion_probabilities(np.array([10.0, 30.0, 60.0]), 2)
    assert found == pytest.approx([0.25, 0.75, 1.0])
    assert inclusion_probabilities(np.array([1.0, 1.0, 2.0]), 2) == pytest.approx([0.5, 0.5, 1.0])


@pytest.mark.parametrize("n", [1, 7, 50, 99, 100, 200])
def test_no_probability_is_above_one_and_their_sum_is_the_sample(n):
    sizes = np.random.default_rng(n).pareto(1, 100) + 0.01
    found = inclusion_probabilities(sizes, n)
    assert found.sum() == pytest.approx(min(n, 100))
    assert ((found > 0) & (found <= 1)).all()


def test_each_item_comes_as_often_as_its_probability_says():
    chances = inclusion_probabilities(np.arange(1.0, 21.0), 6)
    rng = np.random.default_rng(0)
    draws = 4000
    counts = np.zeros(20)
    for _ in range(draws):
        sample = pivotal(chances, rng)
        assert len(sample) == len(set(sample)) == 6
        counts[sample] += 1
    error = np.sqrt(chances * (1 - chances) / draws)
    assert (np.abs(counts / draws - chances) < 4.5 * error + 1e-12).all()


def test_the_sample_comes_in_random_order():
    # Whoever stops after one item has answered a random item of the sample, not always the largest.
    chances = np.array([1.0, 1.0, 0.5, 0.5])
    rng = np.random.default_rng(1)
    firsts = np.bincount([pivotal(chances, rng)[0] for _ in range(3000)], minlength=4) / 3000
    assert firsts == pytest.approx([1 / 3, 1 / 3, 1 / 6, 1 / 6], abs=0.04)


def test_all_are_drawn_where_there_are_no_more():
    assert sorted(pivotal(inclusion_probabilities(np.ones(5), 9), np.random.default_rng(0))) == [0, 1, 2, 3, 4]


def test_what_a_note_says_of_intervals_is_what_the_benchmark_measured():
    rows = json.loads((ROOT / "benchmarks" / "reviews-dl19.json").read_text(encoding="utf-8"))["rows"]
    twice, once = ([row for row in rows if bool(row["twice"]) == several] for several in (True, False))
    held, together = ([row[key] for row in twice] for key in ("holds", "holds_all"))
    assert (min(held) >= 0.93, max(held) <= 0.97, min(together) >= 0.9) == (True, True, True)
    shares = [row["holds"] for row in once if row["n"] == 800]
    assert f"{min(shares):.0%} to {max(shares):.0%}" in ONCE
