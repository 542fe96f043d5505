"""POURPRE: the paper's example, F by hand for every option, a slow twin, and real answers."""

from dataclasses import fields, replace
from math import log

import numpy as np
import pytest

from exam_core.declared import declared
from exam_core.errors import UndefinedMeasure
from exam_core.wings.neighbours.pourpre import Pourpre, find_nuggets, matches, pooled, pourpre
from exam_core.wings.neighbours.sides import Nugget

from .samples import MANY_SCRIPTS, rag24, random_sides, sides_of
from .slow_texts import slow_micro, slow_pourpre

EXACT = {"rtol": 0, "atol": 1e-12}


def f(precision, recall, beta=3):
    return (beta**2 + 1) * precision * recall / (beta**2 * precision + recall)


AS_USUAL = Pourpre()


def value(answer, nuggets, options=AS_USUAL, documents=()):
    return pourpre(sides_of([[answer]], [nuggets], documents), options).item()


def test_the_papers_nugget_is_matched_by_three_quarters_in_the_second_string():
    sides = sides_of([[["A", "B C D", "D", "A D"]]], [["A B C D"]])
    seen = find_nuggets(sides, 0, 0)[0]
    assert (seen.score, seen.string, seen.terms) == (3 / 4, 1, ("b", "c", "d"))
    # The answer has 7 characters, so nothing is taken off: F = 10 P R / (9 P + R) with P = 1 and R = 3/4.
    assert pourpre(sides).item() == pytest.approx(10 * 0.75 / 9.75)


# Two strings of 120 and 30 characters. Nugget 1, vital: `alpha beta beta`; nugget 2, okay: `gamma of`; nugget 3,
# vital, weighs 0.5: `runs`. The first string has alpha, beta and of; the second gamma, of and running.
ANSWER = ["Alpha, beta of. " + "x" * 106, "Gamma of running " + "y" * 14 + "!"]

NUGGETS = [
    Nugget("1", "alpha beta beta", weight=1.0),
    Nugget("2", "gamma of", vital=False, weight=0.25),
    Nugget("3", "runs", weight=0.5),
]
# alpha is in 1 of 4, beta in 2, gamma in 4, of in none, runs in 1.
DOCUMENTS = ["alpha beta gamma", "beta gamma", "gamma", "gamma runs"]

LENGTH = 13 + 106 + 14 + 15

BY_HAND = {
    # Nugget 1 has all 3 terms in string 1, nugget 2 both in string 2, nugget 3 nothing: 200 characters are allowed.
    "as usual": (Pourpre(), 1.0, (1 + 0) / 2),
    "beta": (Pourpre(beta=5), 1.0, 1 / 2),
    # `runs` and `running` are `run`.
    "stems": (Pourpre(stem="porter"), 1.0, 1.0),
    # 20 characters for each of two nuggets.
    "allowance": (Pourpre(allowance=20), 1 - (LENGTH - 40) / LENGTH, 1 / 2),
    # (1 * 1 + 0.25 * 1 + 0.5 * 0) / 1.75
    "pyramid": (Pourpre(weights="pyramid"), 1.0, 1.25 / 1.75),
    "idf": (Pourpre(terms="idf"), 1.0, 1 / 2),
}


@pytest.mark.parametrize(("options", "precision", "recall"), BY_HAND.values(), ids=BY_HAND)
def test_f_is_what_was_worked_out_by_hand(options, precision, recall):
    assert value(ANSWER, NUGGETS, options, DOCUMENTS) == pytest.approx(f(precision, recall, options.beta), abs=1e-15)


def test_the_hand_worked_cases_name_every_option():
    varied = {field.name for field in fields(Pourpre) for options, *_ in BY_HAND.values()
              if getattr(options, field.name) != getattr(Pourpre(), field.name)}  # fmt: skip
    assert varied | {"average"} == set(declared(Pourpre))


def test_short_words_are_terms_of_their_own_among_stems():
    # Of `s`, `us` and `is` the answer has `s` alone; Porter's rules by themselves leave nothing of it, and `u` of `us`.
    assert value(["u s i"], ["s us is"], Pourpre(stem="porter")) == pytest.approx(f(1, 1 / 3))


def test_an_okay_nugget_allows_length_but_adds_no_recall():
    # 150 characters; the vital nugget allows 100, with the okay one 200.
    answer = ["alpha beta" + " x" * 141]
    assert value(answer, ["alpha"]) == pytest.approx(f(1 - 50 / 150, 1))
    assert value(answer, ["alpha", Nugget("okay", "beta", vital=False)]) == 1


def test_what_was_returned_for_nothing_is_0_and_what_has_no_vital_nugget_is_undefined():
    sides = sides_of(
        [[["alpha"], ["alpha"], ["alpha"]], [[], [], []]], [["alpha"], [Nugget("okay", "alpha", vital=False)], []]
    )
    np.testing.assert_array_equal(pourpre(sides), [[1, np.nan, np.nan], [0, np.nan, np.nan]])


def test_found_words_are_where_they_are_said_to_be():
    sides = sides_of([[["Nothing.", "Running late. He RUNS."]]], [["ran runs"]])
    one = find_nuggets(sides, 0, 0, Pourpre(stem="porter"))[0]
    marked = [sides.strings[0, 0][string][start:end] for string, start, end in one.places]
    assert (one.terms, marked) == (("run",), ["Running", "RUNS"])


OPTIONS = {
    "as usual": Pourpre(),
    "stems": Pourpre(stem="porter"),
    "idf": Pourpre(terms="idf", beta=5),
    "pyramid, little allowed": Pourpre(weights="pyramid", allowance=7),
    "idf, stems": Pourpre("idf", "porter"),
}


def test_many_scripts_have_the_values_that_loops_give():
    options = Pourpre(stem="porter", allowance=9)
    for seed in range(3):
        sides = random_sides(seed, words=MANY_SCRIPTS)
        slow = [[slow_pourpre(sides, run, query, options) for query in range(5)] for run in range(4)]
        np.testing.assert_allclose(pourpre(sides, options), slow, **EXACT)


def test_nuggets_that_a_model_found_are_matched_better_than_those_it_did_not(shared_data):
    sides, assigned = rag24(shared_data)
    scores = {"support": [], "partial_support": [], "not_support": []}
    for row, match in zip(assigned, matches(sides), strict=True):
        for nugget, score in zip(row["nuggets"], match.scores[0], strict=True):
            scores.get(nugget["assignment"], []).append(score)
    full, partial, none = (np.nanmean(found) for found in scores.values())
    assert (len(sides.query_ids), full > partial > none) == (301, True)


def test_idf_weighs_a_nuggets_terms_by_their_rarity_among_passages():
    # alpha log(4/1), gamma log(4/4) = 0, beta log(4/2); the answer lacks alpha.
    found_share = log(2) / (log(4) + log(2))
    nuggets = ["alpha beta gamma"]
    assert value(["beta gamma"], nuggets, Pourpre(terms="idf"), DOCUMENTS) == pytest.approx(f(1, found_share))
    # alpha is in one passage, omega in none: both log(4).
    assert value(["omega"], ["alpha omega"], Pourpre(terms="idf"), DOCUMENTS) == pytest.approx(f(1, 1 / 2))
    with pytest.raises(UndefinedMeasure, match=r"import texts, or take terms=count"):
        value(["a"], ["a"], Pourpre(terms="idf"))


def test_a_nugget_without_terms_is_left_out_and_shown_as_such_also_where_nothing_was_returned():
    nuggets = ["alpha", "..."]
    assert value(["alpha"], nuggets) == 1
    shown = find_nuggets(sides_of([[["alpha"]]], [nuggets]), 0, 0)
    assert [str(one.score) for one in shown] == ["1.0", "nan"]
    sides = sides_of([[[]], [[]]], [["alpha", "..."]])
    assert [match.scores.tolist() for match in matches(sides)] == [[[0, pytest.approx(np.nan, nan_ok=True)]] * 2]
    assert find_nuggets(sides, 0, 0)[0].string is None


def test_micro_averages_give_each_nugget_the_same_weight_and_a_query_has_none():
    # q0 has one vital nugget, matched; q1 three, of which one is matched by half. 5 + 250 characters, 200 allowed.
    sides = sides_of([[["alpha"], ["beta" + "x" * 246]], [["alpha"], ["beta " + "x" * 246]]],
                     [["alpha"], ["beta gamma", "delta", "epsilon"]])  # fmt: skip
    expected = [f(100 / 255, 1 / 4), f(200 / 255, 1.5 / 4)]
    np.testing.assert_allclose(pooled(sides, Pourpre(average="micro")), expected)
    with pytest.raises(UndefinedMeasure, match="leave average=micro out"):
        value(["a"], ["a"], Pourpre(average="micro"))


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_queries_and_micro_averages_have_the_values_that_loops_give_and_a_page_shows_those_scores(options):
    for seed in range(3):
        sides = random_sides(seed)
        slow = [[slow_pourpre(sides, run, query, options) for query in range(5)] for run in range(4)]
        np.testing.assert_allclose(pourpre(sides, options), slow, **EXACT)
    slow = [slow_micro(sides, run, options) for run in range(4)]
    np.testing.assert_allclose(pooled(sides, replace(options, average="micro")), slow, **EXACT)
    for query, match in enumerate(matches(sides, options)):
        shown = [[one.score for one in find_nuggets(sides, run, query, options)] for run in range(4)]
        np.testing.assert_allclose(match.scores, np.reshape(shown, match.scores.shape), **EXACT)
