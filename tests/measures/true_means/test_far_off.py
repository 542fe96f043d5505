"""Runs that are far off: which they are, and that they keep their place while the model is of the others."""

from __future__ import annotations

import numpy as np
import pytest

from exam_core.bench.boards import Shape, board
from exam_core.measures.correlation import correlations
from exam_core.measures.true_means.far_off import FAR, far_off, put_back
from exam_core.measures.true_means.intervals import _drawn, true_correlations


def one_board(means, spread=0.1):
    """(1, R, 4) values whose means are these, with deviations of the same size for each run."""
    return np.array(means)[None, :, None] + spread * np.array([[1, -1, 1, -1], [1, 1, -1, -1]] * 9)[: len(means)]


# The others have a mean of 0 and a deviation of the root of (1 + 0 + 1) / 2 = 1.
@pytest.mark.parametrize(("distance", "far"), [(FAR - 0.01, 0), (FAR + 0.01, 1)])
def test_a_run_is_far_off_from_so_many_deviations_of_the_others_on(distance, far):
    assert far_off(one_board([-1, 0, 1, distance])).tolist() == [0, 0, 0, far]
    assert far_off(one_board([-1, -distance, 0, 1])).tolist() == [0, -far, 0, 0]


def test_a_run_whose_order_is_not_sure_is_not_far_off():
    assert not far_off(one_board([-1, 0, 1, 6], spread=5)).any()


def test_a_run_has_to_be_far_off_on_both_boards_at_the_same_end():
    last, first, within = (one_board([-1, 0, 1, place])[0] for place in (-9, 9, 0.5))
    assert far_off(np.stack([last, last])).tolist() == [0, 0, 0, -1]
    assert not far_off(np.stack([last, first])).any()
    assert not far_off(np.stack([last, within])).any()


def test_values_that_do_not_count_are_left_out():
    values = one_board([-1, 0, 1, 9])
    values[0, 3, 2:] = np.nan  # its mean is then 9.1 or 9
    assert far_off(values).tolist() == [0, 0, 0, 1]
    values[0, 3, 1] = np.nan  # of one value nobody knows how sure it is
    assert not far_off(values).any()


def test_runs_come_back_beyond_all_others():
    found = put_back(np.array([[3.0, -5.0], [0.5, 0.0]]), np.array([0, 1, 0, -1]))
    assert found.argsort(axis=1).tolist() == [[3, 2, 0, 1], [3, 2, 0, 1]]
    assert found[:, [0, 2]].tolist() == [[3.0, -5.0], [0.5, 0.0]]


@pytest.mark.parametrize("by_query", [False, True], ids=["ranks", "measure"])
def test_the_model_is_that_of_the_others(by_query):
    made = board(Shape("far", 14, 30, 0.9, families=4, far=True), np.random.default_rng(8))
    values, reference = made.values[[13, *range(13)]], made.others if by_query else made.other_truth
    reference = reference[[13, *range(13)]]
    drawn = _drawn(values, reference, 200, np.random.default_rng(1), None)[0]
    assert (drawn.argmin(axis=1) == 0).all()
    if by_query:
        alone = _drawn(values[1:], reference[1:], 200, np.random.default_rng(1), None)
        np.testing.assert_allclose(drawn[:, 1:], alone[0])


def test_among_few_runs_none_is_set_aside():
    made = board(Shape("far", 5, 30, 0.9, far=True), np.random.default_rng(8))
    found = true_correlations(made.values[None], made.other_truth, draws=50)
    assert np.isfinite(found.low.kendall).all()


def test_others_that_tie_in_the_reference_leave_an_interval():
    made = board(Shape("far", 12, 30, 0.9, far=True), np.random.default_rng(8))
    reference = np.zeros(12)
    reference[11] = -1
    assert far_off(made.values[None])[11] == -1
    found = true_correlations(made.values[None], reference, draws=50)
    observed = correlations(made.values.mean(axis=1)[None], reference).kendall
    assert found.low.kendall[0] <= observed[0] <= found.high.kendall[0]
