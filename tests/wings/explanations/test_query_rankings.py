"""Why a run is here: ranks without a query and labels that flip, against plain loops over the store's frames."""

import numpy as np
import pandas as pd
import pytest

from exam_core.analysis.choosing import choose
from exam_core.errors import UsageError
from exam_core.request import Request
from exam_core.wings.explanations.explanation import alike_sentence, mover_sentences
from exam_core.wings.explanations.query_rankings import movers, two_rankings
from tests.analysis.twins import Twin
from tests.analysis.worlds import store_of, world

TAU = 2
RUNS = ("alpha", "beta", "gamma")
RANKED = (*RUNS, "one query only")
"""Runs that the reference ranks, in its order."""


@pytest.fixture(params=["Cover@5", "P@5", "AP"])
def choice(request, random_world):
    return choose(random_world, Request(measure=request.param, grader="rater", bank="genq", tau=TAU))


def rank_of(run, means):
    """From 1; ties share their mean rank."""
    better = sum(one > means[run] + 1e-9 for one in means.values())
    tied = sum(abs(one - means[run]) <= 1e-9 for one in means.values())
    return better + (tied + 1) / 2


def test_a_rank_without_a_query_is_that_of_the_board_of_all_others(random_world, choice):
    twin = Twin(random_world, choice)
    values = {
        run: dict(zip(twin.units, row, strict=True))
        for run, row in zip(twin.runs, twin.values(TAU), strict=True)
        if run in RANKED
    }
    for run, other in zip(RUNS, (*RUNS[1:], RUNS[0]), strict=True):
        found = movers(random_world, choice, run, other)
        for row in found.rows.itertuples():
            boards = [
                {
                    name: np.nanmean([value for unit, value in mine.items() if unit != left_out])
                    for name, mine in values.items()
                }
                for left_out in (None, row.query_id)
            ]
            assert row.rank_without == rank_of(run, boards[1])
            assert row.lifts == rank_of(run, boards[1]) - rank_of(run, boards[0])
            assert (row.value, row.beside) == pytest.approx((values[run][row.query_id], values[other][row.query_id]))


def test_the_query_that_moves_a_run_most_comes_first(random_world, choice):
    for run in RUNS:
        found = movers(random_world, choice, run)
        sign = np.sign(found.displacement)
        moves = found.rows["lifts"] * sign if sign else found.rows["lifts"].abs()
        assert moves.is_monotonic_decreasing
        assert found.rows["query_id"][0] in " ".join(mover_sentences(found, run)) or moves[0] <= 0


def test_labels_that_flip_are_those_of_the_other_questions(random_world, choice):
    twin = Twin(random_world, choice)
    unit = max(twin.units, key=lambda one: len(twin.enabled.get(one, ())))
    for off in sorted(twin.enabled[unit]):
        found = two_rankings(random_world, choice, RUNS[:2], unit, off=[off])
        for run, shown in zip(RUNS, found.passages, strict=False):
            first = [doc for doc in twin.first(run, unit) if doc in set(shown["doc_id"])]
            assert shown["doc_id"].tolist() == first
            for row in shown.itertuples():
                grades = twin.readable(unit, row.doc_id) if row.doc_id in twin.grades[unit] else {}
                labels = [max(kept, default=-1) for kept in (grades.values(), without(grades, off))]
                assert row.flips == ((labels[0] >= TAU) != (labels[1] >= TAU))
                known = [label if label >= 0 else None for label in labels]
                assert [None if np.isnan(one) else one for one in (row.label, row.label_after)] == known


def without(grades, off):
    return [grade for question, grade in grades.items() if question != off]


def test_every_flip_of_the_collection_is_counted(random_world, choice):
    twin = Twin(random_world, choice)
    off = sorted({question for unit in twin.units for question in twin.enabled.get(unit, ())})[0]
    found = two_rankings(random_world, choice, RUNS[:2], twin.units[0], off=[off]).flipped
    flips = {
        (unit, doc)
        for unit in twin.units
        for doc in twin.grades[unit]
        if (max(twin.readable(unit, doc).values(), default=-1) >= TAU)
        != (max(without(twin.readable(unit, doc), off), default=-1) >= TAU)
    }
    assert set(zip(*(found.loc[found["crosses_tau"], name] for name in ("query_id", "doc_id")), strict=True)) == flips


def test_best_grades_are_those_of_the_passages_that_are_read(random_world, choice):
    twin = Twin(random_world, choice)
    unit = max(twin.units, key=lambda one: len(twin.enabled.get(one, ())))
    found = two_rankings(random_world, choice, RUNS[:2], unit)
    for row in found.questions.itertuples():
        for run, grade in zip(RUNS, (row.grade_a, row.grade_b), strict=False):
            graded = [
                twin.readable(unit, doc)
                for doc in twin.first(run, unit)[: 5 if choice.measure.depth else None]
                if doc in twin.grades[unit]
            ]
            best = max((grades[row.question_id] for grades in graded if row.question_id in grades), default=None)
            assert (None if np.isnan(grade) else grade) == best


def test_other_ranks_are_where_the_other_run_has_the_passage(random_world, choice):
    found = two_rankings(random_world, choice, RUNS[:2], Twin(random_world, choice).units[0])
    for mine, other in (found.passages, found.passages[::-1]):
        there = dict(zip(other["doc_id"], other["rank"], strict=True))
        assert [there.get(doc, -1) for doc in mine["doc_id"]] == mine["other_rank"].fillna(-1).tolist()


def test_neighbours_in_the_reference_come_first_then_those_on_the_board(random_world, choice):
    means = {run: mean for run, (mean, _, _) in Twin(random_world, choice).means(TAU).items() if mean == mean}
    order = sorted(means, key=lambda run: (-round(means[run], 9), run))
    for run in RUNS:
        others, place = movers(random_world, choice, run).others, order.index(run)
        near = [one for one in RANKED if abs(RANKED.index(one) - RANKED.index(run)) <= 2]
        expected = dict.fromkeys([*near, *order[max(0, place - 1) : place], *order[place + 1 : place + 2], *order])
        assert others[: len(expected) - 1] == [one for one in expected if one != run]


def test_the_run_beside_it_is_the_first_that_differs_on_the_query_that_moves_it_most(random_world, choice):
    twin = Twin(random_world, choice)
    values = dict(zip(twin.runs, twin.values(TAU), strict=True))
    for run in RUNS:
        found = movers(random_world, choice, run)
        sign = np.sign(found.displacement)

        def differs(other, query, run=run, sign=sign):
            ahead = values[run][twin.units.index(query)] - values[other][twin.units.index(query)]
            return ahead * sign > 1e-9 if sign else abs(ahead) > 1e-9

        pairs = [(query, other) for query in found.rows["query_id"] for other in found.others if differs(other, query)]
        assert (found.query_id, found.other) == pairs[0]
        assert found.passed == found.others[: found.others.index(found.other)]
        for other in found.others:
            given = movers(random_world, choice, run, other)
            mine = [query for query, one in pairs if one == other]
            assert given.query_id == mine[0] if mine else not (given.rows["difference"] * (sign or 1) > 1e-9).any()


@pytest.fixture(scope="module")
def leading(dl19):
    """The official leaderboard's first run, 11th by Cover, whose neighbours are of the same group."""
    choice = choose(dl19, Request(measure="Cover@20", bank="genq", tau=4, reference="official"))
    return choice, movers(dl19, choice, "idst_bert_p1")


def test_places_within_a_standard_error_are_told_first_and_what_no_query_explains_adds_up(leading):
    assert mover_sentences(leading[1], "idst_bert_p1", stands="It stands.") == [
        "Ranks 1 to 11 lie within one standard error (0.032): 10 places are a difference of 0.028 in Cover@20.",
        "It stands.",
        "Query 451602 lowers the run most: without this query, idst_bert_p1 would rank 10th: that is 1 of the 10 "
        "places.",
        "No single query explains the other 9 places.",
        "idst_bert_p2 and idst_bert_p3 score no higher on this query, so TUW19-p2-f is shown.",
    ]


def test_rankings_of_the_same_passages_are_told_as_such(dl19, leading):
    runs = ("idst_bert_p1", "idst_bert_p2")
    both = two_rankings(dl19, leading[0], runs, "451602")
    assert alike_sentence(both, runs, "451602") == (
        "idst_bert_p1 and idst_bert_p2 rank the same 17 passages for query 451602, in the same order: "
        "choose another run or query."
    )
    assert not two_rankings(dl19, leading[0], (runs[0], leading[1].other), leading[1].query_id).is_alike


def test_runs_that_rank_the_same_passages_have_nothing_beside_each_other(tmp_path):
    frames = world(3)
    ranked = frames["rankings"]
    first = ranked[ranked["run_id"] == "alpha"]
    frames["rankings"] = pd.concat([first.assign(run_id=run) for run in RUNS])
    snapshot = store_of(tmp_path, frames)
    found = movers(
        snapshot, choose(snapshot, Request(measure="Cover@5", grader="rater", bank="genq", tau=TAU)), "alpha"
    )
    assert found.query_id is None
    assert mover_sentences(found, "alpha", stands="")[-1] == (
        "For every query, every other run and alpha rank the same passages."
    )


@pytest.mark.parametrize("asked", [{"query_id": "nowhere"}, {"question_id": "nowhere"}, {"off": ["nowhere"]}])
def test_what_is_not_there_is_refused_in_a_sentence(random_world, choice, asked):
    unit = Twin(random_world, choice).units[0]
    with pytest.raises(UsageError, match=r"nowhere|graded"):
        two_rankings(random_world, choice, RUNS[:2], **({"query_id": unit} | asked))
