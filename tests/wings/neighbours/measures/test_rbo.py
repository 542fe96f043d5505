"""Rank-biased overlap: by hand, as published, as many boards at once have it, and what must always hold."""

import csv
import gzip
import math
import re
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exam_core.errors import UndefinedMeasure
from exam_core.numbers.rank_correlations import correlations
from exam_core.wings.neighbours.measures.rbo import Rbo, rbo

WAYS = ("w", "a", "b")


def parsed(text):
    """`a (b c) d` as a ranking."""
    found = re.findall(r"\(([^)]*)\)|(\S+)", text)
    return [group.split() if group else item for group, item in found]


def orders(ranking):
    """Every order of a ranking's ties."""
    groups = [permutations([group] if isinstance(group, str) else group) for group in ranking]
    return [[item for part in parts for item in part] for parts in product(*groups)]


def values(found):
    return [found.ext, found.min, found.max, found.max - found.min]


@pytest.fixture(scope="module")
def published(shared_data):
    with gzip.open(shared_data / "data/rbo/rows.csv.gz", "rt") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("ties", WAYS)
def test_the_published_values_come_out(published, ties):
    assert len(published) == 2000
    found = np.array([values(rbo(parsed(r["x"]), parsed(r["y"]), p=float(r["p"]), ties=ties)) for r in published])
    printed = np.array([[float(row[f"{ties}.{name}"]) for name in ("ext", "min", "max", "res")] for row in published])
    assert np.abs(found - printed).max() < 1e-9


@pytest.mark.parametrize("ties", WAYS)
def test_two_swapped_items_agree_from_the_second_place_on(ties):
    # A1 = 0, A2 = 1 and so on: 1 - (1 - p); unseen items may all differ: 0.5 * 2 * sum over d >= 2 of 0.5^d / d
    found = rbo("ab", "ba", p=0.5, ties=ties)
    assert found.ext == pytest.approx(0.5)
    assert found.min == pytest.approx(2 * (math.log(2) - 0.5))
    assert found.max == pytest.approx(0.5)


def test_a_shorter_ranking_goes_on_as_it_began():
    # A1 = 1; at depth 2 one of two is met and the other as likely (A1): 1; beyond it the same.
    assert rbo("a", "ab", p=0.8).ext == pytest.approx(1.0)
    # smallest: 0.2 * (1 + 0.8 / 2 + 0.64 / 3 + ...) = 0.2 / 0.8 * ln(1 / 0.2)
    assert rbo("a", "ab", p=0.8).min == pytest.approx(0.25 * math.log(5))


def test_what_neither_has_seen_may_agree_from_the_depth_where_both_can_have_all():
    # a | b: at depth 2 each unseen item may be the other's; nothing agrees at depth 1
    found = rbo("a", "b", p=0.5)
    assert values(found) == pytest.approx([0.0, 0.0, 0.5, 0.5])


@pytest.mark.parametrize(("ties", "expected"), [("w", 2 / 3), ("a", 0.5), ("b", math.sqrt(0.5))])
def test_a_tie_for_the_first_place_counts_in_three_ways(ties, expected):
    # (a b) against a b at depth 1. w: 2 * 1 / (2 + 1); a: 1/2 of a, by 1; b: 1/2, by sqrt((1/4 + 1/4) * 1)
    assert rbo([["a", "b"]], "ab", p=1, ties=ties).ext == pytest.approx((expected + 1) / 2)


def test_with_p_of_one_every_depth_weighs_the_same():
    # overlaps of a b c d and b a d c: 0, 2/2, 2/3, 4/4
    assert rbo("abcd", "badc", p=1) == Rbo(*[pytest.approx((0 + 1 + 2 / 3 + 1) / 4)] * 3)


def test_a_p_near_one_divided_by_its_weights_is_near_the_p_of_one():
    x, y, p = "abcdefgh", "bcadhefg", 1 - 1e-7
    # of complete rankings all that comes after the end agrees; its weight is p^8
    found = (rbo(x, y, p=p).ext - p**8) / (1 - p**8)
    assert found == pytest.approx(rbo(x, y, p=1).ext, abs=1e-6)


def test_an_unknown_order_is_the_mean_over_all_orders():
    x, y = parsed("a (b c d) e"), parsed("(c a) b (e d)")
    for p in (0.6, 0.9, 1.0):
        mean = np.mean([rbo(one, two, p=p).ext for one in orders(x) for two in orders(y)])
        assert rbo(x, y, p=p, ties="a").ext == pytest.approx(mean)


def test_ties_that_are_no_equality_are_as_the_board_of_many_has_them():
    generator = np.random.default_rng(3)
    for _ in range(30):
        one, two = generator.integers(0, 5, (2, 8)).astype(float)
        many = correlations(one, two, ("rbo",), persistence=0.85).rbo
        both = [
            [[str(place) for place in np.flatnonzero(side == score)] for score in sorted(set(side), reverse=True)]
            for side in (one, two)
        ]
        assert rbo(*both, p=0.85, ties="w").ext == pytest.approx(float(many), abs=1e-12)


RANKINGS = st.permutations(list("abcdefg")).flatmap(
    lambda items: st.lists(st.booleans(), min_size=1, max_size=7).map(lambda cuts: grouped(items[: len(cuts)], cuts))
)


def grouped(items, cuts):
    """Items in groups of ties: a cut begins a new one."""
    groups = []
    for item, cut in zip(items, cuts, strict=True):
        if cut or not groups:
            groups.append([])
        groups[-1].append(item)
    return groups


@given(RANKINGS, RANKINGS, st.sampled_from([0.3, 0.9, 0.99, 1.0]), st.sampled_from(WAYS))
def test_the_sides_can_be_swapped_and_the_values_are_in_order(x, y, p, ties):
    found = rbo(x, y, p=p, ties=ties)
    assert values(found) == pytest.approx(values(rbo(y, x, p=p, ties=ties)))
    assert -1e-12 <= found.min <= found.ext + 1e-12 <= found.max + 2e-12 <= 1 + 4e-12


@given(RANKINGS, st.sampled_from([0.5, 0.9, 1.0]))
def test_a_ranking_agrees_with_itself_but_for_an_order_that_is_not_known(x, p):
    assert rbo(x, x, p=p, ties="w").ext == pytest.approx(1)
    assert rbo(x, x, p=p, ties="b").ext == pytest.approx(1)
    assert rbo(x, x, p=p, ties="a").ext <= 1 + 1e-12


@pytest.mark.parametrize("p", [0, -0.1, 1.01, math.nan])
def test_a_p_out_of_range_is_refused(p):
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        rbo("ab", "ab", p=p)


def test_a_ranking_with_an_item_twice_an_empty_one_and_an_unknown_way_are_refused():
    with pytest.raises(ValueError, match="b is ranked twice"):
        rbo(["a", ["b", "c"], "b"], "ab")
    with pytest.raises(UndefinedMeasure, match="empty"):
        rbo([], "ab")
    with pytest.raises(ValueError, match="there are w, a, b"):
        rbo("ab", "ab", ties="x")  # type: ignore[arg-type]
