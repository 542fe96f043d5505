"""Choosing a candidate on half of the queries: by hand, by a slow twin, and what must always hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from exam_core.wings.comparing.cutoffs import cross_validate, halves

SEEDS = st.integers(0, 10_000)


def random_values(seed, *, candidates=3, runs=5, queries=7):
    """Values with ties, and a reference by query."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 4, (candidates, runs, queries)) / 3, rng.integers(0, 4, (runs, queries)) / 3


def slow(values, reference, training):
    """Wins and mean held-out Kendall, by loops and scipy."""
    wins, held = np.zeros(len(values)), [[] for _ in values]
    for mask in training:
        truth = [reference if reference.ndim == 1 else reference[:, side].mean(axis=1) for side in (mask, ~mask)]
        train = [rounded(kendalltau(one[:, mask].mean(axis=1).round(9), truth[0].round(9))) for one in values]
        if not np.isnan(train).all():
            wins[train.index(np.nanmax(train))] += 1
        for place, one in enumerate(values):
            found = kendalltau(one[:, ~mask].mean(axis=1).round(9), truth[1].round(9)).statistic
            if not np.isnan(found):
                held[place].append(found)
    enough = [np.mean(found) if len(found) >= 0.9 * len(training) else np.nan for found in held]
    return wins / wins.sum(), enough


def rounded(found):
    return round(float(found.statistic), 9)


@given(n=st.integers(0, 40), splits=st.integers(1, 20), seed=SEEDS)
def test_each_half_has_half_of_the_queries(n, splits, seed):
    assert halves(n, splits, seed).sum(axis=1).tolist() == [n // 2] * splits


def test_one_split_by_hand():
    # Reference: run 2 best, then 1, then 0. Query 0 is for training, query 1 held out.
    # Candidate A on query 0: 0.1, 0.2, 0.3, all pairs right: 1. On query 1: 0.3, 0.2, 0.1: -1.
    # Candidate B on query 0: 0.2, 0.1, 0.3, two of three pairs right: 1/3. On query 1: 0.1, 0.2, 0.3: 1.
    values = np.array([[[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]], [[0.2, 0.1], [0.1, 0.2], [0.3, 0.3]]])
    found = cross_validate(values, np.array([1.0, 2.0, 3.0]), np.array([[True, False]]))
    assert (found.wins.tolist(), found.kendall.tolist(), found.best, found.of_winner) == ([1, 0], [-1, 1], 1, -1)


@pytest.mark.parametrize("by_query", [False, True], ids=["fixed reference", "reference by query"])
@given(seed=SEEDS)
def test_wins_and_held_out_kendalls_are_those_of_a_slow_loop(by_query, seed):
    values, reference = random_values(seed)
    reference = reference if by_query else np.arange(5.0)
    training = halves(7, 6, seed)
    found = cross_validate(values, reference, training)
    wins, kendall = slow(values, reference, training)
    np.testing.assert_allclose(found.wins, wins, atol=1e-9)
    np.testing.assert_allclose(found.kendall, kendall, atol=1e-8)


@pytest.mark.parametrize("queries", [0, 1], ids=["no query", "one query"])
def test_without_two_queries_nothing_is_best(queries):
    values, reference = random_values(4, queries=queries)
    found = cross_validate(values, reference, halves(queries, 5))
    assert found.best is None
    assert np.isnan([*found.wins, *found.kendall, found.of_winner]).all()
