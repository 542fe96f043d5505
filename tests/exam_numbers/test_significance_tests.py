"""Tests of pairs of runs, adjustment and tiers."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
from scipy import stats

from exam_core.numbers.resampling import bootstrap_counts
from exam_core.numbers.significance_tests import (
    effect_sizes,
    holm,
    overlap,
    paired_bootstrap,
    paired_t,
    randomisation,
    rank_biserial,
    separable_share,
    tiers,
    tukey,
    wilcoxon,
)

TESTS = pytest.mark.parametrize(
    "test", [paired_t, paired_bootstrap, randomisation, wilcoxon, tukey], ids=lambda test: test.__name__
)
PAIRS = list(combinations(range(5), 2))


def some_values(seed, runs=5, queries=12, gaps=0.0):
    rng = np.random.default_rng(seed)
    values = np.round(np.clip(rng.normal(0.4, 0.2, (runs, queries)) + np.arange(runs)[:, None] / 20, 0, 1), 1)
    return np.where(rng.random(values.shape) < gaps, np.nan, values)


def shared(first, second):
    both = ~np.isnan(first) & ~np.isnan(second)
    return first[both], second[both]


def square(pairs, runs):
    """A symmetric matrix of what is above its diagonal; 1 on it."""
    actual = np.ones((runs, runs))
    for (i, j), value in zip(combinations(range(runs), 2), pairs, strict=True):
        actual[i, j] = actual[j, i] = value
    return actual


@pytest.mark.parametrize("gaps", [0, 0.3], ids=["no gaps", "gaps"])
def test_the_paired_t_test_is_that_of_scipy(gaps):
    values = some_values(1, gaps=gaps)
    expected = [stats.ttest_rel(*shared(values[i], values[j])).pvalue for i, j in combinations(range(5), 2)]
    np.testing.assert_allclose(paired_t(values), square(expected, 5), rtol=1e-9)


@pytest.mark.parametrize("gaps", [0, 0.3], ids=["no gaps", "gaps"])
def test_the_bootstrap_test_is_that_of_a_slow_loop(gaps):
    values, counts = some_values(2, gaps=gaps), bootstrap_counts(12, 300, 7)
    expected = []
    for i, j in combinations(range(5), 2):
        differences = values[i] - values[j]
        known = differences[~np.isnan(differences)]
        far = 0
        for draw in counts:
            drawn = np.repeat(differences, draw)
            drawn = drawn[~np.isnan(drawn)]
            if np.ptp(known) < 1e-9:
                continue  # all differences are one number
            if len(drawn) and np.ptp(drawn) > 1e-9:
                far += abs(drawn.mean() - known.mean()) / drawn.std() >= abs(known.mean()) / known.std() - 1e-12
            else:
                far += 1
        expected.append((1 + far) / 301)
    np.testing.assert_allclose(paired_bootstrap(values, 300, 7), square(expected, 5))


@pytest.mark.parametrize("gaps", [0, 0.2], ids=["no gaps", "gaps"])
def test_the_randomisation_test_nears_the_share_of_all_sign_patterns(monkeypatch, gaps):
    monkeypatch.setattr("exam_core.numbers.significance_tests.BLOCK_WEIGHTS", 2**10)  # not all draws at once
    values = some_values(3, queries=9, gaps=gaps)
    expected = []
    for i, j in combinations(range(5), 2):
        # differences of tenths are rounded, because scipy counts patterns that differ by noise as different
        differences = np.round(np.subtract(*shared(values[i], values[j])), 9)
        actual = stats.permutation_test(
            (differences,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=False
        )
        expected.append(actual.pvalue)
    # four standard errors of a share over 20,000 draws are at most 0.0142
    np.testing.assert_allclose(randomisation(values, 20_000), square(expected, 5), atol=0.0143)


@TESTS
def test_equal_runs_have_p_1_whatever_their_last_bits(test):
    p = test(np.array([[0.3, 0.7, 0.3], [0.1 + 0.2, 0.7, 0.3], [0.9, 0.8, 0.4]]))
    assert (p[0, 1], p[1, 0], *np.diag(p)) == (1, 1, 1, 1, 1)


@TESTS
@pytest.mark.parametrize(
    ("second", "expected"),
    [([np.nan, np.nan, np.nan], np.nan), ([0.1, np.nan, np.nan], np.nan), ([0.2, np.nan, np.nan], 1)],
    ids=["no shared query", "one shared query", "one shared query, equal"],
)
def test_too_few_shared_queries_tell_nothing(test, second, expected):
    assert test(np.array([[0.2, 0.4, 0.6], second]))[0, 1] == pytest.approx(expected, nan_ok=True)


@TESTS
@pytest.mark.parametrize("shape", [(0, 3), (1, 3), (2, 0)], ids=["no run", "one run", "no query"])
def test_without_a_pair_or_a_query_nothing_is_tested(test, shape):
    expected = np.ones((shape[0], shape[0]))
    expected[~np.eye(shape[0], dtype=bool)] = np.nan
    np.testing.assert_array_equal(test(np.zeros(shape)), expected)


@pytest.mark.parametrize("digits", [1, 9], ids=["ties and zeros", "neither"])
@pytest.mark.parametrize("queries", [6, 13, 14, 43, 50, 51])
def test_the_signed_rank_test_is_that_of_scipy(queries, digits):
    noise = np.random.default_rng(6).normal(0, 0.03, (5, queries))
    values = np.round(some_values(6, queries=queries, gaps=0.1) + noise, digits)
    expected = [stats.wilcoxon(np.round(np.subtract(*shared(values[i], values[j])), 9)) for i, j in PAIRS]
    np.testing.assert_allclose(wilcoxon(values), square([result.pvalue for result in expected], 5), rtol=1e-9)


def test_thirds_tie_in_ranks():
    values = np.array([[2 / 3, 1 / 3, 0.0, 1.0, 0.0], [1 / 3, 0.0, 1 / 3, 0.0, 2 / 3]])  # three of 1/3, and 2/3, and 1
    # ranks 2, 2, 2, 4 and 5: won 2 + 2 + 5, lost 2 + 4
    assert rank_biserial(values)[0, 1] == pytest.approx(3 / 15)
    assert wilcoxon(values)[0, 1] == pytest.approx(stats.wilcoxon([2, 2, -2, 6, -4]).pvalue)


def test_students_sleep_has_the_effect_sizes_of_the_literature():
    """R's data `sleep` (Student 1908): -1.28 [-2.12, -0.41] by R's effectsize; one patient slept the same twice."""
    first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    d, low, high = effect_sizes(np.array([first, second]))
    assert (d[0, 1], low[0, 1], high[0, 1]) == pytest.approx((-1.28, -2.12, -0.41), abs=0.005)
    assert (d[1, 0], low[1, 0], high[1, 0]) == (-d[0, 1], -high[0, 1], -low[0, 1])
    assert rank_biserial(np.array([first, second]))[1, 0] == 1


def test_the_ends_of_an_effect_size_are_where_the_noncentral_t_has_its_tails():
    values = some_values(8, queries=43, gaps=0.2)
    for (i, j), d, low, high in zip(
        PAIRS, *(ends[np.triu_indices(5, 1)] for ends in effect_sizes(values)), strict=True
    ):
        differences = np.subtract(*shared(values[i], values[j]))
        n, root = len(differences), np.sqrt(len(differences))
        assert d == pytest.approx(differences.mean() / differences.std(ddof=1))
        tails = stats.nct.sf(d * root, n - 1, low * root), stats.nct.cdf(d * root, n - 1, high * root)
        assert tails == pytest.approx((0.025, 0.025), rel=1e-4)


def test_the_rank_biserial_correlation_is_that_of_a_slow_loop():
    values = some_values(9, gaps=0.2)
    for (i, j), expected in zip(PAIRS, rank_biserial(values)[np.triu_indices(5, 1)], strict=True):
        differences = np.round(np.subtract(*shared(values[i], values[j])), 9)
        differences = differences[differences != 0]
        ranks = stats.rankdata(abs(differences))
        assert expected == pytest.approx((ranks * np.sign(differences)).sum() / ranks.sum())


@pytest.mark.parametrize("gaps", [0, 0.1], ids=["no gaps", "gaps"])
def test_tukeys_test_nears_the_share_of_all_orders_of_each_query(monkeypatch, gaps):
    monkeypatch.setattr("exam_core.numbers.significance_tests.BLOCK_WEIGHTS", 2**10)  # not all draws at once
    values = some_values(3, runs=3, queries=5, gaps=gaps)
    whole = values[:, ~np.isnan(values).any(axis=0)]
    orders = product(*(list(permutations(column)) for column in whole.T))
    ranges = np.array([np.ptp(np.mean(order, axis=0)) for order in orders])
    means = whole.mean(axis=1)
    expected = [(ranges >= abs(means[i] - means[j]) - 1e-9).mean() for i, j in combinations(range(3), 2)]
    np.testing.assert_allclose(tukey(values, 20_000), square(expected, 3), atol=0.0143)


def test_tukeys_test_nears_that_of_two_way_anova_where_values_are_normal():
    rng = np.random.default_rng(10)
    values = rng.normal(0, 0.1, (6, 60)) + rng.normal(0.5, 0.2, 60)
    away = values - values.mean(axis=0) - values.mean(axis=1)[:, None] + values.mean()
    freedom = 5 * 59
    stderr = np.sqrt((away**2).sum() / freedom / 60)
    means = values.mean(axis=1)
    distances = [abs(means[i] - means[j]) / stderr for i, j in combinations(range(6), 2)]
    expected = stats.studentized_range.sf(distances, 6, freedom)
    np.testing.assert_allclose(tukey(values, 20_000), square(expected, 6), atol=0.02)


@pytest.mark.thorough  # that p is the share of all orders is tested above
def test_tukeys_test_finds_a_pair_in_one_of_twenty_boards_of_equal_runs():
    boards = np.random.default_rng(5).beta(0.6, 1.8, (300, 8, 30))
    finds = [(tukey(values, 400)[np.triu_indices(8, 1)] <= 0.05).any() for values in boards]
    assert 0.02 <= np.mean(finds) <= 0.085  # 0.05 -+ 2.8 standard errors


def test_tukeys_test_leaves_out_a_run_without_values():
    values = some_values(11)
    p = tukey(np.vstack([values, np.full(12, np.nan)]))
    np.testing.assert_array_equal(p[:5, :5], tukey(values))
    assert np.isnan(p[5, :5]).all()


@pytest.mark.parametrize(
    ("p", "adjusted"),
    [
        # smallest * 3, next * 2, last * 1 but not below the one before
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ([0.01, 0.02, 0.5], [0.03, 0.04, 0.5]),
        ([0.4, 0.5, 0.6], [1, 1, 1]),
        # two tests only: 0.01 * 2, 0.03 * 1
        ([0.01, np.nan, 0.03], [0.02, np.nan, 0.03]),
        # 0.001 * 6, 0.01 * 5, 0.02 * 4, then 0.03 * 3, 0.04 * 2 and 0.05 * 1 are never below
        ([0.05, 0.04, 0.03, 0.02, 0.01, 0.001], [0.09, 0.09, 0.09, 0.08, 0.05, 0.006]),
    ],
    ids=["a step up", "in order", "cut at 1", "one pair untested", "six pairs"],
)
def test_holm_by_hand(p, adjusted):
    runs = 3 if len(p) == 3 else 4
    np.testing.assert_allclose(holm(square(p, runs)), square(adjusted, runs))


@pytest.mark.parametrize(
    ("mean", "stderr", "expected"),
    [
        ([0.5, 0.4], [0.06, 0.06], True),
        ([0.5, 0.4], [0.04, 0.04], False),
        # 0.5 + 0.15 and 0.8 - 0.15 touch, but 0.8 - 0.5 is above 0.3 in the last bits
        ([0.5, 0.8], [0.15, 0.15], True),
        ([0.5, 0.4], [0.0, np.nan], True),
        ([np.nan, 0.4], [0.01, 0.01], True),
    ],
    ids=["crossing", "apart", "touching", "no standard error", "no mean"],
)
def test_bars_overlap_where_they_cross_or_touch(mean, stderr, expected):
    overlaps = overlap(np.array(mean), np.array(stderr))
    assert overlaps.tolist() == [[True, expected], [expected, True]]


def apart(mean, distance):
    return np.abs(np.subtract.outer(mean, mean)) > distance


@pytest.mark.parametrize(
    ("mean", "expected"),
    [
        # 0.9 leads 0.8; 0.7 is too far from 0.9 and leads 0.6; 0.3 is alone
        ([0.9, 0.8, 0.7, 0.6, 0.3], [1, 1, 2, 2, 3]),
        ([0.3, 0.9, 0.6, 0.7, 0.8], [3, 1, 2, 2, 1]),
        ([0.5, 0.5], [1, 1]),
        ([0.3, np.nan, 0.9], [2, 0, 1]),
        ([np.nan], [0]),
        ([], []),
    ],
    ids=["in order", "out of order", "equal", "a run without a mean", "no mean", "no run"],
)
def test_a_tier_ends_before_the_first_run_that_differs_from_its_best(mean, expected):
    mean = np.array(mean, float)
    assert tiers(mean, apart(mean, 0.15)).tolist() == expected


@pytest.mark.parametrize(
    ("mean", "share"),
    # of three pairs 0.9 - 0.8 is too close
    [([0.9, 0.8, 0.3], 2 / 3), ([0.9, 0.9, 0.9], 0), ([0.9, np.nan, 0.1], 1), ([0.9, np.nan], np.nan), ([], np.nan)],
    ids=["two of three", "none", "all that have a mean", "one run", "no run"],
)
def test_the_share_of_separable_pairs_by_hand(mean, share):
    mean = np.array(mean, float)
    assert separable_share(apart(mean, 0.15), mean) == pytest.approx(share, nan_ok=True)
