"""Which runs stand further from a list than the others: as a slow twin has it, and how often that errs."""

import numpy as np
import pytest
from scipy.stats import t as students

from benchmarks.boards import Shape, board
from exam_core.numbers.true_means.observed import normal_scores, observed
from exam_core.numbers.true_means.sampling import MOST
from exam_core.numbers.true_means.standing_out import ends_unsure, freedom, standing_out_p
from tests.thoroughly import thoroughly


def board_of(rng, runs, queries):
    made = board(Shape("same order", runs, queries, 1.0), rng)
    return made.values, made.other_truth


def slow_p(values, reference):
    """The same, with a regression on the list's scores and on the run itself for each run and point of the grid."""
    runs = len(values)
    board = observed(values[None])
    y, z = board.means[0], normal_scores(reference) @ board.contrasts
    average = np.trace(board.noise) / (runs - 1)
    actual = []
    for run, unsure in enumerate(ends_unsure(reference)):
        both = np.stack([z, board.contrasts[run]], axis=1)
        tails, log_weights = [], []
        for spread in np.sqrt(np.mean(y**2)) * 3 * (np.arange(40) + 0.5) / 40:
            for share in MOST * (np.arange(8) + 0.5) / 8:
                follows = (1 - share) * np.eye(runs - 1) + share * board.noise / average
                total = spread**2 * follows + board.noise
                inverse = np.linalg.inv(total)
                information = both.T @ inverse @ both
                slope, moved = np.linalg.solve(information, both.T @ inverse @ y)
                left = y - both @ [slope, moved]
                without = np.linalg.lstsq(np.linalg.cholesky(inverse).T @ z[:, None], np.linalg.cholesky(inverse).T @ y)
                error = np.linalg.inv(information)[1, 1] + without[0][0] ** 2 * unsure
                tails.append(2 * students.sf(abs(moved) / np.sqrt(error), freedom(values)))
                sizes = np.linalg.slogdet(total)[1] + np.linalg.slogdet(information)[1]
                log_weights.append(-(sizes + left @ inverse @ left) / 2 - np.log(spread) / 2)
        weights = np.exp(np.array(log_weights) - max(log_weights))
        actual.append(np.average(tails, weights=weights))
    return np.array(actual)


def test_p_is_that_of_a_regression_without_each_run():
    rng = np.random.default_rng(1)
    values, reference = board_of(rng, 6, 12)
    assert standing_out_p(values, reference) == pytest.approx(slow_p(values, reference))


@pytest.mark.parametrize("noisy", [False, *thoroughly(True)], ids=["exact list", "noisy list"])
def test_a_run_far_from_its_place_stands_out_and_seldom_any_other(noisy):
    rng = np.random.default_rng(41_000)
    moved, others = [], []
    for _ in range(40):
        values, truth = board_of(rng, 37, 43)
        listed = truth + 0.4 * noisy * rng.standard_normal(37)
        others.append((standing_out_p(values, listed) < 0.05 / 37).any())
        listed[np.argmin(truth)] = np.median(truth) + 1
        moved.append(standing_out_p(values, listed)[np.argmin(truth)] < 0.05 / 37)
    assert np.mean(others) <= 0.1
    assert np.mean(moved) >= 0.5


def test_few_values_that_decide_leave_fewer_degrees_of_freedom():
    rng = np.random.default_rng(5)
    assert freedom(rng.standard_normal((9, 2001))) == pytest.approx(2000, rel=0.05)
    assert freedom(rng.exponential(1, (9, 2001))) == pytest.approx(0.4 * 2000)
    # deviations of -1 and 1 alone have the smallest kurtosis, 1
    assert freedom(np.tile([[0.0, 2.0], [2.0, 0.0]], 5)) == 9
    assert freedom(np.zeros((3, 9))) == 8


def test_one_of_many_runs_can_stand_out():
    values, truth = board_of(np.random.default_rng(2), 140, 43)
    truth[np.argmin(truth)] = truth.max()
    assert standing_out_p(values, truth).min() < 0.05 / 140


def test_equal_runs_have_one_p_and_scale_does_not_matter():
    values, truth = board_of(np.random.default_rng(3), 12, 20)
    values[5] = values[4]
    p = standing_out_p(values, truth)
    assert p[4] == p[5]
    assert standing_out_p(3 * values + 7, 2 * truth - 1) == pytest.approx(p)


def test_a_query_that_counts_for_no_run_changes_nothing():
    values, truth = board_of(np.random.default_rng(4), 12, 20)
    more = np.column_stack([values, np.full(12, np.nan)])
    assert standing_out_p(more, truth) == pytest.approx(standing_out_p(values, truth))


@pytest.mark.parametrize(
    ("values", "reference"),
    [
        (np.zeros((0, 9)), np.zeros(0)),
        (np.arange(36.0).reshape(4, 9), np.arange(4.0)),
        (np.arange(36.0).reshape(9, 4), np.arange(9.0)),
        (np.tile(np.arange(9.0), (9, 1)), np.arange(9.0)),
        (np.random.default_rng(0).random((9, 9)), np.ones(9)),
        (np.array([[np.nan] * 9, *np.random.default_rng(0).random((8, 9))]), np.arange(9.0)),
    ],
    ids=["no runs", "few runs", "few queries", "equal runs", "a list without an order", "a run without a mean"],
)
def test_nothing_is_said_where_nothing_can_be_told(values, reference):
    assert np.isnan(standing_out_p(values, reference)).all()
