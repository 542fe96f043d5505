"""Sentences about displaced runs: the published outlier, and boards made by hand."""

import math

import pandas as pd
import pytest

from exam_core.analysis.displacements import (
    around_columns,
    displacement_sentence,
    flagged_first,
    neighbours_table,
    runs_to_explain,
    verdict,
)
from exam_core.analysis.figures import figures_of
from exam_core.analysis.outliers import COMBINED, Outliers
from exam_core.defaults import Sampling
from exam_core.demo.printed import printed
from exam_core.request import Request
from exam_core.store import Store
from exam_core.wording import ordinal, rank_text
from tests.analysis.unread import unread


@pytest.fixture(scope="module")
def car(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("car"))
    store.commit("car", printed("car-y3-published"), source="published")
    return figures_of(store.snapshot("car")).outliers(Request())[0]


def test_the_published_outlier_is_promoted_by_all_methods_over_questions(car):
    assert verdict(car) == [
        "ICT-DRMMTKS ranks higher than officially: 13th by tqa Cover@20 verified answers, 12th by genq Cover@20 "
        "(tau 4) and 13th by original EXAM instead of 16th of the 16 runs that both rank; but 16th by genq P@20 "
        "(tau 4).",
        "The same methods rank IRIT3, IRIT1 and UvABM25RM3 lower.",
    ]


def test_where_no_run_has_a_mean_none_is_displaced_or_explained(tmp_path):
    unread(tmp_path, readable=False)
    figures = figures_of(Store(tmp_path).snapshot("world"))
    found = figures.outliers(Request(grader="rater"), ("Cover@2",), ("rater",), Sampling(draws=9))[0]
    assert (runs_to_explain(found), verdict(found)) == (
        [],
        ["No displacement is known: all runs have the same score, or no run has a mean."],
    )


def test_the_board_around_a_run_is_in_the_reference_order_with_a_rank_for_each_method(car):
    board = neighbours_table(car, "ICT-DRMMTKS")
    assert board["run_id"].tolist() == ["UvABottomUpChangeOrder", "UvABottomUp2", "ICT-DRMMTKS"]
    assert board.columns.tolist() == around_columns(car).names == ["run_id", "reference_rank", *car.methods["method"]]
    for row in car.rows[car.rows["run_id"] == "ICT-DRMMTKS"].itertuples():
        assert board[row.method].iloc[2] == row.rank


MOST_BY_CHANCE = "No run ranks higher or lower than officially by more than chance explains (Holm-corrected)."
ROW = {"method": "m tau=4", "rank": 2.0, "reference_rank": 5.0, "low": -4.0, "high": -1.0, "p": 0.01, "p_holm": 0.02}


def row(run, moved, flagged, **more):
    return {**ROW, "run_id": run, "rank_displacement": moved, "flagged": flagged, **more}


def answer(*rows, draws=2000, n_runs=36, drawn_along=True):
    methods = pd.DataFrame(
        {"method": ["m tau=4"], "of": ["questions"], "bank": [None], "n_runs": [n_runs], "same_labels": [False]}
    )
    return Outliers("official", methods, pd.DataFrame(rows), COMBINED.of(), draws, 0, drawn_along=drawn_along)


def test_flagged_runs_come_first_and_the_others_keep_their_order():
    rows = pd.DataFrame([row("a", 9, False), row("b", 3, pd.NA), row("c", -2, True)])
    assert flagged_first(rows)["run_id"].tolist() == ["c", "a", "b"]


def test_a_flagged_run_has_its_ranks_interval_and_corrected_p():
    found = answer(row("a", 9.0, False), row("b", -3.0, True, p=1 / 2001, p_holm=36 / 2001))
    assert verdict(found) == [
        "b ranks 2nd by m (tau 4), 5th officially: 3 places lower (95% interval 1 to 4; p ≤ 0.018 "
        "after correction for 36 runs, ≤ 0.001 before)."
    ]
    assert verdict(found, tested=False) == ["b ranks 2nd by m (tau 4), 5th officially: 3 places lower."]


def test_an_interval_on_both_sides_says_which_end_is_which():
    [said] = verdict(answer(row("b", -3.0, True, high=2.0)))
    assert "(95% interval 2 higher to 4 lower; p = 0.020 after correction for 36 runs, 0.010 before)" in said


def test_of_a_run_that_only_ties_no_p_is_said_beside_that_none_is_displaced():
    said = verdict(
        answer(row("a", -1.5, False, low=-3.0, high=-0.5, p=1e-5, p_holm=1e-4), n_runs=140, drawn_along=False)
    )
    assert said[0].startswith("No run is significantly displaced: ")
    assert " p " not in said[-1]


@pytest.mark.parametrize(
    ("p", "p_holm", "told"),
    [
        (0.2, 0.9, "p = 0.900 after correction for 140 runs, 0.200 before"),
        (0.022, 1.0, "not significant, p = 0.022 even before correction for 140 runs"),
        (1.0, 1.0, "not significant"),
        (1e-5, 0.14, "p = 0.140 after correction for 140 runs, < 0.001 before"),
    ],
)
def test_p_that_allows_for_the_noise_of_a_list_is_told_apart_from_the_interval_and_is_never_1(p, p_holm, told):
    sim151 = row("a", -49.0, False, low=-55.0, high=-31.0, p=p, p_holm=p_holm)
    said = verdict(answer(sim151, n_runs=140, drawn_along=False))[-1]
    assert (
        f"49 places lower (95% interval 31 to 55, the reference taken as exact). With the reference's noise: {told}."
        in said
    )


def test_p_is_corrected_for_the_runs_of_the_method_of_which_the_sentence_is():
    found = answer(row("a", -3.0, True))
    found.methods.loc[1] = ["another", "questions", None, 99, False]
    assert "after correction for 36 runs" in verdict(found)[0]


def test_half_a_place_is_explained_by_the_tie_that_it_comes_of():
    [said] = verdict(answer(row("a", 2.5, True, rank=2.5)), tested=False)
    assert said == "a ranks tied 2nd by m (tau 4), 5th officially: 2.5 places higher, ties at their middle."


def test_many_flagged_runs_are_counted():
    sentences = verdict(answer(*(row(str(n), 1.0, True) for n in range(8))))
    assert (len(sentences), sentences[-1]) == (4, "5 more are significant: see All figures.")


def test_where_none_is_flagged_the_largest_is_told():
    first, second = verdict(answer(*(row(run, moved, False, p_holm=0.5) for run, moved in (("a", 1.0), ("b", -1.0)))))
    assert first == MOST_BY_CHANCE
    assert second.startswith("The largest: a ranks 2nd by m (tau 4), 5th officially: 1 place higher")


def test_too_few_draws_are_blamed_and_not_the_data():
    first, _ = verdict(answer(row("a", 1.0, False), n_runs=140))
    assert first == (
        "2,000 bootstrap samples are too few to call one of 140 runs significantly displaced: no p could be below "
        "0.07 after correction. Ask for more samples."
    )
    first, _ = verdict(answer(row("a", 1.0, False, p_holm=0.5), n_runs=140, drawn_along=False))
    assert first == MOST_BY_CHANCE


def test_where_a_run_moves_by_less_than_a_place_that_is_why_none_is_flagged():
    first, _ = verdict(answer(row("a", 0.5, False), n_runs=3))
    assert first == (
        "No run is significantly displaced: those with p below 0.05 (Holm-corrected) move by less than one place, or "
        "only because of ties."
    )


def test_what_cannot_be_tested_is_said():
    first, _ = verdict(answer(row("a", 1.0, pd.NA, p=math.nan, p_holm=math.nan), n_runs=3))
    assert first == "No run can be tested: a test needs 5 runs with different scores, and 5 queries."


@pytest.mark.parametrize(
    ("moved", "says"),
    [(0.0, "a ranks 2nd by m (tau 4), as it does officially."), (math.nan, "a has no displacement by m (tau 4).")],
    ids=["not displaced", "undefined"],
)
def test_a_run_that_is_not_displaced_is_told_so(moved, says):
    one = next(pd.DataFrame([row("a", moved, pd.NA, low=math.nan, high=math.nan)]).itertuples())
    assert displacement_sentence(one, answer(row("a", moved, pd.NA))) == says


def test_ranks_are_said_as_people_say_them():
    said = ["1st", "2nd", "3rd", "4th", "11th", "12th", "21st", "tied 30th", "112th"]
    assert [ordinal(rank) for rank in (1, 2, 3, 4, 11, 12, 21, 30.5, 112)] == said


@pytest.mark.parametrize(
    ("rank", "ranks", "said", "in_table"),
    [(3, [1, 3, 3, 3], "tied 2nd", "2="), (3.5, [1, *[3.5] * 4], "tied 2nd", "2="), (2, [1, 2, 3], "2nd", "2")],
    ids=["three share it", "four share it", "nobody shares it"],
)
def test_a_shared_rank_is_the_first_of_the_places_that_runs_share(rank, ranks, said, in_table):
    assert (ordinal(rank, ranks), rank_text(rank, ranks)) == (said, in_table)
