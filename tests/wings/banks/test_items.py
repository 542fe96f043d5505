"""Item analysis: by hand, and against scipy's point-biserial correlation over scores that are added up one by one."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from exam_core.wings.banks.health import item_rest_correlations, smallest_correlation


def slow(answered, enabled):
    """Item-rest correlations by plain loops: (Q, S)."""
    width, runs, queries = answered.shape
    found = np.full((queries, width), math.nan)
    for query in range(queries):
        for column in range(width):
            if enabled[query, column]:
                item = [float(answered[column, run, query]) for run in range(runs)]
                rest = [cover(answered, enabled, run, (query, column)) for run in range(runs)]
                if len(set(item)) > 1 and not any(map(math.isnan, rest)) and np.ptp(rest) > 1e-9:
                    found[query, column] = stats.pointbiserialr(item, rest).statistic
    return found


def cover(answered, enabled, run, left_out):
    """Mean over queries of the share of their questions that a run answers, one question left out."""
    shares = []
    for query in range(enabled.shape[0]):
        asked = [column for column in np.flatnonzero(enabled[query]) if (query, column) != left_out]
        if asked:
            shares.append(sum(bool(answered[column, run, query]) for column in asked) / len(asked))
    return math.fsum(shares) / len(shares) if shares else math.nan


def test_a_question_is_correlated_with_the_others_by_hand():
    # One query, three questions (rows), three runs (columns).
    answered = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1]], bool)[:, :, None]
    found = item_rest_correlations(answered, np.ones((1, 3), bool))
    # first: (1, 1, 0) with shares of the others (1/2, 0, 1/2): r = -0.5
    # second: (1, 0, 0) with (1/2, 1/2, 1/2): constant
    # third: (0, 0, 1) with (1, 1/2, 0): r = -sqrt(3) / 2
    assert found[0] == pytest.approx([-0.5, math.nan, -math.sqrt(3) / 2], nan_ok=True)


@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(1, 5), st.integers(0, 6))
def test_correlations_equal_those_of_scores_added_up_one_by_one(seed, queries, width, runs):
    rng = np.random.default_rng(seed)
    enabled = rng.random((queries, width)) < 0.8
    answered = rng.random((width, runs, queries)) < 0.5
    expected = slow(answered, enabled)
    assert item_rest_correlations(answered, enabled) == pytest.approx(expected, nan_ok=True, abs=1e-9)


@pytest.mark.parametrize("n", [3, 15, 36])
def test_the_smallest_correlation_is_where_the_t_test_has_its_alpha(n):
    r = smallest_correlation(n)
    t = r * math.sqrt((n - 2) / (1 - r * r))
    assert 2 * stats.t.sf(t, n - 2) == pytest.approx(0.05)


@pytest.mark.parametrize("n", [0, 2])
def test_of_two_pairs_no_correlation_is_told_from_0(n):
    assert math.isnan(smallest_correlation(n))
