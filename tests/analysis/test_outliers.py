"""Displacements against a reference: by hand, as slow loops, and the papers' own outlier."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import linregress, rankdata

from exam_core.analysis.choosing import choose
from exam_core.analysis.displacements import verdict
from exam_core.analysis.figures import figures_of
from exam_core.analysis.outliers import ALPHA, enough_draws, method_choices, outliers, readable_titles
from exam_core.analysis.printed_figures import Printed
from exam_core.analysis.values import counted_values
from exam_core.errors import UsageError
from exam_core.numbers.displacement import beyond_ties, displacements, on_line, sign_p
from exam_core.numbers.resampling import bootstrap_counts
from exam_core.request import Request
from exam_core.store import Store
from exam_core.store.names import BankRef
from exam_core.store.summary import graded_banks
from exam_core.wording import method_in_words

from .worlds import question, ranking, store_of

COVERAGE = ("tqa Cover@20 verified answers", "genq Cover@20 tau=4", "original EXAM")
DRAWS = 60


def choices_of(snapshot, *measures, **options):
    """The methods of all graders that have questions."""
    wanted = {options.get("bank")} - {None}
    graders = [
        name
        for name, banks in graded_banks(snapshot).items()
        if name != "labels" and (not wanted or wanted & set(banks))
    ]
    actual, _ = method_choices(snapshot, Request(**options), measures, graders)
    return actual


def row_of(frame, run_id, **where):
    rows = frame[frame["run_id"] == run_id]
    for name, value in where.items():
        rows = rows[rows[name] == value]
    (row,) = rows.to_dict("records")
    return row


@pytest.fixture
def three_runs(tmp_path):
    """Two queries of two questions; the reference likes the runs in the reverse order of what they answer."""
    runs = {"two": "a", "one": "b", "none": "c"}
    grades = {("a", 1): 5, ("a", 2): 5, ("b", 1): 5, ("b", 2): 0, ("c", 1): 0, ("c", 2): 0}
    frames = {
        "questions": [question(f"{query}/{n}", query) for query in "xy" for n in (1, 2)],
        "grades": [("rater", f"{q}/{n}", q, doc, grade) for q in "xy" for (doc, n), grade in grades.items()],
        "rankings": [row for run, doc in runs.items() for query in "xy" for row in ranking(run, query, doc)],
        "leaderboards": [("official", run, float(rank)) for rank, run in enumerate(("none", "one", "two"), 1)],
    }
    return store_of(tmp_path, frames)


def test_three_runs_by_hand(three_runs):
    outcome = outliers(three_runs, choices_of(three_runs, "Cover@1"), draws=10)
    # Own ranks 1, 2, 3 of two, one, none; the reference has them 3, 2, 1. The line through the points
    # (3, 1), (2, 0.5), (1, 0) meets each of them.
    rows = [row_of(outcome.rows, run) for run in ("two", "one", "none")]
    assert [(row["rank_displacement"], row["score_displacement"]) for row in rows] == [(2, 0), (0, 0), (-2, 0)]
    # values that are the same for every query leave no doubt, and three runs no test
    assert (rows[0]["low"], rows[0]["high"]) == (2, 2)
    assert np.isnan([rows[0]["p"], rows[0]["p_holm"]]).all()


def test_a_reference_with_scores_is_normalised_itself(three_runs):
    outcome = outliers(three_runs, choices_of(three_runs, "P@1", tau=5, reference="grades:Cover@1:tau=5"), draws=10)
    # P@1 is 1, 1, 0 and Cover@1 is 1, 0.5, 0: the run with half of the answers stands half too high.
    assert row_of(outcome.rows, "one")["score_displacement"] == 0.5


def test_runs_that_all_score_alike_have_no_displacement(three_runs):
    outcome = outliers(three_runs, choices_of(three_runs, "Judged@1"), draws=10)
    assert outcome.rows[["rank_displacement", "low", "p"]].isna().all(axis=None)
    assert any("all have the same score" in note for note in outcome.notes)


def slow_displacements(snapshot, choice, counts):
    """(draws + 1, n) displacements of plain loops; the first row is that of all queries once."""
    values = counted_values(snapshot, choice)
    official = snapshot.frame("leaderboards").set_index("run_id")["rank"]
    runs = [run for run in values.run_ids if run in official.index]
    actual = []
    for count in [np.ones(len(values.query_ids), int), *counts]:
        means = []
        for run in runs:
            row = values.values[values.run_ids.index(run)]
            drawn = [value for value, times in zip(row, count, strict=True) for _ in range(times)]
            means.append(math.fsum(drawn) / len(drawn))
        own = rankdata([-round(mean, 9) for mean in means])
        actual.append(rankdata([official[run] for run in runs]) - own)
    return runs, np.array(actual)


def test_methods_together_are_judged_in_the_same_draws(plain_world):
    choices = choices_of(plain_world, "Cover@5", "P@5", tau=2, bank="genq")[:2]
    n = len(counted_values(plain_world, choices[0]).query_ids)
    counts = bootstrap_counts(n, DRAWS, 0)
    loops = [slow_displacements(plain_world, choice, counts) for choice in choices]
    mean = np.mean([slow for _, slow in loops], axis=0)
    actual = outliers(plain_world, choices, draws=DRAWS).combined
    for place, run in enumerate(loops[0][0]):
        row = row_of(actual, run, over="all")
        expected = (mean[0, place], *np.quantile(mean[1:, place], [0.025, 0.975]))
        assert tuple(row[name] for name in ("rank_displacement", "low", "high")) == pytest.approx(expected)
        assert row["agree"] == (len({float(np.sign(slow[0, place])) for _, slow in loops} | {0.0}) == 2 and all(
            slow[0, place] != 0 for _, slow in loops
        ))  # fmt: skip


@pytest.mark.parametrize("places", [(1, 2, 3, 4, 5), (5, 4, 3, 2, 1)], ids=["as nDCG@10", "the other way"])
def test_a_list_that_a_measure_over_the_judgments_gives_is_drawn_with_the_queries(tmp_path, places):
    runs = [f"run{number}" for number in range(5)]
    snapshot = store_of(
        tmp_path,
        {
            "judgments": [("official", "q", run, 5 - number) for number, run in enumerate(runs)],
            "rankings": [(run, "q", run, 1, 1, 1.0, False) for run in runs],
            "leaderboards": [("official", run, float(place)) for run, place in zip(runs, places, strict=True)],
        },
    )
    choice = choose(snapshot, Request(measure="P@1", grader="judgments:official", relevant_from=3))
    outcome = outliers(snapshot, [choice], draws=10)
    assert outcome.drawn_along == outcome.methods["same_labels"].item() == (places[0] == 1)
    assert outcome.rows.set_index("run_id")["reference_rank"].loc[runs].tolist() == list(places)
    assert (
        any("nDCG@10 of the judgments rank runs nearly alike" in note for note in outcome.notes) == outcome.drawn_along
    )


@pytest.fixture
def tied_runs(tmp_path):
    """Six queries alike, of which `g` and `f` are relevant: four runs find one, ever later, and `d` finds both."""
    orders = {"a": "guvwxy", "b": "ugvwxy", "c": "uvgwxy", "d": "uvwgfx", "e": "uvwxyg"}
    frames = {
        "judgments": [(judges, q, doc, 2) for judges in ("official", "other") for q in "123456" for doc in "gf"],
        "rankings": [row for run, docs in orders.items() for q in "123456" for row in ranking(run, q, docs)],
    }
    return store_of(tmp_path, frames)


def test_less_than_a_place_and_what_only_comes_of_ties_is_not_flagged(tied_runs):
    choices = [
        choose(tied_runs, Request(measure=measure, grader="judgments:official", reference="qrels:RR:judgments=other"))
        for measure in ("P@6", "P@5")
    ]
    outcome = outliers(tied_runs, choices, draws=500)
    rows = outcome.rows[outcome.rows["method"] == outcome.methods["method"][0]].set_index("run_id")
    assert rows["rank_displacement"].to_dict() == {"a": -2.5, "b": -1.5, "c": -0.5, "d": 3.0, "e": 1.5}
    assert (rows["p_holm"] < ALPHA).all()
    assert rows["flagged"].to_dict() == {"a": True, "b": False, "c": False, "d": True, "e": False}
    together = outcome.combined.set_index("run_id")
    assert together["flagged"].to_dict() == {"a": True, "b": False, "c": False, "d": True, "e": False}


@pytest.mark.parametrize(
    ("reference", "same"), [("qrels:RR", True), ("qrels:RR:relevant_from=1", True), ("qrels:RR:judgments=other", False)]
)
def test_beside_another_measure_of_the_same_judgments_no_run_is_flagged_and_that_is_said(tied_runs, reference, same):
    choices = [
        choose(tied_runs, Request(measure=measure, grader="judgments:official", reference=reference))
        for measure in ("P@6", "P@5")
    ]
    outcome = outliers(tied_runs, choices, draws=500)
    note = (
        "P@6, P@5 and RR of the judgments are made of the same judgments. Where they rank runs differently, the "
        "reason is the measure, so no run is flagged."
    )
    assert outcome.methods["same_labels"].tolist() == [same, same]
    assert outcome.rows["flagged"].isna().all() == outcome.combined["flagged"].isna().all() == same
    assert (outcome.notes[-1:] == verdict(outcome) == [note]) == same


def test_beside_a_mode_s_own_grades_the_other_modes_can_be_flagged(plain_world):
    choices, _ = method_choices(plain_world, Request(reference="grades:P@5:bank=genq:grader=rater"), ["Cover@5"])
    outcome = outliers(plain_world, choices, draws=10)
    same = dict(zip(outcome.methods["method"], outcome.methods["grader"] == "rater", strict=True))
    assert outcome.methods["same_labels"].tolist() == list(same.values())
    assert set(same.values()) == {True, False}
    assert outcome.rows["flagged"].isna().tolist() == [same[method] for method in outcome.rows["method"]]
    assert outcome.combined["flagged"].isna().tolist() == [over != "labels" for over in outcome.combined["over"]]
    [own] = [method_in_words(method) for method, is_same in same.items() if is_same]
    assert outcome.notes[-1].startswith(f"{own} and P@5 of rater, bank genq are made of the same grades. ")
    assert not any(own in sentence for sentence in verdict(outcome))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=7))
def test_what_ties_leave_of_a_displacement_is_the_least_over_the_places_that_are_shared(scores):
    def shared(values, run):
        above = sum(one > values[run] for one in values)
        return range(above + 1, above + values.count(values[run]) + 1)

    own, other = map(list, zip(*scores, strict=True))
    ranks, reference = (rankdata([-one for one in side]) for side in (own, other))
    least = [
        min((there - here for here in shared(own, run) for there in shared(other, run)), key=abs)
        for run in range(len(scores))
    ]
    assert beyond_ties(ranks, reference).tolist() == least


def test_a_run_that_the_reference_does_not_rank_is_left_out_and_counted(plain_world):
    outcome = outliers(plain_world, choices_of(plain_world, "Cover@5")[:1], draws=10)
    assert "1" not in set(outcome.rows["run_id"])
    assert any("1 of 5 runs has no rank in the official ranking and is left out." in note for note in outcome.notes)


def test_a_grader_of_whole_passages_takes_part_with_precision(plain_world):
    choices, notes = method_choices(plain_world, Request(), ["Cover@5"])
    measures = {choice.grading.grader: str(choice.measure) for choice in choices}
    assert measures == {"labels": "P@5", "rater": "Cover@5", "second": "Cover@5"}
    assert notes == ["labels labels whole passages: P@5 is used instead of Cover@5."]


def test_readers_see_the_grading_mode_in_the_place_of_its_bank(plain_world):
    choice = choose(plain_world, Request("P@5", bank="genq", grader="rater", tau=2))
    title = "genq P@5 (tau 2)"
    assert readable_titles([choice], {"rater": "Rater", "labels": "Labels"})[title] == "Rater P@5 (tau 2)"
    assert readable_titles([choice], {})[title] == title


def test_a_bank_brings_its_graders_and_those_of_whole_passages(plain_world):
    choices, _ = method_choices(plain_world, Request(bank="genq@1"), ["P@5"])
    assert [(choice.grading.grader, choice.grading.bank) for choice in choices] == [
        ("rater", BankRef("genq", 1)),
        ("labels", None),
    ]


def test_too_few_draws_to_flag_anything_are_told(plain_world):
    choices = choices_of(plain_world, "Cover@5", reference="qrels:nDCG@10")[:1]
    notes = outliers(plain_world, choices, draws=10).notes
    assert any("10 samples are too few to flag one of 5 runs: p is 1/11 or more" in one for one in notes)


@pytest.mark.parametrize(("runs", "draws"), [(37, 2000), (50, 2000), (151, 6040)])
def test_draws_grow_with_the_runs_so_that_one_can_be_flagged(runs, draws):
    assert enough_draws(2000, runs) == draws
    assert runs / (draws + 1) < ALPHA / 1.9
    assert enough_draws(99, runs) == 99  # who asks for few gets them


@pytest.fixture(scope="module")
def car_y3(printed_store):
    return figures_of(printed_store.snapshot("car-y3-published")).outliers(Request())[0]


def test_the_papers_outlier_is_the_only_run_that_all_coverage_boards_promote(car_y3):
    moved = car_y3.rows[car_y3.rows["run_id"] == "ICT-DRMMTKS"].set_index("method")["rank_displacement"]
    assert moved[[*COVERAGE, "genq P@20 tau=4"]].tolist() == [3, 4, 3, 0]
    together = car_y3.combined[car_y3.combined["over"] == "questions"]
    promoted = together[together["agree"] & (together["rank_displacement"] > 0)]
    assert promoted["run_id"].tolist() == ["ICT-DRMMTKS"]
    first = together.iloc[0]
    assert (first["run_id"], first["n_methods"], round(first["rank_displacement"], 3)) == ("ICT-DRMMTKS", 3, 3.333)
    assert car_y3.rows[["low", "high", "p", "p_holm", "flagged"]].isna().all(axis=None)


def test_a_store_without_an_official_list_says_what_to_name(tmp_path):
    store = Store(tmp_path)
    snapshot = store_of(tmp_path, {"leaderboards": [("mine", "a", 1.0)]})
    assert store.collections() == ["world"]
    with pytest.raises(UsageError, match="--reference"):
        Printed(snapshot).outliers(Request())


boards = st.lists(st.integers(0, 4), min_size=2, max_size=8)


@given(boards, st.randoms(use_true_random=False))
def test_displacements_are_differences_of_mean_ranks(scores, random):
    other = random.sample(scores, len(scores))
    expected = rankdata([-value for value in other]) - rankdata([-value for value in scores])
    assert displacements(np.array(scores, float), np.array(other, float)).tolist() == expected.tolist()


@given(boards.filter(lambda x: len(set(x)) > 1), st.randoms(use_true_random=False))
def test_the_line_is_that_of_scipy(x, random):
    y = random.sample(x, len(x))
    fitted = linregress(x, y)
    expected = [fitted.intercept + fitted.slope * value for value in x]
    assert on_line(np.array(x, float), np.array(y, float)) == pytest.approx(expected)


@pytest.mark.parametrize("x", [[], [3.0], [2.0, 2.0]], ids=["none", "one", "equal"])
def test_there_is_no_line_through_one_rank(x):
    assert np.isnan(on_line(np.array(x), np.array(x))).all()


@pytest.mark.parametrize(
    ("samples", "p"),
    [
        ([1, 2, 3, -1], 0.5),  # a quarter is not above 0
        ([0, 0, 0, 0], 1.0),  # at most 1
        ([1, 2, 3, 4], 0.2),  # never below 1 / (4 + 1)
        ([1, 2, np.nan, 4], np.nan),  # fewer than 90% are defined
    ],
    ids=["mixed", "nothing moves", "one-sided", "undefined"],
)
def test_p_by_hand(samples, p):
    assert sign_p(np.array(samples, float)[:, None]) == pytest.approx([p], nan_ok=True)
