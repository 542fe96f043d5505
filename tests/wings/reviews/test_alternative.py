"""The alternative annotator test: as by hand, as with loops, and its limits."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control, ttest_1samp

from exam_core.wings.reviews.compared_reviews import alternative_annotator, benjamini_yekutieli

NAN = np.nan


def slow(answers, model, alignment, epsilon, least):
    """The test with loops over reviewers and items: p, model's and human's shares for each tested reviewer."""

    def score(one, others):
        if alignment == "accuracy":
            return sum(one == other for other in others) / len(others)
        return -((sum((one - other) ** 2 for other in others) / len(others)) ** 0.5)

    found = {}
    for reviewer, own in enumerate(answers):
        model_wins, human_wins = [], []
        for item, answer in enumerate(own):
            others = [row[item] for place, row in enumerate(answers) if place != reviewer and row[item] == row[item]]
            if answer != answer or model[item] != model[item] or not others:
                continue
            model_wins.append(score(model[item], others) >= score(answer, others))
            human_wins.append(score(answer, others) >= score(model[item], others))
        if len(model_wins) >= least:
            differences = np.array(human_wins, float) - np.array(model_wins, float)
            p = ttest_1samp(differences, epsilon, alternative="less").pvalue
            found[reviewer] = (p, np.mean(model_wins), np.mean(human_wins))
    return found


@pytest.mark.parametrize("alignment", ["accuracy", "rmse"])
@pytest.mark.parametrize("seed", range(4))
def test_the_test_is_that_of_loops(seed, alignment):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, 80)
    noisy = [np.where(rng.random(80) < noise, rng.integers(0, 4, 80), truth) for noise in (0.2, 0.4, 0.5, 0.3)]
    answers = np.array(noisy[:3], float)
    answers[rng.random(answers.shape) < 0.3] = NAN
    model = np.where(rng.random(80) < 0.1, NAN, noisy[3])
    found = alternative_annotator(answers, model, alignment, epsilon=0.15)
    expected = slow(answers.tolist(), model.tolist(), alignment, 0.15, 30)
    assert set(np.flatnonzero(~np.isnan(found.p))) == set(expected)
    for reviewer, (p, of_model, of_human) in expected.items():
        told = found.p[reviewer], found.model[reviewer], found.human[reviewer]
        assert told == pytest.approx((p, of_model, of_human), abs=1e-9)
    assert found.advantage == pytest.approx(np.mean([one[1] for one in expected.values()]))


def test_a_model_that_is_always_as_good_replaces_everybody_and_a_bad_one_nobody():
    truth = np.random.default_rng(0).integers(0, 2, 40).astype(float)
    answers = np.array([truth] * 3)
    good, bad = alternative_annotator(answers, truth), alternative_annotator(answers, 1 - truth)
    assert (good.winning_rate, good.advantage, good.passed) == (1, 1, True)
    assert (bad.winning_rate, bad.advantage, bad.passed) == (0, 0, False)


def test_who_shares_too_few_items_is_not_tested():
    answers = np.ones((3, 40))
    answers[2, 29:] = NAN
    found = alternative_annotator(answers, np.ones(40))
    assert np.isnan(found.p).tolist() == [False, False, True]
    assert (found.winning_rate, found.n.tolist()) == (1, [40, 40, 29])


def test_an_item_of_one_reviewer_alone_does_not_count():
    answers = np.array([[1.0] * 40, [NAN] * 40])
    found = alternative_annotator(answers, np.ones(40))
    assert found.n.tolist() == [0, 0]
    assert np.isnan(found.winning_rate)
    assert not found.passed


def test_a_larger_epsilon_never_makes_the_test_harder():
    rng = np.random.default_rng(4)
    answers, model = rng.integers(0, 2, (3, 60)).astype(float), rng.integers(0, 2, 60).astype(float)
    p = [alternative_annotator(answers, model, epsilon=epsilon).p for epsilon in (0.0, 0.1, 0.2, 0.5)]
    assert (np.diff(p, axis=0) <= 0).all()


@pytest.mark.parametrize("seed", range(5))
def test_rejections_are_those_of_scipys_adjusted_p(seed):
    p = np.random.default_rng(seed).beta(0.3, 2, 12)
    assert benjamini_yekutieli(p).tolist() == (false_discovery_control(p, method="by") <= 0.05).tolist()
