"""Correlation of errors and effective votes: against numpy, by hand, and at both ends of what they can be."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from exam_core.numbers.resampling import bootstrap_counts
from exam_core.wings.trust.votes import (
    Sums,
    effective_votes,
    mean_correlation,
    phi,
    sums_by_query,
    together,
    votes_interval,
)

ERRORS = st.integers(2, 5).flatmap(
    lambda graders: st.lists(st.lists(st.booleans(), min_size=graders, max_size=graders), min_size=1, max_size=30)
)


def correlations(marks, query=None, counts=None):
    query = np.zeros(len(marks), np.int64) if query is None else query
    return phi(together(sums_by_query(marks, query, int(query.max(initial=0)) + 1), counts))


def votes_of(marks):
    return float(effective_votes(marks.shape[1], mean_correlation(correlations(marks))))


@given(ERRORS)
def test_phi_is_pearsons_correlation(rows):
    marks = np.array(rows, bool)
    found, varied = correlations(marks), marks.any(axis=0) & ~marks.all(axis=0)
    assert np.isnan(found[~varied]).all()
    if varied.any():
        expected = np.corrcoef(marks[:, varied].T.astype(float))
        assert found[np.ix_(varied, varied)] == pytest.approx(np.atleast_2d(expected))


@given(st.lists(st.booleans(), min_size=2, max_size=40).filter(lambda row: 0 < sum(row) < len(row)), st.integers(2, 9))
def test_copies_of_a_grader_are_one_vote(row, graders):
    assert votes_of(np.array([row] * graders).T) == pytest.approx(1)


@pytest.mark.parametrize("graders", [2, 3, 8])
def test_graders_with_independent_errors_are_as_many_votes(graders):
    # Every combination of right and wrong occurs once.
    assert votes_of(np.array(list(product([False, True], repeat=graders)))) == pytest.approx(graders)


def test_votes_by_hand():
    # Errors that make up for each other, r = -1/3: 3 / (1 + 2 (-1/3)) = 9
    assert float(effective_votes(3, np.array(-1 / 3))) == pytest.approx(9)
    assert float(effective_votes(1, np.array(np.nan))) == 1
    assert np.isnan([effective_votes(2, np.array(undefined)) for undefined in (np.nan, -1.0)]).all()


def test_pairs_without_a_correlation_are_left_out_of_the_mean():
    never_wrong = np.zeros(4, bool)
    one, other = np.array([True, True, False, False]), np.array([True, False, True, False])
    found = mean_correlation(correlations(np.array([one, one, other, never_wrong]).T))
    # of the six pairs three are defined: 1, 0 and 0
    assert float(found) == pytest.approx(1 / 3)


def test_a_draw_counts_a_query_as_often_as_it_is_drawn():
    rng = np.random.default_rng(3)
    marks, query = rng.random((60, 3)) < 0.4, rng.integers(0, 4, 60)
    counts = bootstrap_counts(4, 5, 1)
    found = correlations(marks, query, counts)
    for draw, times in enumerate(counts):
        rows = np.repeat(np.arange(60), times[query])
        assert found[draw] == pytest.approx(np.corrcoef(marks[rows].T.astype(float)))


def test_the_interval_leaves_out_each_query_on_a_log_scale():
    rng = np.random.default_rng(6)
    common = rng.random((80, 1)) < 0.3
    marks, query = (rng.random((80, 4)) < 0.2) | common, rng.integers(0, 5, 80)
    left = [np.log(votes_of(marks[query != one])) for one in range(5)]
    half = stats.t.ppf(0.975, 4) * np.sqrt(4 / 5 * np.sum((np.array(left) - np.mean(left)) ** 2))
    found = votes_interval(sums_by_query(marks, query, 5))
    assert found == pytest.approx((votes_of(marks) * np.exp(-half), votes_of(marks) * np.exp(half)))


@pytest.mark.parametrize(
    ("marks", "expected"),
    [(np.eye(4, 2) > 0, (np.nan, np.nan)), (np.tile([[True], [False]], (2, 3)), (1, 1))],
    ids=["no errors without one of them", "copies"],
)
def test_an_interval_is_undefined_or_has_no_width(marks, expected):
    query = np.array([0, 0, 1, 1])
    assert votes_interval(sums_by_query(marks, query, 2)) == pytest.approx(expected, nan_ok=True)
    assert np.isnan(votes_interval(Sums(np.zeros(0), np.zeros((0, 2)), np.zeros((0, 2, 2))))).all()
