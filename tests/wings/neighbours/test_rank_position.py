"""NRP by hand in each convention, and its intervals against the textbook's clusters."""

import numpy as np
import pytest
from scipy import stats

from exam_core.declared import read_fields, written
from exam_core.wings.neighbours.measures import NRP, NrpOptions, cell_means, nrp, nrp_board

# the first, the second and the last of four documents and the answer
RANKS, SIZES = np.array([0, 1, 4]), np.array([5, 5, 5])


@pytest.mark.parametrize(
    ("convention", "expected"), [("released", [1, 0.8, 0.2]), ("one-based", [0.8, 0.6, 0]), ("documents", [1, 0.75, 0])]
)
def test_each_convention_counts_places_and_documents_in_its_own_way(convention, expected):
    assert nrp(RANKS, SIZES, convention) == pytest.approx(expected)


def test_an_answer_that_was_ranked_alone_has_no_place_among_documents():
    assert nrp(np.array([0]), np.array([1])) == [1]
    assert np.isnan(nrp(np.array([0]), np.array([1]), "documents")).all()


def test_cells_have_their_means_and_an_empty_one_has_none():
    means, n = cell_means(np.array([1.0, 0.5, 0.25]), np.array([0, 0, 1]), np.array([0, 0, 1]), (2, 2))
    np.testing.assert_equal(means, [[0.75, np.nan], [np.nan, 0.25]])
    assert n.tolist() == [[2, 0], [0, 1]]


def test_the_mean_is_over_queries_not_over_answers():
    # a query with three answers of 1 and one with a single answer of 0.5
    board = nrp_board(np.array([[1.0, 0.5]]), np.array([[3, 1]]))
    assert [float(board[name][0]) for name in ("mean", "n_queries", "n_answers")] == [0.75, 2, 4]


def test_the_interval_is_students_over_the_means_of_queries():
    values = np.array([0.9, 0.8, 1.0, 0.95])
    board = nrp_board(values[None], np.ones((1, 4), int))
    expected = stats.t.interval(0.95, 3, values.mean(), stats.sem(values))
    assert expected[1] > 1.0, "the interval goes beyond what NRP can be"
    assert (board["low"][0], board["high"][0]) == pytest.approx((expected[0], 1.0))


def test_the_standard_error_is_that_of_clusters_of_one_size():
    generator = np.random.default_rng(5)
    answers = generator.random((12, 10)) + generator.random((12, 1))
    board = nrp_board(answers.mean(axis=1)[None], np.full((1, 12), 10))
    # cluster-robust: sums of each cluster's residuals, squared, by n squared, times Q/(Q - 1)
    sums = (answers - answers.mean()).sum(axis=1)
    assert board["stderr"][0] == pytest.approx(np.sqrt((sums**2).sum() / 120**2 * 12 / 11))


def test_one_query_has_no_interval():
    board = nrp_board(np.array([[0.5, np.nan]]), np.array([[2, 0]]))
    assert (board["mean"][0], np.isnan(board["low"][0]), np.isnan(board["stderr"][0])) == (0.5, True, True)


def test_the_measures_options_are_read_and_written():
    options = read_fields(NrpOptions, "ranker=monot5,convention=one-based")
    assert options == NrpOptions("one-based", "monot5")
    assert f"{NRP.name}{written(options)}" == "NRP(convention=one-based,ranker=monot5)"
    assert NRP.compute(RANKS, SIZES, (np.array([0, 0, 0]), np.array([0, 0, 1])), (1, 2), options) == pytest.approx(
        np.array([[0.7, 0]])
    )
