"""Runs that are far off, to the model: which they are, and that they are like no other."""

from __future__ import annotations

import numpy as np
import pytest

from exam_core.bench.boards import Shape, board
from exam_core.measures.true_means.observed import FAR, far_off, observed


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


def test_errors_stay_and_only_what_is_alike_forgets_a_run_that_is_far_off():
    shape = {"runs": 8, "queries": 40, "correlation": 0.9, "families": 2}
    near, far = (
        observed(np.stack([made.values, made.others]))
        for made in (board(Shape("x", **shape, far=far), np.random.default_rng(1)) for far in (False, True))
    )
    np.testing.assert_array_equal(near.alike, near.noise)
    contrasts = np.kron(np.eye(2), far.contrasts)
    of_runs = contrasts @ (far.noise - far.alike) @ contrasts.T
    # The last run's covariances with others are gone. Contrasts see that but for what moves all runs of a board alike.
    inner = of_runs[:7, :7]
    assert np.abs(of_runs).max() > 1e-3
    np.testing.assert_allclose(inner - inner.mean(axis=0) - inner.mean(axis=1)[:, None] + inner.mean(), 0, atol=1e-12)
