"""Counts at every cut, kappas, Krippendorff's alpha, precision and recall, and the interval of kappa."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import stdtrit
from sklearn.metrics import cohen_kappa_score, precision_recall_fscore_support

from exam_core.numbers.annotator_agreement import (
    binary_counts,
    cohen_kappa,
    confusion,
    kappa_interval,
    krippendorff_alpha,
    precision_recall_f1,
    square,
    weighted_kappa,
)

GRADED = {5: {3: 1, 0: 2}, 4: {2: 3, 1: 4}, 1: {3: 5}, 0: {-2: 6, 1: 7}}


@pytest.mark.parametrize(
    ("tau", "relevant_from", "expected"),
    [
        # labels 4, 5 are positive: relevance 2, 3 in them 1 + 3, below 2 + 4; under them 5, and 6 + 7
        (4, 2, [[4, 6], [5, 13]]),
        # label 5 alone: 1 | 2; under it 3 + 5 | 4 + 6 + 7
        (5, 2, [[1, 2], [8, 17]]),
        # labels from 1, relevance from 1: 1 + 3 + 4 + 5 | 2; under it 7 | 6
        (1, 1, [[13, 2], [7, 6]]),
        # relevance from 3: 1 + 5 | 2 + 3 + 4; under it 0 | 6 + 7
        (1, 3, [[6, 9], [0, 13]]),
    ],
)
def test_a_graded_matrix_is_cut_at_tau_and_at_relevant_from(tau, relevant_from, expected):
    assert confusion(GRADED, tau=tau, relevant_from=relevant_from).tolist() == expected


def test_every_cut_counts_each_passage_once_and_an_empty_matrix_none():
    assert {int(confusion(GRADED, tau=tau, relevant_from=cut).sum()) for tau in range(1, 6) for cut in range(4)} == {28}
    assert confusion({}, tau=4, relevant_from=2).tolist() == [[0, 0], [0, 0]]


TABLES = {
    "car-y3 lenient": [[2361, 1920], [429, 1642]],
    "dl19 strict": [[1439, 1356], [1062, 5403]],
    "perfect": [[7, 0], [0, 3]],
    "two labels": [[20, 5], [10, 15]],
    "reversed": [[0, 7], [3, 0]],
    "one column empty": [[4, 0], [6, 0]],
    "large": [[3_000_000_000, 1], [2, 3_000_000_000]],
    "three labels": [[5, 1, 2], [0, 7, 1], [3, 2, 9]],
}


@pytest.mark.parametrize("counts", TABLES.values(), ids=TABLES)
def test_kappa_is_that_of_scikit_learn(counts):
    size = len(counts)
    predicted, judged = np.divmod(np.arange(size * size), size)
    expected = cohen_kappa_score(predicted, judged, sample_weight=np.ravel(counts).astype(float))
    assert cohen_kappa(np.array(counts)) == pytest.approx(expected, abs=1e-12)


# All cuts at once


def dictionary(matrix, labels, relevances):
    """A graded matrix as `confusion` takes it."""
    return {
        label: {relevance: int(n) for relevance, n in zip(relevances.tolist(), row, strict=True)}
        for label, row in zip(labels.tolist(), matrix, strict=True)
    }


@st.composite
def graded_matrices(draw):
    """Counts by ascending label and relevance, with leading axes."""
    values = st.lists(st.integers(-3, 6), max_size=6, unique=True).map(sorted)
    labels, relevances = (np.array(draw(values), np.int64) for _ in range(2))
    leading = draw(st.sampled_from([(), (3,), (2, 2)]))
    return (
        draw(arrays(np.int64, (*leading, len(labels), len(relevances)), elements=st.integers(0, 50))),
        labels,
        relevances,
    )


@given(graded_matrices())
def test_every_cut_of_every_matrix_is_the_one_that_a_loop_over_the_cells_counts(graded):
    matrix, labels, relevances = graded
    taus, cuts = np.arange(-2, 8), np.arange(-4, 5)
    found = binary_counts(matrix, labels, relevances, taus, cuts)
    assert found.shape == (*matrix.shape[:-2], len(taus), len(cuts), 2, 2)
    for place in np.ndindex(matrix.shape[:-2]):
        cells = dictionary(matrix[place], labels, relevances)
        expected = [[confusion(cells, tau=tau, relevant_from=cut) for cut in cuts] for tau in taus]
        assert found[place].tolist() == np.array(expected).tolist()


def test_a_square_matrix_has_every_integer_of_both_scales_once():
    # labels 0 and 3, relevances -1 and 2: rows and columns stand for -1, 0, 1, 2, 3
    found = square(np.array([[1, 2], [3, 4]]), np.array([0, 3]), np.array([-1, 2]))
    expected = np.zeros((5, 5), int)
    expected[1, [0, 3]] = 1, 2
    expected[4, [0, 3]] = 3, 4
    assert found.tolist() == expected.tolist()


# Coefficients


def raters(counts):
    """What each of two raters said of each unit."""
    size = len(counts)
    first, second = np.divmod(np.arange(size * size), size)
    return np.repeat(first, np.ravel(counts)), np.repeat(second, np.ravel(counts))


SQUARES = {
    "two labels": [[20, 5], [10, 15]],
    "three labels": [[5, 1, 2], [0, 7, 1], [3, 2, 9]],
    "a label that nobody gives": [[5, 0, 2], [0, 0, 0], [3, 0, 9]],
    "labels to 5, judgments to 3": [
        [9, 4, 1, 0, 0, 0],
        [3, 2, 2, 1, 0, 0],
        [1, 1, 0, 2, 0, 0],
        *[[1, 0, 2, 3, 0, 0]] * 3,
    ],
    "worse than chance": [[0, 4, 9], [3, 1, 2], [8, 2, 0]],
    "all the same but one": [[50, 1], [0, 0]],
}
UNDEFINED = {"nothing": np.zeros((3, 3), int), "one label only": np.diag([0, 9, 0])}


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
@pytest.mark.parametrize("counts", SQUARES.values(), ids=SQUARES)
def test_weighted_kappa_is_that_of_scikit_learn(counts, weights):
    first, second = raters(counts)
    expected = cohen_kappa_score(first, second, weights=weights, labels=range(len(counts)))
    assert weighted_kappa(np.array(counts), weights) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_a_value_that_does_not_occur_changes_no_weighted_kappa(weights):
    labels, relevances = np.array([0, 2]), np.array([0, 2])
    matrix = np.array([[5, 3], [1, 4]])
    wide = square(np.pad(matrix, (0, 1)), np.array([0, 2, 5]), np.array([0, 2, 5]))
    assert weighted_kappa(wide, weights) == pytest.approx(weighted_kappa(square(matrix, labels, relevances), weights))


def slow_alpha(counts, level):
    """Krippendorff's alpha from its definition: all pairs of ratings, pair by pair."""
    first, second = (rater.tolist() for rater in raters(counts))
    ratings = first + second
    n = [ratings.count(value) for value in range(len(counts))]

    def difference(c, k):
        low, high = min(c, k), max(c, k)
        if level == "nominal":
            return float(c != k)
        if level == "interval":
            return float(c - k) ** 2
        return (sum(n[low : high + 1]) - (n[low] + n[high]) / 2) ** 2

    within = [difference(c, k) for pair in zip(first, second, strict=True) for c, k in permutations(pair)]
    among = [difference(c, k) for c, k in permutations(ratings, 2)]
    return 1 - (sum(within) / len(within)) / (sum(among) / len(among))


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("counts", SQUARES.values(), ids=SQUARES)
def test_krippendorffs_alpha_is_that_of_its_definition(counts, level):
    assert krippendorff_alpha(np.array(counts), level) == pytest.approx(slow_alpha(counts, level), abs=1e-12)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_krippendorffs_alpha_does_not_know_who_is_first(level):
    counts = np.array(SQUARES["labels to 5, judgments to 3"])
    assert krippendorff_alpha(counts, level) == pytest.approx(krippendorff_alpha(counts.T, level))


COEFFICIENTS = {
    "cohen": cohen_kappa,
    "linear": lambda counts: weighted_kappa(counts, "linear"),
    "quadratic": lambda counts: weighted_kappa(counts, "quadratic"),
    "nominal alpha": lambda counts: krippendorff_alpha(counts, "nominal"),
    "ordinal alpha": lambda counts: krippendorff_alpha(counts, "ordinal"),
    "interval alpha": lambda counts: krippendorff_alpha(counts, "interval"),
}


@pytest.mark.parametrize("coefficient", COEFFICIENTS.values(), ids=COEFFICIENTS)
@pytest.mark.parametrize("counts", UNDEFINED.values(), ids=UNDEFINED)
def test_a_coefficient_is_undefined_where_there_is_nothing_or_one_label_only(coefficient, counts):
    assert np.isnan(coefficient(counts))


@pytest.mark.parametrize("coefficient", COEFFICIENTS.values(), ids=COEFFICIENTS)
def test_a_coefficient_is_1_where_all_agree(coefficient):
    assert coefficient(np.diag([3, 4, 5])) == pytest.approx(1)


@pytest.mark.parametrize("coefficient", COEFFICIENTS.values(), ids=COEFFICIENTS)
def test_a_batch_has_the_coefficient_of_each_of_its_tables(coefficient):
    tables = np.random.default_rng(3).integers(0, 9, (2, 4, 3, 3))
    tables[1, 2] = 0
    expected = [[coefficient(table) for table in row] for row in tables]
    np.testing.assert_allclose(coefficient(tables), expected, rtol=0, atol=1e-12)


@given(arrays(np.int64, (2, 2), elements=st.integers(0, 30)))
def test_precision_recall_and_f1_are_those_of_scikit_learn(counts):
    first, second = raters(counts)
    # Place 0 is relevant; scikit-learn wants something to score, and a value for what is undefined.
    expected = [np.nan] * 3
    if counts.sum():
        expected = precision_recall_fscore_support(
            second == 0, first == 0, average="binary", pos_label=True, zero_division=np.nan
        )[:3]
    np.testing.assert_allclose(precision_recall_f1(counts), expected, rtol=0, atol=1e-12)


def test_precision_recall_and_f1_of_a_batch_are_those_of_each_table():
    tables = np.random.default_rng(4).integers(0, 3, (5, 6, 2, 2))
    expected = [[precision_recall_f1(table) for table in row] for row in tables]
    np.testing.assert_array_equal(np.stack(precision_recall_f1(tables), axis=-1), expected)


# The interval of kappa


def slow_interval(per_query, level):
    """Leave out one query after the other, in a loop."""
    queries = [table for table in per_query if table.sum()]
    n = len(queries)
    kappas = np.array([cohen_kappa(sum(queries) - table) for table in queries])
    squares = (kappas - kappas.mean()) ** 2
    variance = squares.mean()
    excess = (squares**2).mean() / variance**2 - 1
    degrees = min(2 * n / excess, n - 1) if excess > 1e-9 else n - 1
    half = stdtrit(max(degrees, 1), 0.5 + level / 2) * np.sqrt((n - 1) * variance)
    kappa = cohen_kappa(sum(queries))
    return max(kappa - half, -1), min(kappa + half, 1)


def some_queries(seed, *leading, queries):
    """Random counts; some queries have no passages."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 20, (*leading, queries, 2, 2)) * (rng.random((*leading, queries, 1, 1)) < 0.8)


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("queries", [4, 10, 43])
@pytest.mark.parametrize("seed", range(5))
def test_the_interval_of_kappa_leaves_out_one_query_after_the_other(seed, queries, level):
    per_query = some_queries(seed, queries=queries)
    assert kappa_interval(per_query, level) == pytest.approx(slow_interval(per_query, level), abs=1e-9)


def test_a_batch_has_the_interval_of_each_of_its_samples():
    samples = some_queries(1, 2, 3, queries=12)
    expected = [[kappa_interval(sample) for sample in row] for row in samples]
    np.testing.assert_allclose(np.stack(kappa_interval(samples), axis=-1), expected, rtol=0, atol=1e-12)


def test_a_query_without_passages_does_not_change_the_interval():
    per_query = some_queries(2, queries=9)
    with_empty = np.concatenate([per_query, np.zeros((5, 2, 2), int)])
    assert kappa_interval(with_empty) == pytest.approx(kappa_interval(per_query))


@pytest.mark.parametrize(
    "per_query",
    [
        np.zeros((0, 2, 2), int),
        np.zeros((7, 2, 2), int),
        np.array([[[4, 1], [2, 3]]]),
        np.array([[[4, 1], [2, 3]], [[0, 0], [0, 0]]]),
        np.array([[[4, 0], [0, 0]], [[0, 0], [0, 5]]]),
    ],
    ids=["no queries", "no passages", "one query", "one query with passages", "no kappa without one of them"],
)
def test_the_interval_of_kappa_is_undefined(per_query):
    assert np.isnan(kappa_interval(per_query)).all()


def test_the_interval_grows_with_the_level():
    per_query = some_queries(3, queries=20)
    widths = [high - low for low, high in (kappa_interval(per_query, level) for level in (0.5, 0.8, 0.9, 0.95))]
    assert np.diff(widths).min() > 0


def test_the_same_passages_in_fewer_queries_have_a_wider_interval():
    # Each query differs from the others as a whole: 40 of them say more than 10 with four times the passages.
    rng = np.random.default_rng(5)
    few = rng.multinomial(50, rng.dirichlet([4, 2, 2, 8], 10)).reshape(10, 2, 2)
    low, high = kappa_interval(np.array([4 * few, np.zeros_like(few)]).reshape(20, 2, 2))
    more_low, more_high = kappa_interval(np.tile(few, (4, 1, 1)))
    assert more_high - more_low < (high - low) / 1.8


POPULATIONS = {
    "moderate agreement": {"base": (2, 5), "hit": (6, 3), "false alarm": (2, 6), "rising": 0.0},
    "high agreement": {"base": (2, 2), "hit": (18, 2), "false alarm": (2, 18), "rising": 0.0},
    "near chance, rarely relevant": {"base": (0.7, 6), "hit": (2, 3), "false alarm": (2, 5), "rising": 0.0},
    "queries with more relevant passages are larger": {
        "base": (1.5, 4),
        "hit": (6, 3),
        "false alarm": (2, 6),
        "rising": 300.0,
    },
}


def drawn_queries(population, rng, shape):
    """For each query its number of passages, and the (4,) shares of tp, fp, fn, tn."""
    base, hit, false_alarm = (rng.beta(*population[name], shape) for name in ("base", "hit", "false alarm"))
    passages = rng.poisson(200 + population["rising"] * (base - 0.3).clip(-0.5))
    return passages, np.stack(
        [base * hit, (1 - base) * false_alarm, base * (1 - hit), (1 - base) * (1 - false_alarm)], -1
    )


@pytest.mark.parametrize("population", POPULATIONS.values(), ids=POPULATIONS)
def test_the_interval_holds_the_kappa_of_the_population_in_92_to_98_of_100_samples(population):
    rng = np.random.default_rng(0)
    passages, shares = drawn_queries(population, rng, 1_000_000)
    truth = cohen_kappa((passages[:, None] * shares).mean(axis=0).reshape(2, 2))
    passages, shares = drawn_queries(population, rng, (4_000, 43))
    low, high = kappa_interval(rng.multinomial(passages, shares).reshape(4_000, 43, 2, 2))
    assert 0.92 <= ((low <= truth) & (truth <= high)).mean() <= 0.98
