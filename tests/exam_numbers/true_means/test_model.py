"""The model's linear algebra against direct conditioning, and what its parts promise."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from benchmarks.boards import SHAPES, board
from exam_core.numbers.true_means import true_correlations
from exam_core.numbers.true_means.fixed_reference import SHARES, SPREADS, WIDEST, draws_alone, draws_beside_ranks
from exam_core.numbers.true_means.noise import (
    correlations_of_errors,
    deviations,
    steadied,
    variances,
    without_stretching,
)
from exam_core.numbers.true_means.observed import UNSURE, normal_scale, normal_scores, observed, orthonormal_contrasts
from exam_core.numbers.true_means.sampling import MOST, resample
from exam_core.numbers.true_means.two_boards import _EigenBoards, _means, _mode
from tests.thoroughly import thoroughly


def values_of(runs, queries, seed, noise=1.0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(runs, 1)) + noise * rng.normal(size=(runs, queries)) + rng.normal(size=queries)


def slow_posterior(board, z, slopes=1e8, power=-0.5):
    """Mean of the true contrasts: every cell of the grid by the conditional of one joint normal, in no special basis.

    Slopes along z have a variance of 10^8 instead of a flat prior, t one of t^power.
    """
    y, noise = board.means[0], board.noise
    eigenvalues = np.linalg.eigvalsh(noise)
    likely, means = [], []
    for t in np.sqrt((y**2).mean()) * WIDEST * (np.arange(SPREADS) + 0.5) / SPREADS:
        for w in MOST * (np.arange(SHARES) + 0.5) / SHARES:
            shape = (1 - w) * np.eye(len(y)) + w * noise / eigenvalues.mean()
            prior = t**2 * shape + slopes * np.outer(z, z)
            total = prior + noise
            likely.append(power * np.log(t) - (np.linalg.slogdet(total)[1] + y @ np.linalg.solve(total, y)) / 2)
            means.append(prior @ np.linalg.solve(total, y))
    weights = np.exp(np.array(likely) - max(likely))
    return weights @ np.array(means) / weights.sum()


@pytest.mark.parametrize("alone", [False, True])
def test_draws_beside_ranks_and_alone_have_the_mean_of_direct_conditioning(alone):
    board, rng = observed(values_of(8, 12, 1)[None]), np.random.default_rng(3)
    scores = normal_scores(np.random.default_rng(2).permutation(8).astype(float))
    drawn = draws_alone(board, 40_000, rng) if alone else draws_beside_ranks(board, scores, 40_000, rng)
    drawn = drawn @ board.contrasts
    error = drawn.std(axis=0) / np.sqrt(len(drawn))
    expected = slow_posterior(board, scores @ board.contrasts, *((0, 0) if alone else ()))
    assert (np.abs(drawn.mean(axis=0) - expected) < 5 * error + 1e-5).all()


def test_draws_beside_a_measure_have_the_moments_of_direct_conditioning():
    boards = observed(np.stack([values_of(7, 15, 4), values_of(7, 15, 5)]))
    size = 6
    shape = np.linalg.eigvalsh(boards.noise[:size, :size])
    model = _EigenBoards(boards.means.ravel(), boards.noise, shape)
    point = np.array([0.1, -0.2, 0.7, 0.3])
    drawn = _means(model, point, 60_000, np.random.default_rng(6))
    t, r, w = np.exp(point[:2]), np.tanh(point[2]), MOST / (1 + np.exp(-point[3]))
    between = np.array([[t[0] ** 2, r * t[0] * t[1]], [r * t[0] * t[1], t[1] ** 2]])
    prior = np.kron(between, np.diag(1 - w + w * shape / shape.mean()))
    gain = prior @ np.linalg.inv(prior + boards.noise)
    covariance = prior - gain @ prior
    error = np.sqrt(np.diag(covariance) / len(drawn))
    assert (np.abs(drawn.mean(axis=0) - gain @ model.means) < 5 * error).all()
    np.testing.assert_allclose(np.cov(drawn.T), covariance, atol=0.05 * np.diag(covariance).max())


def slow_likelihood(boards, shape, t_a, t_b, r, w):
    """How likely two boards are: the density of one joint normal, and the prior, which is flat on w."""
    between = np.array([[t_a**2, r * t_a * t_b], [r * t_a * t_b, t_b**2]])
    prior = np.kron(between, np.diag(1 - w + w * shape / shape.mean()))
    before = -np.log(t_a * t_b * (1 - r**2)) / 2
    return before + multivariate_normal.logpdf(boards.means.ravel(), cov=prior + boards.noise)


def test_beside_a_measure_deviations_their_correlation_and_the_share_are_as_likely_as_said():
    boards = observed(np.stack([values_of(7, 15, 4), values_of(7, 15, 5)]))
    shape = np.linalg.eigvalsh(boards.noise[:6, :6])
    points = np.random.default_rng(7).normal(size=(5, 4))

    def parameters(point):
        return np.array([*np.exp(point[:2]), np.tanh(point[2]), MOST / (1 + np.exp(-point[3]))])

    slow = []
    for point in points:
        # what is flat on the parameters is as dense on a point as these move with it, here by differences
        moves = [(parameters(point + step) - parameters(point - step)) / 2e-5 for step in 1e-5 * np.eye(4)]
        slow.append(slow_likelihood(boards, shape, *parameters(point)) + np.log(np.linalg.det(moves)))
    fast = _EigenBoards(boards.means.ravel(), boards.noise, shape).likely(points)
    np.testing.assert_allclose(fast - fast[0], np.array(slow) - slow[0], atol=1e-7)


def test_the_likeliest_parameters_are_a_summit():
    boards = observed(np.stack([values_of(9, 20, 7), values_of(9, 20, 7, noise=0.5)]))
    model = _EigenBoards(boards.means.ravel(), boards.noise, np.linalg.eigvalsh(boards.noise[:8, :8]))
    top, _ = _mode(model)
    around = top + np.vstack([0.5 * np.eye(4), -0.5 * np.eye(4)])
    assert (model.likely(around) < model.likely(top[None])).all()


def slow_without_stretching(off, places):
    """A board's deviations by queries, with the share that is taken off found from covariances."""
    runs, queries = off.shape
    direction = (places - places.mean()) / np.linalg.norm(places - places.mean())
    covariance = np.cov(off - off.mean(axis=0)) / queries
    along, whole = direction @ covariance @ direction, np.trace(covariance)
    usual = (whole - along) / (runs - 2)
    sure = max(0, 1 - whole / ((places - places.mean()) ** 2).sum())
    left = along - sure * max(0, along - usual)
    taken = 1 - np.sqrt(left / along)
    return np.array([query - taken * (query @ direction) * direction for query in off.T]).T


@pytest.mark.parametrize("stretched", [False, True])
def test_what_stretches_a_board_is_taken_off_as_far_as_it_is_more_than_usual(stretched):
    rng = np.random.default_rng(17)
    parts = rng.exponential(1, 40) if stretched else np.ones(40)
    values = [rng.normal(size=(9, 1)) * parts + rng.normal(size=(9, 40)) for _ in range(2)]
    off = deviations(np.array(values))
    places = np.array(values).mean(axis=-1)
    actual = without_stretching(off, places)
    expected = [slow_without_stretching(*board) for board in zip(off, places, strict=True)]
    np.testing.assert_allclose(actual, expected, atol=1e-12)
    assert (np.abs(actual - off).max() > 0.3) == stretched


def test_noise_is_not_taken_for_stretching():
    # No true differences: the means are noise, which lies along them. Rarely is more than a little taken off.
    rng = np.random.default_rng(18)
    left = []
    for _ in range(50):
        values = rng.normal(size=(1, 20, 30))
        off = deviations(values)
        left.append((without_stretching(off, values.mean(axis=-1)) ** 2).sum() / (off**2).sum())
    assert min(left) > 0.9
    assert np.mean(left) > 0.98


def test_queries_that_only_stretch_leave_no_doubt_of_the_order():
    rng = np.random.default_rng(19)
    truth = rng.normal(size=(12, 1))
    values = truth * rng.exponential(1, 30) + 0.02 * rng.normal(size=(12, 30))
    intervals = true_correlations(values[None], rng.permutation(truth.ravel()), ("kendall",), draws=500)
    assert intervals.high.kendall[0] - intervals.low.kendall[0] < 0.1


def test_errors_are_the_standard_errors_that_everybody_prints():
    values = values_of(5, 30, 10)
    centred = values - values.mean(axis=0)
    actual = variances(deviations(values), np.full(5, 30.0))
    np.testing.assert_allclose(actual, centred.var(axis=1, ddof=1) / 30)


def test_a_run_with_one_value_borrows_the_usual_variance():
    values = values_of(6, 30, 11)
    values[0, 1:] = np.nan
    actual = variances(deviations(values), np.array([1.0, *[30.0] * 5]))
    # of one value where the others have 30
    assert actual[0] >= np.median(actual[1:]) * 30 * (1 - 1e-9)


def test_correlations_of_errors_follow_families_when_queries_are_few():
    # two families of four runs: errors of a family correlate by 0.9, those of different ones by 0
    rng = np.random.default_rng(12)
    shared = np.repeat(rng.normal(size=(2, 12)), 4, axis=0)
    off = np.sqrt(0.9) * shared + np.sqrt(0.1) * rng.normal(size=(8, 12))
    truth = np.kron(np.eye(2), np.full((4, 4), 0.9)) + 0.1 * np.eye(8)
    actual = correlations_of_errors(off[None])
    assert np.abs(actual - truth).mean() < np.abs(np.corrcoef(off) - truth).mean()
    np.testing.assert_allclose(np.diag(actual), 1)


def test_no_families_are_found_among_many_independent_runs_on_few_queries():
    off = np.random.default_rng(16).normal(size=(1, 40, 15))
    apart = correlations_of_errors(off)[np.triu_indices(40, 1)]
    # chance makes them differ by 0.27, and a tree of them pairs the most alike
    assert np.abs(np.corrcoef(off[0])[np.triu_indices(40, 1)]).max() > 0.7
    assert np.abs(apart).max() < 0.1


def slow_places(means, width):
    """Places by the definition of a kernel estimate, one at a time."""
    return np.array([norm.ppf(np.mean([norm.cdf((x - other) / width) for other in means])) for x in means])


def silverman(means):
    quarter, three = np.quantile(means, (0.25, 0.75))
    return 0.9 * min(means.std(ddof=1), (three - quarter) / 1.34) * len(means) ** -0.2


def test_the_normal_scale_keeps_the_order_and_says_how_each_mean_moves_all_places():
    means = np.sort(np.random.default_rng(13).normal(size=9))
    width, step = silverman(means), 1e-6
    places, slopes = normal_scale(means, 0.0)
    np.testing.assert_allclose(places, slow_places(means, width), atol=1e-9)
    assert (np.diff(places) > 0).all()
    moved = [slow_places(means + step * way, width) for way in np.eye(9)]
    np.testing.assert_allclose(slopes, (np.array(moved).T - places[:, None]) / step, atol=1e-4)


def test_a_run_that_is_somewhat_off_is_drawn_in():
    means = np.sort(np.random.default_rng(13).normal(size=9))
    means[-1] += 5
    places, slopes = normal_scale(means, 0.01)
    assert np.ptp(places) < 5
    # there is nobody near whom it could pass
    assert slopes[-1, -1] < np.median(slopes.diagonal())


def test_errors_widen_the_kernel_of_the_derivatives_alone_and_keep_their_scale():
    means = np.random.default_rng(13).normal(size=9)
    width = np.hypot(silverman(means), 0.5)
    (places, steep), (same, slopes) = normal_scale(means, 0.0), normal_scale(means, 0.25)
    np.testing.assert_array_equal(places, same)
    smoother, step = slow_places(means, width), 1e-6
    moved = np.array([slow_places(means + step * way, width) for way in np.eye(9)]).T
    expected = (moved - smoother[:, None]) / step * places.std() / smoother.std()
    np.testing.assert_allclose(slopes, expected, atol=1e-4)
    assert slopes.diagonal().max() < steep.diagonal().max()


def test_the_normal_scale_does_not_depend_on_units():
    means = np.random.default_rng(14).normal(size=9)
    places, slopes = normal_scale(means, 0.1)
    other, flatter = normal_scale(7 + 3 * means, 0.9)
    np.testing.assert_allclose(other, places)
    np.testing.assert_allclose(flatter * 3, slopes)


def test_contrasts_are_orthonormal_and_add_up_to_nothing():
    actual = orthonormal_contrasts(6)
    np.testing.assert_allclose(actual.T @ actual, np.eye(5), atol=1e-12)
    np.testing.assert_allclose(actual.sum(axis=0), 0, atol=1e-12)


def test_normal_scores_are_symmetric_and_ties_share_theirs():
    scores = normal_scores(np.array([3.0, 1.0, 2.0, 2.0]))
    assert scores[2] == scores[3] == pytest.approx(0, abs=1e-12)
    assert scores[0] == pytest.approx(-scores[1])
    # rank 1 of 4: the normal deviate of (4 - 3/8) / 4.25
    assert scores[0] == pytest.approx(1.0491, abs=1e-4)


def test_points_are_chosen_as_often_as_they_weigh():
    picked = resample(np.log([0.5, 0.3, 0.2]), 1000, np.random.default_rng(15))
    assert np.abs(np.bincount(picked) - [500, 300, 200]).max() <= 1


@pytest.mark.parametrize(
    "name", ["few runs", *thoroughly("independent runs", "families", "families, heavy tails", "few queries")]
)
def test_two_samples_of_a_board_differ_as_the_model_expects_but_for_what_it_adds_to_be_safe(name):
    shape = next(shape for shape in SHAPES if shape.name == name)
    rng, differ, expected = np.random.default_rng(5), 0.0, 0.0
    for _ in range(40):
        values = board(replace(shape, queries=2 * shape.queries), rng).values
        one, other = (observed(values[None, :, half::2]) for half in (0, 1))
        differ += ((one.means - other.means) ** 2).sum()
        expected += np.trace(one.noise) + np.trace(other.noise)
    assert differ / expected * (1 + UNSURE / shape.queries) == pytest.approx(1, abs=0.12)


def test_variances_that_differ_by_chance_are_made_alike_and_others_stay():
    rng = np.random.default_rng(6)
    few, many = rng.normal(size=(1, 30, 15)), rng.normal(size=(1, 30, 400)) * rng.choice([0.5, 2.0], size=(30, 1))
    by_chance, surely = ((steadied(off)[0].var(axis=-1), off[0].var(axis=-1)) for off in (few, many))
    assert by_chance[0].std() < by_chance[1].std() / 2
    np.testing.assert_allclose(surely[0].std(), surely[1].std(), rtol=0.03)
    for actual, seen in (by_chance, surely):
        assert actual.mean() == pytest.approx(seen.mean())


def test_runs_that_never_differ_have_no_variance_to_steady():
    assert not steadied(np.zeros((1, 5, 8))).any()
