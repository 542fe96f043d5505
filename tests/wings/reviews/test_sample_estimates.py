"""Figures of all items from some that were drawn: equal to slow twins, unbiased by the drawing, honest intervals."""

from functools import partial

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import cohen_kappa_score

from exam_core.numbers.annotator_agreement import cohen_kappa, krippendorff_alpha, weighted_kappa
from exam_core.numbers.kappa_intervals import kappa_interval
from exam_core.wings.reviews.estimates import Sample, coincidences, estimate, estimate_kappa, sample_of, share, table_of

NAN = np.nan


def alike(n, chance=0.0):
    return Sample(np.arange(n), np.ones(n), np.full(n, chance))


def counted(values, size):
    """How many raters gave each of the values 0, 1, ... to each item; -1 is no value."""
    return [[(row == value).sum() for value in range(size)] for row in values]


def weighed(weights):
    weights = np.asarray(weights, float)
    return Sample(np.arange(len(weights)), weights, np.zeros(len(weights)))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_a_weighted_kappa_is_that_of_scikit_learn(seed, weights):
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 4, (2, 60))
    weight = rng.uniform(0.1, 9, 60)
    statistic = partial(weighted_kappa, weights=weights) if weights else cohen_kappa
    found = estimate(statistic, table_of(first, second, 4), weighed(weight)).value
    expected = cohen_kappa_score(first, second, weights=weights, sample_weight=weight)
    assert found == pytest.approx(expected, abs=1e-9)


def slow_alpha(values, weights, level):
    """Krippendorff 2011, with loops: every ordered pair of values of a unit counts weight / (values - 1)."""
    units = [([value for value in unit if value >= 0], weight) for unit, weight in zip(values, weights, strict=True)]
    units = [(unit, weight) for unit, weight in units if len(unit) > 1]
    scale = len(units) / sum(weight for _, weight in units)
    pairs = [
        (c, k, scale * weight / (len(unit) - 1))
        for unit, weight in units
        for i, c in enumerate(unit)
        for j, k in enumerate(unit)
        if i != j
    ]
    size = max(c for c, _, _ in pairs) + 1
    n = [sum(weight for c, _, weight in pairs if c == value) for value in range(size)]

    def distance(c, k):
        low, high = min(c, k), max(c, k)
        ordinal = sum(n[low : high + 1]) - (n[low] + n[high]) / 2
        distances = {"nominal": float(c != k), "interval": float(c - k) ** 2, "ordinal": ordinal**2 if c != k else 0.0}
        return distances[level]

    observed = sum(weight * distance(c, k) for c, k, weight in pairs) / sum(n)
    expected = sum(n[c] * n[k] * distance(c, k) for c in range(size) for k in range(size)) / (sum(n) * (sum(n) - 1))
    return 1 - observed / expected


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("seed", range(4))
def test_a_weighted_alpha_of_several_raters_is_that_of_loops(seed, level):
    rng = np.random.default_rng(seed)
    values = np.where(rng.random((40, 4)) < 0.7, rng.integers(0, 5, (40, 4)), -1)
    values = values[(values >= 0).sum(axis=1) > 1]
    weights = rng.uniform(0.5, 4, len(values))
    statistic = partial(krippendorff_alpha, level=level)
    found = estimate(statistic, coincidences(counted(values, 5)), weighed(weights)).value
    assert found == pytest.approx(slow_alpha(values.tolist(), weights, level), abs=1e-9)


# Krippendorff 2011, section C and D: four observers, twelve units of 1 to 5; a dot where there is no value.
KRIPPENDORFF = [
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
]


@pytest.mark.parametrize(("level", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_krippendorffs_own_example_is_as_he_prints_it(level, expected):
    values = np.array([[-1 if one == "." else int(one) - 1 for one in row.split()] for row in KRIPPENDORFF]).T
    values = values[(values >= 0).sum(axis=1) > 1]
    found = estimate(partial(krippendorff_alpha, level=level), coincidences(counted(values, 5)), alike(len(values)))
    assert found.value == pytest.approx(expected, abs=5e-4)


def test_alpha_of_two_raters_is_the_same_from_tables_and_from_coincidences():
    first, second = np.random.default_rng(0).integers(0, 4, (2, 30))
    values = np.stack([first, second], axis=1)
    from_tables = krippendorff_alpha(table_of(first, second, 4).sum(axis=0))
    assert krippendorff_alpha(coincidences(counted(values, 4)).sum(axis=0)) == pytest.approx(from_tables, abs=1e-12)


def test_an_item_of_one_rater_has_no_coincidence():
    assert not coincidences([[0, 0, 1, 0], [0, 0, 0, 0]]).any()


def test_an_item_weighs_by_the_probability_of_a_single_draw_shared_by_all_who_answer_it():
    found = sample_of(np.arange(3), np.zeros(3, int), np.array([0.1, 0.2, 0.4]), np.full(3, 6.0))
    assert found.chances.tolist() == pytest.approx([0.05, 0.1, 0.2])
    # 2 of 2 items with 0.2 each, 2 of 8 items with 0.8 each: a single draw gave each of the four 0.1
    found = sample_of(np.arange(4), np.array([0, 0, 1, 1]), np.array([0.2, 0.2, 0.8, 0.8]), np.array([2.0, 2, 8, 8]))
    assert found.weights.tolist() == pytest.approx([1, 1, 1, 1])
    found = sample_of(np.array([0, 0, 1]), np.zeros(3, int), np.full(3, 0.1), np.full(3, 2.0))
    assert found.weights.tolist() == pytest.approx([0.5, 0.5, 1])
    assert found.chances.tolist() == pytest.approx([0.1, 0.1, 0.1])
    found = sample_of(np.arange(3), np.array([0, 0, 1]), np.array([0.1, 0.3, NAN]), np.array([2.0, 2, NAN]))
    assert found.weights.tolist() == pytest.approx([1.5, 0.5, 1])
    assert found.chances.tolist() == pytest.approx([0.1, 0.3, 0])


@pytest.mark.parametrize("probability", [0.0, -1.0, 2.0, NAN])
def test_what_is_no_probability_counts_as_none(probability):
    found = sample_of(np.arange(2), np.zeros(2, int), np.full(2, probability), np.full(2, NAN))
    assert (found.weights.tolist(), found.chances.tolist()) == ([1, 1], [0, 0])


def test_no_reviews_are_a_sample_of_nothing():
    empty = np.zeros(0, int)
    found = sample_of(empty, empty, np.zeros(0), np.zeros(0))
    assert estimate(cohen_kappa, table_of(empty, empty, 2), found).n == share(np.zeros(0, bool), found).n == 0


@pytest.mark.parametrize("estimated", [estimate_kappa, partial(estimate, cohen_kappa)])
def test_where_everything_was_looked_at_no_uncertainty_is_left(estimated):
    rows = np.array([0, 0, 1, 1, 1, 0])
    found = estimated(table_of(rows, np.array([0, 1, 1, 1, 0, 0]), 2), alike(6, chance=1.0))
    assert found.low == found.value == found.high


def test_without_a_disagreement_nothing_says_how_far_the_interval_goes():
    rows = np.array([0, 1] * 30)
    found = estimate(cohen_kappa, table_of(rows, rows, 2), alike(60))
    assert found.value == 1
    assert np.isnan([found.low, found.high]).all()


@pytest.mark.parametrize("estimated", [estimate_kappa, partial(estimate, cohen_kappa)])
def test_two_people_of_one_mind_about_the_same_items_are_no_more_items(estimated):
    rng = np.random.default_rng(3)
    rows, columns = rng.integers(0, 2, (2, 50))
    one = estimated(table_of(rows, columns, 2), alike(50))
    twice = sample_of(np.tile(np.arange(50), 2), np.zeros(100, int), np.full(100, NAN), np.full(100, NAN))
    assert estimated(table_of(np.tile(rows, 2), np.tile(columns, 2), 2), twice) == pytest.approx(one)


def test_kappa_of_items_that_weigh_alike_has_the_interval_of_so_many_queries():
    tables = table_of(*np.random.default_rng(4).integers(0, 2, (2, 60)), 2)
    assert estimate_kappa(tables, alike(60))[1:3] == pytest.approx(kappa_interval(tables))


def test_what_was_likely_to_be_looked_at_makes_the_interval_of_kappa_narrower():
    tables = table_of(*np.random.default_rng(2).integers(0, 2, (2, 80)), 2)
    wide, narrow = (estimate_kappa(tables, alike(80, chance)) for chance in (0.0, 0.75))
    assert (narrow.high - narrow.low) / (wide.high - wide.low) == pytest.approx(0.5, abs=0.02)


def test_reviewers_who_found_little_and_share_nothing_have_a_kappa_whose_interval_holds_0():
    # Each found 8 of 200 items, and none of them together.
    first, second = np.arange(200) < 8, (np.arange(200) >= 8) & (np.arange(200) < 16)
    found = estimate_kappa(table_of(first.astype(int), second.astype(int), 2), alike(200))
    assert found.low < found.value < 0 < found.high < 0.5


def test_a_share_of_items_that_are_alike_has_wilsons_interval():
    # Wilson 1927 by the formula, with 49 in place of 50: the residuals' variance has n - 1
    found, p, n, z = share(np.arange(50) < 10, alike(50)), 0.2, 49, norm.ppf(0.975)
    half = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    assert found == pytest.approx((p, middle - half, middle + half, 50))


def test_a_share_of_all_or_none_has_an_interval_too():
    every, none = share(np.ones(20, bool), alike(20)), share(np.zeros(20, bool), alike(20))
    assert every.high == 1
    assert 0.8 < every.low < 0.9
    assert (1 - none.high, none.low) == pytest.approx((every.low, 0))


def population(n=2000, seed=0):
    """Labels and judgments of which some 12% differ, and how visible that is to who draws: grader and judge differ."""
    rng = np.random.default_rng(seed)
    judged = (rng.random(n) < 0.4).astype(int)
    label = np.where(rng.random(n) < 0.12, 1 - judged, judged)
    doubted = np.where(rng.random(n) < 0.9, label != judged, rng.random(n) < 0.2)
    return label, judged, np.where(doubted, 6.0, 1.0)


def drawn_by_size(size, n, rng):
    """Items in random order, drawn systematically with probability proportional to size; and all probabilities."""
    probability = n * size / size.sum()
    order = rng.permutation(len(size))
    return order[np.searchsorted(probability[order].cumsum(), rng.random() + np.arange(n))], probability


def test_drawing_by_disagreement_biases_kappa_without_weights_and_ours_not_at_all():
    label, judged, size = population()
    true, rng, draws = cohen_kappa(table_of(label, judged, 2).sum(axis=0)), np.random.default_rng(1), 200
    plain, ours, held = [], [], 0
    for _ in range(draws):
        drawn, probability = drawn_by_size(size, 200, rng)
        tables = table_of(label[drawn], judged[drawn], 2)
        sample = sample_of(np.arange(200), np.zeros(200, int), probability[drawn], np.full(200, 200.0))
        plain.append(cohen_kappa(tables.sum(axis=0)))
        found = estimate_kappa(tables, sample)
        ours.append(found.value)
        held += found.low <= true <= found.high
    error = np.std(ours) / np.sqrt(draws)
    assert np.mean(plain) < true - 0.3
    assert abs(np.mean(ours) - true) < 3 * error < 0.01
    # 95% of 200 draws are 190; three standard deviations of that number are 9.
    assert held >= 181
