"""Displacement of a group of runs: slow twins, what it does not depend on, and whether its intervals hold."""

import numpy as np
import pytest
from scipy import stats

from exam_core.numbers.displacement import (
    displacement_interval,
    list_interval,
    neighbours_of,
    rank_displacement,
    ranks_beside_list,
    score_by_query,
    score_displacement,
)
from exam_core.numbers.true_means import drawn_ranks
from tests.thoroughly import thoroughly

GROUP = np.array([True, False, False, True, False, False, False])


def world(queries=30, seed=0):
    rng = np.random.default_rng(seed)
    quality = rng.uniform(0.2, 0.7, len(GROUP))[:, None]
    difficulty = rng.normal(0, 0.1, queries)
    values, reference = (quality + difficulty + rng.normal(0, 0.1, (len(GROUP), queries)) for _ in range(2))
    return values, reference


def slow_score(scores, reference, group):
    slope, level = np.polyfit(reference[~group], scores[~group], 1)
    return np.mean([scores[run] - (level + slope * reference[run]) for run in np.flatnonzero(group)])


def slow_rank(scores, reference, group):
    moved = stats.rankdata(-reference) - stats.rankdata(-scores)
    return np.mean(moved[group]) - np.mean(moved[~group])


@pytest.mark.parametrize("seed", range(5))
def test_displacements_are_those_of_a_slow_twin(seed):
    values, reference = world(seed=seed)
    sides = values.mean(axis=1), reference.mean(axis=1)
    assert score_displacement(*sides, GROUP) == pytest.approx(slow_score(*sides, GROUP), abs=1e-12)
    assert rank_displacement(*sides, GROUP) == pytest.approx(slow_rank(*sides, GROUP), abs=1e-12)


@pytest.mark.parametrize("fixed", [True, False], ids=["fixed reference", "reference by query"])
@pytest.mark.parametrize("gaps", [0, 9])
def test_the_interval_is_that_of_a_slow_jackknife(fixed, gaps):
    values, reference = world(queries=12)
    values.ravel()[np.random.default_rng(1).permutation(values.size)[:gaps]] = np.nan
    theirs = reference.mean(axis=1) if fixed else reference

    def displaced(kept):
        return slow_score(np.nanmean(values[:, kept], axis=1), theirs if fixed else theirs[:, kept].mean(axis=1), GROUP)

    every = list(range(12))
    pseudo = [12 * displaced(every) - 11 * displaced([q for q in every if q != left]) for left in every]
    actual = score_by_query(values, theirs, GROUP)
    np.testing.assert_allclose(actual, pseudo, atol=1e-12)
    expected = stats.t.interval(0.95, 11, np.mean(pseudo), stats.sem(pseudo))
    assert displacement_interval(actual) == pytest.approx(expected, abs=1e-12)


def test_a_bias_of_the_group_is_its_displacement_and_moves_the_interval_by_as_much():
    values, reference = world()
    low, high = displacement_interval(score_by_query(values, reference, GROUP))
    biased = values + 0.05 * GROUP[:, None]
    moved = displacement_interval(score_by_query(biased, reference, GROUP))
    assert moved == pytest.approx((low + 0.05, high + 0.05), abs=1e-12)


def test_another_scale_of_the_reference_is_no_displacement():
    values, reference = world()
    expected = displacement_interval(score_by_query(values, reference, GROUP))
    assert displacement_interval(score_by_query(values, 7 * reference - 3, GROUP)) == pytest.approx(expected)


@pytest.mark.parametrize(
    "group", [np.zeros(7, bool), np.ones(7, bool), np.arange(7) > 1], ids=["nobody", "everybody", "two others"]
)
def test_nothing_is_said_without_a_group_and_three_others(group):
    values, reference = world()
    assert np.isnan(score_by_query(values, reference, group)).all()
    assert np.isnan(rank_displacement(values.mean(axis=1), reference.mean(axis=1), group))


def test_scores_have_no_displacement_where_the_others_tie_in_the_reference():
    values, _ = world()
    assert np.isnan(score_displacement(values.mean(axis=1), GROUP.astype(float), GROUP))


def test_fewer_than_five_queries_have_no_interval():
    values, reference = world(queries=4)
    assert np.isnan(displacement_interval(score_by_query(values, reference, GROUP))).all()


@pytest.mark.parametrize("bias", [0.02, *thoroughly(0.0, 0.05)])
def test_intervals_hold_a_known_bias(bias):
    rng, held = np.random.default_rng(7), []
    for _ in range(800):
        values, reference = world(queries=43, seed=rng)
        quality, other = values.mean(axis=1), reference.mean(axis=1)
        drawn = rng.integers(0, 43, 43)
        values = values + GROUP[:, None] * (bias - score_displacement(quality, other, GROUP))
        low, high = displacement_interval(score_by_query(values[:, drawn], reference[:, drawn], GROUP))
        held.append(low <= bias <= high)
    assert 0.93 <= np.mean(held) <= 0.97


def test_places_beside_a_list_are_those_of_draws_of_true_means():
    values, reference = world()
    listed = reference.mean(axis=1)
    drawn = ranks_beside_list(values, listed, GROUP, draws=50, seed=4)
    by_hand = [slow_rank(-ranks, listed, GROUP) for ranks in drawn_ranks(values, 50, 4)]
    assert drawn == pytest.approx(np.sort(by_hand))
    low, high = list_interval(drawn)
    assert drawn[0] <= low <= high <= drawn[-1]
    assert np.isnan(list_interval(ranks_beside_list(values[:, :4], listed, GROUP, draws=50))).all()


@pytest.mark.parametrize(
    ("ranks", "run", "expected"),
    [
        ([1, 2, 3, 4, 5, 6], 2, [0, 1, 3, 4]),
        ([1, 2, 3, 4, 5, 6], 0, [1, 2]),
        ([6, 5, 4, 3, 2, 1], 0, [2, 1]),
        ([2.5, 1, 2.5, 4], 2, [1, 0, 3]),
        ([1], 0, []),
    ],
    ids=["between", "at the top", "at the bottom", "tied", "alone"],
)
def test_neighbours_are_two_on_each_side(ranks, run, expected):
    assert neighbours_of(np.array(ranks, float), run) == expected
