"""Samples of known probabilities."""

import numpy as np
import pytest

from exam_core.wings.reviews.estimates import inclusion_probabilities, pivotal


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
