"""Rank correlations and mean ranks."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score, root_mean_squared_error

from exam_core.numbers import rank_correlations
from exam_core.numbers.rank_correlations import COEFFICIENTS, correlations, mean_rank, rank_correlation

OF_ORDER = ("spearman", "kendall", "tau_ap", "tau_ap_b", "rbo")


def one_sided(scores, reference):
    """tau-AP of one direction, where runs tied in the scores are not above each other."""
    shares = []
    for i in range(len(scores)):
        above = [j for j in range(len(scores)) if scores[j] > scores[i]]
        if above:
            shares.append(sum(reference[j] > reference[i] for j in above) / len(above))
    return 2 * np.mean(shares) - 1


def slow_tau_ap_a(scores, reference):
    """In the orders of t tied runs, 0 to t - 1 of these stand above a run, equally often, half of them rightly."""
    if len(set(reference)) < len(reference):
        return np.nan
    total = 0.0
    for i in range(len(scores)):
        above = [j for j in range(len(scores)) if scores[j] > scores[i]]
        right, group = sum(reference[j] > reference[i] for j in above), int(sum(scores == scores[i]))
        total += np.mean([(right + k / 2) / (len(above) + k) if len(above) + k else 0 for k in range(group)])
    return 2 * total / (len(scores) - 1) - 1


def slow_rbo(scores, reference, p):
    sides = [[sum(other > value for other in values) for value in values] for values in (scores, reference)]
    total = 0.0
    for depth in range(1, 400):
        one, other = ({i for i, above in enumerate(side) if above < depth} for side in sides)
        total += (1 - p) * p ** (depth - 1) * 2 * len(one & other) / (len(one) + len(other))
    return total


def slow_r2(scores, reference):
    line = LinearRegression().fit(scores[:, None], reference)
    return r2_score(reference, line.predict(scores[:, None]))


TWINS = {
    "spearman": lambda scores, reference: stats.spearmanr(scores, reference).statistic,
    "kendall": lambda scores, reference: stats.kendalltau(scores, reference).statistic,
    "tau_ap": slow_tau_ap_a,
    "tau_ap_b": lambda scores, reference: (one_sided(scores, reference) + one_sided(reference, scores)) / 2,
    "rbo": lambda scores, reference: slow_rbo(scores, reference, 0.9),
    "r2": slow_r2,
    "rmse": root_mean_squared_error,
}


@st.composite
def boards(draw, count=1):
    """Boards of 2 to 9 runs with few distinct scores, none constant."""
    n = draw(st.integers(2, 9))
    scores = [np.array(draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))) / 10 for _ in range(count)]
    assume(all(np.ptp(board) > 0 for board in scores))
    return scores


@pytest.mark.parametrize(
    ("scores", "reference"),
    [([0.5, 0.5, 0.5], [1, 2, 3]), ([1, 2, 3], [0, 0, 0]), ([1], [1]), ([], []), ([0.5, 0.5 + 1e-12], [1, 2])],
    ids=["constant scores", "constant reference", "one run", "no run", "constant but for noise"],
)
def test_without_an_order_the_correlation_is_undefined(scores, reference):
    coefficients = rank_correlation(np.array(scores, float), np.array(reference, float))
    assert np.isnan([getattr(coefficients, name) for name in (*OF_ORDER, "r2")]).all()


def test_one_run_has_an_error_though_it_has_no_order():
    assert rank_correlation(np.array([0.5]), np.array([0.2])).rmse == pytest.approx(0.3)


def test_noise_in_the_last_digits_breaks_no_tie_in_a_correlation():
    reference = np.array([3.0, 2.0, 1.0])
    noisy = rank_correlation(np.array([0.3, 0.1 + 0.2, 0.1]), reference)
    assert noisy == rank_correlation(np.array([0.3, 0.3, 0.1]), reference)


@pytest.mark.parametrize(
    ("scores", "ranks"),
    [
        ([0.1, 0.3, 0.2], [3, 1, 2]),
        # the second and third place are shared: (2 + 3) / 2
        ([0.9, 0.5, 0.5, 0.1], [1, 2.5, 2.5, 4]),
        ([0.3, 0.1 + 0.2, 0.2], [1.5, 1.5, 3]),
        ([0.5 + 2e-9, 0.5], [1, 2]),
        ([7.0, 7.0, 7.0], [2, 2, 2]),
        ([], []),
    ],
    ids=["distinct", "a tie", "a tie but for noise", "above the rounding", "all tied", "none"],
)
def test_tied_runs_share_their_mean_rank(scores, ranks):
    assert mean_rank(np.array(scores, float)).tolist() == ranks


@pytest.mark.parametrize("name", COEFFICIENTS)
@given(sides=boards(2))
def test_a_coefficient_is_that_of_its_slow_twin(name, sides):
    assert getattr(correlations(*sides), name) == pytest.approx(TWINS[name](*sides), abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize("n", [2, 22, 256, 257], ids=lambda n: f"{n} runs")
def test_boards_of_any_size_are_those_of_the_slow_twins(name, n):
    rng = np.random.default_rng(n)
    scores, reference = rng.normal(size=(3, n)).round(1), rng.normal(size=n).round(1 if name != "tau_ap" else 9)
    expected = [TWINS[name](board, reference) for board in scores]
    np.testing.assert_allclose(getattr(correlations(scores, reference), name), expected, atol=1e-9)


@pytest.mark.parametrize(
    ("scores", "reference", "expected"),
    [
        # places 2, 3, 4 have 1/1, 1/2 and 3/3 of the runs above them right: 2 * 2.5 / 3 - 1
        ([4, 3, 2, 1], [4, 2, 3, 1], 2 / 3),
        # the same swap at the top: 0/1, 2/2, 3/3: 2 * 2 / 3 - 1
        ([4, 3, 2, 1], [3, 4, 2, 1], 1 / 3),
        # the tied runs in either order: 1/1, 2/2, 3/3 and 1/1, 1/2, 3/3; their mean is 2.75
        ([3, 2, 2, 1], [4, 3, 2, 1], 2 * 2.75 / 3 - 1),
        # in the one order 1/1, 2/2, in the other 0/1, 2/2
        ([2, 2, 1], [3, 2, 1], 0.5),
        # the reference has no order of its own to be right by
        ([3, 2, 1], [2, 2, 1], np.nan),
    ],
    ids=["swap in the middle", "swap at the top", "tie in the scores", "tie at the top", "tie in the reference"],
)
def test_tau_ap_a_by_hand(scores, reference, expected):
    assert correlations(np.array(scores), np.array(reference)).tau_ap == pytest.approx(expected, nan_ok=True)


# Inputs and expected values of the tests of Urbano and Marrero's R package ircor, 4 decimals.
IRCOR = [
    (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        {"tau_ap": (0.8519, 0.7454), "tau_ap_b": (0.8333, 0.7321)},
    ),
    (
        [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
        [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
        {"tau_ap": (0.2504, 0.2692), "tau_ap_b": (0.2880, 0.297)},
    ),
    (
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
        {"tau_ap": (-0.6971, -0.5558), "tau_ap_b": (-0.668, -0.7047)},
    ),
]


@pytest.mark.parametrize(("truth", "scores", "expected"), IRCOR, ids=["1", "2", "3"])
@pytest.mark.parametrize("name", ["tau_ap", "tau_ap_b"])
def test_tau_aps_are_those_of_the_tests_of_ircor(name, truth, scores, expected):
    plain, tied = expected[name]
    assert getattr(correlations(np.array(scores), np.array(truth)), name) == pytest.approx(plain, abs=5e-5)
    # With ties, scores are rounded to one decimal; those of the truth only where it may have ties.
    truth = np.round(truth, 1) if name == "tau_ap_b" else np.array(truth)
    assert getattr(correlations(np.round(scores, 1), truth), name) == pytest.approx(tied, abs=5e-5)


@pytest.mark.parametrize(
    ("scores", "reference", "expected"),
    [
        # p = 1/2; overlaps 0, 1, 1 and then always 1: 1/2 * (0 + 1/2 + 1/4) + 1/8
        ([3, 2, 1], [2, 3, 1], 1 / 2),
        # overlaps 0, 1/2, 1: 1/2 * (0 + 1/4 + 1/4) + 1/8
        ([3, 2, 1], [1, 3, 2], 3 / 8),
        # depth 1 holds two runs on one side and one of them on the other, 2 * 1 / 3: 1/2 * (2/3 + 1/2 + 1/4) + 1/8
        ([2, 2, 1], [3, 2, 1], 5 / 6),
    ],
    ids=["swap at the top", "last moved to the top", "tie"],
)
def test_rbo_by_hand(scores, reference, expected):
    coefficients = correlations(np.array(scores), np.array(reference), persistence=0.5)
    assert coefficients.rbo == pytest.approx(expected)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_many_boards_are_as_each_alone(monkeypatch, name):
    monkeypatch.setattr(rank_correlations, "BLOCK", 4)
    rng = np.random.default_rng(1)
    scores, references = rng.integers(0, 6, (5, 3, 8)) / 6, rng.integers(0, 6, (5, 1, 8)) / 6
    actual = getattr(correlations(scores, references), name)
    alone = [[getattr(rank_correlation(scores[i, j], references[i, 0]), name) for j in range(3)] for i in range(5)]
    np.testing.assert_allclose(actual, alone, rtol=1e-12)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_one_board_can_meet_many_references(name):
    rng = np.random.default_rng(2)
    scores, references = rng.random(7), rng.random((4, 7))
    actual = getattr(correlations(scores, references), name)
    np.testing.assert_allclose(actual, [getattr(correlations(scores, one), name) for one in references], rtol=1e-12)


def arrays(coefficients):
    return np.array([getattr(coefficients, name) for name in COEFFICIENTS])


def test_a_board_with_a_missing_score_is_undefined_and_the_others_are_not():
    actual = arrays(correlations(np.array([[3, np.nan, 1.0], [3, 2, 1]]), np.array([3.0, 2, 1])))
    assert np.isnan(actual).tolist() == [[True, False]] * len(COEFFICIENTS)


def test_only_what_was_asked_for_is_computed():
    coefficients = correlations(np.array([3, 2, 1]), np.array([3, 2, 1]), ("kendall", "rmse"))
    assert [name for name in COEFFICIENTS if not np.isnan(getattr(coefficients, name))] == ["kendall", "rmse"]


@pytest.mark.parametrize("shape", [(0, 4), (3, 0), (0, 0)], ids=["no board", "no run", "neither"])
def test_nothing_to_correlate_is_no_error(shape):
    actual = arrays(correlations(np.zeros(shape), np.zeros(shape[1])))
    assert (actual.shape, np.isnan(actual).all()) == ((len(COEFFICIENTS), shape[0]), True)


@pytest.mark.parametrize("shape", [(1,), (4,), (3, 1)], ids=["one run", "a run too many", "one run on each board"])
def test_sides_with_different_runs_are_refused(shape):
    with pytest.raises(ValueError, match="runs on one side"):
        correlations(np.zeros(3), np.zeros(shape))


def test_a_misspelt_coefficient_is_refused():
    with pytest.raises(ValueError, match="no coefficient is called tau; there are spearman, kendall"):
        correlations(np.zeros(3), np.zeros(3), ("kendall", "tau"))


def test_mean_ranks_of_many_boards_are_those_of_pandas():
    rng = np.random.default_rng(3)
    scores = rng.choice([np.nan, 0.1, 0.2, 0.3, 0.4], (6, 5, 9))
    expected = pd.DataFrame(scores.reshape(30, 9)).rank(axis=1, ascending=False).to_numpy().reshape(scores.shape)
    np.testing.assert_array_equal(mean_rank(scores), expected)
