"""Runs that are far off, to the model: which they are, and that they are left where they are."""

import numpy as np
import pytest

from benchmarks.boards import Shape, board
from exam_core.numbers.true_means.intervals import _drawn
from exam_core.numbers.true_means.observed import FAR, far_off


def slow(means, run):
    others = np.delete(means, run)
    return abs(means[run] - others.mean()) > FAR * others.std(ddof=1)


@pytest.mark.parametrize("boards", [1, 2])
def test_a_run_is_far_off_if_it_is_so_from_the_others_on_every_board(boards):
    rng = np.random.default_rng(3)
    for _ in range(40):
        means = rng.normal(size=(boards, 9))
        means[:, 4] = means[:, [4]].mean() + rng.uniform(2, 8) * rng.choice([-1, 1], boards)
        expected = [all(slow(one, run) for one in means) for run in range(9)]
        assert far_off(means).tolist() == expected


def test_of_runs_with_one_mean_none_is_far_off():
    assert not far_off(np.full((2, 5), 0.3)).any()


@pytest.mark.parametrize("side", [-1, 1])
def test_a_run_far_off_stays_there_and_the_others_are_drawn_as_without_it(side):
    made = board(Shape("x", runs=8, queries=40, correlation=0.9), np.random.default_rng(1))
    values, others = (np.concatenate([one, side * 30 + one[:1]]) for one in (made.values, made.others))
    actual, without = (
        _drawn(one, other, 50, np.random.default_rng(2), 43)
        for one, other in ((values, others), (made.values, made.others))
    )
    for with_it, alone in zip(actual, without, strict=True):
        np.testing.assert_array_equal(with_it[:, :8], alone)
        assert (side * (with_it[:, 8:] - alone) > 0).all()


def test_where_too_few_would_be_left_or_they_are_tied_nobody_is_left_out():
    rng = np.random.default_rng(4)
    few = rng.normal(size=(5, 30))
    few[0] += 100
    tied = np.array([np.roll(np.arange(30.0), shift) for shift in range(7)])
    tied[0] += 100
    for values in (few, tied):
        actual, _ = _drawn(values, np.arange(len(values), dtype=float), 20, np.random.default_rng(2), None)
        assert np.isfinite(actual).all()
