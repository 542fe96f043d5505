"""How boards by vital recall change with who calls which nugget vital."""

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest

from exam_core.numbers.rank_correlations import rank_correlation
from exam_core.wings.neighbours import measures as module
from exam_core.wings.neighbours.measures import variability

# Two queries with nuggets 0 1 2 and 3 4; three runs.
QUERY = np.array([0, 0, 0, 1, 1])
VITAL = np.array([True, False, False, True, False])
CREDIT = np.array([[1.0, 0.0, 0.5, 0.0, 1.0], [0.5, 1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 0.5, 0.5]])


def slow_board(credit, query, vital):
    """Mean vital recall of each run, by loops; None where no query has a vital nugget."""
    wanted = {one: [n for n in range(len(query)) if query[n] == one and vital[n]] for one in set(query.tolist())}
    wanted = {one: nuggets for one, nuggets in wanted.items() if nuggets}
    sought = [[[run[n] for n in own if run[n] == run[n]] for own in wanted.values()] for run in credit]
    return [sum(sum(own) / max(len(own), 1) for own in of_run) / len(wanted) for of_run in sought]


def random_credit(seed, queries=9, runs=5):
    rng = np.random.default_rng(seed)
    query = rng.permutation(np.repeat(np.arange(queries) * 3, rng.integers(1, 6, queries)))
    return rng.integers(0, 3, (runs, len(query))) / 2, query, rng.random(len(query)) < 0.5


def test_boards_are_what_was_worked_out_by_hand_without_queries_that_have_no_vital_nugget():
    found = variability(CREDIT, QUERY, VITAL, draws=3)
    # Nuggets 0 and 3: (1 + 0) / 2, (0.5 + 1) / 2, (0 + 0.5) / 2.
    assert found.as_is.means.tolist() == [0.5, 0.75, 0.25]
    # Thirds and halves: (1.5 / 3 + 1 / 2) / 2 for the first two, (1 / 3 + 1 / 2) / 2.
    assert found.all_vital.means.tolist() == pytest.approx([0.5, 0.5, 5 / 12])
    # Nuggets 1 2 and 4: (0.25 + 1) / 2, (0.5 + 0) / 2, (0.5 + 0.5) / 2.
    assert found.flipped.means.tolist() == [0.625, 0.25, 0.5]
    # Of three pairs, two agree and one is tied: 2 / sqrt(3 * 2). Flipped: runs 0 and 2 agree, two pairs do not.
    assert [found.as_is.kendall, found.all_vital.kendall, found.flipped.kendall] == pytest.approx(
        [1, 2 / 6**0.5, -1 / 3]
    )
    found = variability(CREDIT, QUERY, np.array([True, True, True, True, False]), draws=1)
    assert (found.as_is.queries, found.all_vital.queries, found.flipped.queries) == (2, 2, 1)
    assert found.flipped.means.tolist() == [1, 0, 0.5]


@pytest.mark.parametrize("nuggets", [5, 0])
def test_without_a_vital_nugget_there_is_no_board(nuggets):
    found = variability(CREDIT[:, :nuggets], QUERY[:nuggets], np.zeros(nuggets, bool), draws=4)
    assert (found.as_is.queries, found.flipped.queries) == (0, 2 if nuggets else 0)
    unknown = [found.as_is.means, found.kendall, found.first, [found.flipped.kendall], found.ranks.ravel()]
    assert np.isnan(np.concatenate(unknown)).all()


@pytest.mark.parametrize("seed", range(4))
def test_boards_are_those_of_loops(seed):
    credit, query, vital = random_credit(seed)
    if seed % 2:  # nobody looked for some of them
        credit[np.random.default_rng(seed).random(credit.shape) < 0.3] = np.nan
    found = variability(credit, query, vital, draws=1)
    for board, labels in ((found.as_is, vital), (found.all_vital, vital | True), (found.flipped, ~vital)):
        expected = slow_board(credit, query, labels)
        np.testing.assert_allclose(board.means, expected, rtol=0, atol=1e-12)
        truth = rank_correlation(np.array(expected), np.array(slow_board(credit, query, vital))).kendall
        assert board.kendall == pytest.approx(truth, nan_ok=True)


def all_labellings():
    """Every way to label the five nuggets with one vital nugget in each query."""
    for first, second in product(combinations(range(3), 1), combinations(range(3, 5), 1)):
        yield np.isin(np.arange(5), [*first, *second])


def test_a_shuffle_is_each_labelling_with_as_many_vital_nuggets_equally_often():
    # The six labellings have boards that differ, so the ranks and taus tell which one was drawn.
    found = variability(CREDIT, QUERY, VITAL, draws=6000, seed=1)
    expected = Counter()
    for labels in all_labellings():
        board = np.array(slow_board(CREDIT, QUERY, labels))
        kendall = rank_correlation(board, found.as_is.means).kendall
        ranks = [1 + (board > own).sum() + ((board == own).sum() - 1) / 2 for own in board]
        expected[round(kendall, 9), *ranks] += 1 / 6
    drawn = Counter(
        (round(tau, 9), *ranks) for tau, ranks in zip(found.kendall.tolist(), found.ranks.tolist(), strict=True)
    )
    assert set(drawn) == set(expected)
    # 6,000 draws: three standard deviations of a share of 1/6 are 0.0144.
    assert all(abs(drawn[key] / 6000 - share) < 0.02 for key, share in expected.items())


def test_runs_that_tie_share_the_first_place_and_equal_labels_are_not_shuffled():
    credit = np.array([[1.0, 1.0], [1.0, 1.0], [0.0, 0.5]])
    found = variability(credit, np.array([0, 0]), np.array([True, False]), draws=10)
    assert found.first.tolist() == [0.5, 0.5, 0]
    assert found.ranks.tolist() == [[1.5, 1.5, 3]] * 10
    found = variability(CREDIT, QUERY, np.array([True, True, True, False, False]), draws=5)
    assert found.kendall.tolist() == [1] * 5


def test_shuffles_are_the_same_for_the_same_seed_and_however_many_are_drawn_at_once(monkeypatch):
    credit, query, vital = random_credit(7)
    whole = variability(credit, query, vital, draws=20, seed=3)
    monkeypatch.setattr(module, "AT_ONCE", 3 * len(query))
    parts = variability(credit, query, vital, draws=20, seed=3)
    np.testing.assert_array_equal(parts.kendall, whole.kendall)
    np.testing.assert_allclose(parts.first, whole.first, rtol=0, atol=1e-15)
    assert (variability(credit, query, vital, draws=20, seed=4).kendall != whole.kendall).any()
