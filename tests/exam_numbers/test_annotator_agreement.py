"""Counts at every cut, kappas, Krippendorff's alpha, precision and recall, and the interval of kappa."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import cohen_kappa_score, precision_recall_fscore_support

from exam_core.numbers.annotator_agreement import (
    binary_counts,
    cohen_kappa,
    gwet_ac1,
    krippendorff_alpha,
    observed_agreement,
    pabak,
    precision_recall_f1,
    square,
    weighted_kappa,
)

LABELS, RELEVANCES = np.array([0, 1, 4, 5]), np.array([-2, 0, 1, 2, 3])
GRADED = np.array([[6, 0, 7, 0, 0], [0, 0, 0, 0, 5], [0, 0, 4, 3, 0], [0, 2, 0, 0, 1]])


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
    counts = binary_counts(GRADED, LABELS, RELEVANCES, np.array([tau]), np.array([relevant_from]))
    assert counts[0, 0].tolist() == expected


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


def slow_counts(matrix, labels, relevances, tau, cut):
    """[[tp, fp], [fn, tn]] at one cut, cell by cell."""
    counts = np.zeros((2, 2), int)
    for row, column in np.ndindex(matrix.shape):
        counts[int(labels[row] < tau), int(relevances[column] < cut)] += matrix[row, column]
    return counts.tolist()


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
    counts = binary_counts(matrix, labels, relevances, taus, cuts)
    assert counts.shape == (*matrix.shape[:-2], len(taus), len(cuts), 2, 2)
    for place in np.ndindex(matrix.shape[:-2]):
        expected = [[slow_counts(matrix[place], labels, relevances, tau, cut) for cut in cuts] for tau in taus]
        assert counts[place].tolist() == np.array(expected).tolist()


def test_a_square_matrix_has_every_integer_of_both_scales_once():
    # labels 0 and 3, relevances -1 and 2: rows and columns stand for -1, 0, 1, 2, 3
    matrix = square(np.array([[1, 2], [3, 4]]), np.array([0, 3]), np.array([-1, 2]))
    expected = np.zeros((5, 5), int)
    expected[1, [0, 3]] = 1, 2
    expected[4, [0, 3]] = 3, 4
    assert matrix.tolist() == expected.tolist()


def raters(counts):
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


def slow_ac1(counts):
    """By loops over the raters and their categories."""
    first, second = (rater.tolist() for rater in raters(counts))
    used = [(first.count(one) + second.count(one)) / (2 * len(first)) for one in range(len(counts))]
    by_chance = sum(one * (1 - one) for one in used) / (len(counts) - 1)
    agreed = sum(one == other for one, other in zip(first, second, strict=True)) / len(first)
    return (agreed - by_chance) / (1 - by_chance)


@pytest.mark.parametrize("counts", SQUARES.values(), ids=SQUARES)
def test_raw_agreement_ac1_and_pabak_are_those_of_loops_over_the_raters(counts):
    counts = np.array(counts)
    first, second = raters(counts)
    assert gwet_ac1(counts) == pytest.approx(slow_ac1(counts), abs=1e-12)
    assert observed_agreement(counts) == np.mean(first == second)
    # The kappa of raters who agree as often, and use all categories equally often.
    alike, k = np.mean(first == second), len(counts)
    even = np.full((k, k), (1 - alike) / (k * (k - 1))) + np.eye(k) * (alike / k - (1 - alike) / (k * (k - 1)))
    assert pabak(counts) == pytest.approx(cohen_kappa(even), abs=1e-12)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        # cont3x3abstractors of Gwet's R package irrCAC: kappa, AC1, Brennan-Prediger (PABAK), raw agreement
        ([[13, 0, 0], [0, 20, 7], [0, 4, 56]], (0.7964094, 0.8493305, 0.835, 0.89)),
        # Gwet 2002: two raters who nearly always say yes. PABAK is 2 * 118 / 125 - 1
        ([[118, 5], [2, 0]], (-0.0234, 0.9408, 0.888, 0.944)),
        # Feinstein & Cicchetti 1990, as in Byrt, Bishop & Carlin 1993: agreement is the same, kappa is not (0.70, 0.32)
        # By hand: expected agreement of AC1 is 2 * 0.475 * 0.525, and 2 * 0.875 * 0.125.
        ([[40, 9], [6, 45]], (0.3492 / 0.4992, 0.35125 / 0.50125, 0.70, 0.85)),
        ([[80, 10], [5, 5]], (0.07 / 0.22, 0.63125 / 0.78125, 0.70, 0.85)),
    ],
    ids=["irrCAC", "Gwet 2002", "balanced", "unbalanced"],
)
def test_coefficients_are_those_of_published_tables(counts, expected):
    coefficients = (cohen_kappa, gwet_ac1, pabak, observed_agreement)
    assert [one(np.array(counts)) for one in coefficients] == pytest.approx(expected, abs=5e-5)


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
