"""The interval of kappa: how it is made, where there is none, and how often it holds the truth."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime, brentq
from scipy.special import stdtrit

from exam_core.numbers.annotator_agreement import cohen_kappa
from exam_core.numbers.kappa_intervals import kappa_interval
from tests.thoroughly import thoroughly


def slow_variance(n, first, second, kappa):
    """Of kappa over n passages, by the numerical gradient in the shares of the cells (delta method)."""
    both = first * second + kappa * ((first + second) / 2 - first * second)
    both = min(max(both, first + second - 1, 0), first, second)
    cells = np.array([both, first - both, second - both, 1 - first - second + both])

    def kappa_of(shares):
        rows, columns = shares.reshape(2, 2).sum(axis=1), shares.reshape(2, 2).sum(axis=0)
        chance = rows @ columns / shares.sum() ** 2
        return ((shares[0] + shares[3]) / shares.sum() - chance) / (1 - chance)

    gradient = approx_fprime(cells, kappa_of, 1e-8)
    return (cells @ gradient**2 - (cells @ gradient) ** 2) / n


def slow_interval(per_query, level):
    """What each query adds, one after the other, and the last kappa on either side that is not rejected."""
    queries = [table for table in per_query if table.sum()]
    n, together = len(queries), sum(queries)
    passages, kappa = together.sum(), cohen_kappa(together)
    first, second = together[0].sum() / passages, together[:, 0].sum() / passages

    def beyond_chance(table):
        relevant, others = table[0].sum(), table[:, 0].sum()
        chance = relevant * others / table.sum()
        return np.array([table[0, 0] - chance, (relevant + others) / 2 - chance])

    above, below = np.transpose([beyond_chance(together) - beyond_chance(together - table) for table in queries])
    away = [(table[0].sum() - first * table.sum(), table[:, 0].sum() - second * table.sum()) for table in queries]
    unlike = np.array([one * other / table.sum() for (one, other), table in zip(away, queries, strict=True)])
    unequal = sum((one**2 + other**2) / 2 / table.sum() for (one, other), table in zip(away, queries, strict=True))
    by_drawing = n * below.sum() / passages
    relevant = (first + second) / 2
    varying = max(unequal - by_drawing, 0) / passages / min(relevant, 1 - relevant) ** 2
    t = stdtrit(max(n / (1 + varying) - 1, 1), 0.5 + level / 2)

    def beyond(true):
        more = max(true - kappa, 0) * below.sum() / max(unequal, by_drawing)
        parts = above - true * below + (1 - true) * more * unlike
        variance = max(n * np.var(parts, ddof=1) / below.sum() ** 2, slow_variance(passages, first, second, true))
        return abs(true - above.sum() / below.sum()) - t * np.sqrt(variance)

    starts = sorted([kappa, above.sum() / below.sum()])
    return tuple(
        side if beyond(side) < 0 else brentq(beyond, start, side) for side, start in zip((-1, 1), starts, strict=True)
    )


def some_queries(seed, *leading, queries):
    """Random counts; some queries have no passages."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 20, (*leading, queries, 2, 2)) * (rng.random((*leading, queries, 1, 1)) < 0.8)


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("queries", [4, 10, 43])
@pytest.mark.parametrize("seed", range(5))
def test_the_interval_of_kappa_is_that_of_a_slow_twin(seed, queries, level):
    per_query = some_queries(seed, queries=queries)
    assert kappa_interval(per_query, level) == pytest.approx(slow_interval(per_query, level), abs=1e-6)


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
    ],
    ids=["no queries", "no passages", "one query", "one query with passages"],
)
def test_the_interval_of_kappa_is_undefined(per_query):
    assert np.isnan(kappa_interval(per_query)).all()


def test_judges_who_found_little_and_share_nothing_have_an_interval_that_holds_0():
    # Each found 20 passages of 10 queries with 100 each, and none of them together: kappa is -0.020.
    per_query = np.tile([[0, 2], [2, 96]], (10, 1, 1))
    low, high = kappa_interval(per_query)
    assert low < cohen_kappa(per_query.sum(axis=0)) < 0 < high < 0.2


def test_kappa_has_no_interval_with_fewer_than_five_passages_of_the_rarer_class():
    # 4 and 5 passages are relevant to the one and the other; then 5 each.
    few, enough = (np.array([[[2, 0], [0, 8]], [[2, 0], [extra, 8]], [[0, extra], [1, 9]]]) for extra in (0, 1))
    for per_query, told in ((few, False), (enough, True)):
        for table in (per_query, per_query[:, ::-1, ::-1]):
            assert np.isfinite(kappa_interval(table)).all() == told


@pytest.mark.parametrize("queries", [10, *thoroughly(20, 43)])
@pytest.mark.parametrize("relevant", [0.02, *thoroughly(0.01, 0.05, 0.2)])
@pytest.mark.parametrize("kappa", [0, 0.8, *thoroughly(0.2, 0.5)])
def test_the_interval_holds_kappa_where_few_are_relevant(kappa, relevant, queries):
    rng = np.random.default_rng([int(100 * kappa), int(1000 * relevant), queries])
    p = rng.beta(2, 2 / relevant - 2, (1_000, queries))
    both = p * p + kappa * p * (1 - p)
    shares = np.stack([both, p - both, p - both, 1 - 2 * p + both], axis=-1)
    p = rng.beta(2, 2 / relevant - 2, 300_000)
    both = p * p + kappa * p * (1 - p)
    truth = cohen_kappa(
        1e9 * np.array([[both.mean(), (p - both).mean()], [(p - both).mean(), (1 - 2 * p + both).mean()]])
    )
    low, high = kappa_interval(rng.multinomial(100, shares).reshape(1_000, queries, 2, 2))
    has = np.isfinite(low)
    assert ((low <= truth) & (truth <= high))[has].mean() >= 0.915
    assert (high[has] < 0).mean() < 0.01


@pytest.mark.parametrize("queries", [20, *thoroughly(43)])
def test_the_interval_holds_a_kappa_that_there_is_because_queries_differ_much(queries):
    # Within a query judges agree by chance; log odds of 20% relevant passages differ by a standard deviation of 1.
    def drawn(rng, *shape):
        p = 1 / (1 + np.exp(1.63 - rng.standard_normal(shape)))
        return np.stack([p * p, p - p * p, p - p * p, (1 - p) ** 2], axis=-1)

    rng = np.random.default_rng(queries)
    truth = cohen_kappa(1e6 * drawn(rng, 500_000).mean(axis=0).reshape(2, 2))
    low, high = kappa_interval(rng.multinomial(150, drawn(rng, 2_000, queries)).reshape(2_000, queries, 2, 2))
    assert 0.13 < truth < 0.14
    assert ((low <= truth) & (truth <= high)).mean() >= 0.93


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


@pytest.mark.parametrize("name", ["moderate agreement", *thoroughly(*list(POPULATIONS)[1:])])
def test_the_interval_holds_the_kappa_of_the_population_in_92_to_98_of_100_samples(name):
    population, rng = POPULATIONS[name], np.random.default_rng(0)
    passages, shares = drawn_queries(population, rng, 1_000_000)
    truth = cohen_kappa((passages[:, None] * shares).mean(axis=0).reshape(2, 2))
    passages, shares = drawn_queries(population, rng, (4_000, 43))
    low, high = kappa_interval(rng.multinomial(passages, shares).reshape(4_000, 43, 2, 2))
    assert 0.92 <= ((low <= truth) & (truth <= high)).mean() <= 0.98
