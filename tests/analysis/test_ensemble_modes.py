"""Majority and median as grading modes: by hand, against each other, and wherever a mode can be named."""

import random

import pandas as pd
import pytest

from exam_core.analysis.choosing import choose, with_ensembles
from exam_core.analysis.leaderboard import leaderboard
from exam_core.errors import UsageError
from exam_core.formats import Reading
from exam_core.request import Request
from exam_core.store import Store
from tests.analysis.electorate import electorate


def grades(snapshot, name):
    """The grades of a mode by passage; None can't be read, and what is not graded is not there."""
    with_it = with_ensembles(snapshot, [name])
    frame = with_it.query("SELECT doc_id, grade FROM grades WHERE grader_id = ? ORDER BY doc_id", [name])
    return {doc: None if pd.isna(grade) else int(grade) for doc, grade in zip(*frame.to_numpy().T, strict=True)}


def test_a_majority_is_more_than_half_and_a_tie_is_not_relevant(tmp_path):
    snapshot = electorate(tmp_path, {"a": "1110", "b": "1100", "c": "1000", "e": "1100"})
    assert grades(snapshot, "majority(a,b,c)") == {"d0": 1, "d1": 1, "d2": 0, "d3": 0}
    # 4, 3, 1 and 0 of four; of a and c alone 2, 1, 1 and 0 of two
    assert grades(snapshot, "majority(a,b,c,e)") == {"d0": 1, "d1": 1, "d2": 0, "d3": 0}
    assert grades(snapshot, "majority(a,c)") == {"d0": 1, "d1": 0, "d2": 0, "d3": 0}


def test_each_votes_at_its_default_tau_or_at_the_cut_behind_its_name(tmp_path):
    snapshot = electorate(tmp_path, {"a": "345", "b": "345"}, scale=5)
    assert grades(snapshot, "majority(a,b)") == {"d0": 0, "d1": 1, "d2": 1}
    assert grades(snapshot, "majority(a@5,b@3)") == {"d0": 0, "d1": 0, "d2": 1}


def test_a_median_is_the_middle_grade_and_the_lower_of_two(tmp_path):
    snapshot = electorate(tmp_path, {"a": "025", "b": "134", "c": "500", "e": "511"}, scale=5)
    # 0 1 5, 2 3 0, 5 4 0; with e 0 1 5 5, 2 3 0 1, 5 4 0 1
    assert grades(snapshot, "median(a,b,c)") == {"d0": 1, "d1": 2, "d2": 4}
    assert grades(snapshot, "median(a,b,c,e)") == {"d0": 1, "d1": 1, "d2": 1}


@pytest.mark.parametrize("rule", ["majority", "median"])
def test_what_a_member_has_not_graded_stays_ungraded_and_what_cannot_be_read_unreadable(tmp_path, rule):
    snapshot = electorate(tmp_path, {"a": "1-?1", "b": "11?1", "c": "111?"})
    assert grades(snapshot, f"{rule}(a,b,c)") == {"d0": 1, "d2": None, "d3": None}


def test_modes_that_answer_questions_vote_on_each_question(tmp_path):
    # Passages d0 and d1 of each query, two questions each: a finds the first answered, b the second, c both.
    votes = {"a": "1100" * 2, "b": "0011" * 2, "c": "1111" * 2}
    snapshot = with_ensembles(electorate(tmp_path, votes, questions=True), ["majority(a,b)", "median(a,b,c)"])
    covers = {
        name: leaderboard(snapshot, choose(snapshot, Request("Cover@20", grader=name, tau=1))).rows["mean"].tolist()
        for name in ("a", "majority(a,b)", "median(a,b,c)")
    }
    assert covers == {"a": [0.5, 0.5], "majority(a,b)": [0, 0], "median(a,b,c)": [1, 1]}


def test_a_majority_votes_on_grades_that_several_imports_brought(tmp_path):
    snapshot = electorate(tmp_path, {"a": "1110", "b": "1100", "c": "1000"})
    frames = {"grades": snapshot.frame("grades").assign(answer="the same again")}
    Store(tmp_path).commit(snapshot.collection, Reading(frames, dict(snapshot.graders)), source="again")
    again = Store(tmp_path).snapshot(snapshot.collection)
    assert "ORDER BY" in again.tables["grades"], "grades of both imports are put together"
    assert grades(again, "majority(a,b,c)") == {"d0": 1, "d1": 1, "d2": 0, "d3": 0}


def test_a_median_reaches_a_tau_where_a_majority_does(tmp_path):
    rng = random.Random(4)
    snapshot = electorate(tmp_path, {name: "".join(rng.choices("012345", k=150)) for name in "abcde"}, scale=5)
    for names in ("ab", "abc", "abcd", "abcde"):
        median = grades(snapshot, f"median({','.join(names)})")
        for tau in (1, 3, 5):
            majority = grades(snapshot, f"majority({','.join(f'{name}@{tau}' for name in names)})")
            assert {doc: int(grade >= tau) for doc, grade in median.items()} == majority


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("majority(a)", "needs two grading modes or more"),
        ("median(a,a@1)", "needs two grading modes or more, each once"),
        ("majority(a,nobody)", "There is no grading mode nobody. There are: a, b"),
        ("majority(a@9,b)", "a@9: write the smallest grade that counts after the @, from 1 to 5"),
        ("median(a@3,b)", "a median needs grades of one scale, without an @ (a 0 to 5, b 0 to 5)"),
    ],
)
def test_an_ensemble_that_cannot_be_made_is_refused_in_a_sentence(tmp_path, name, why):
    snapshot = electorate(tmp_path, {"a": "05", "b": "50"}, scale=5)
    with pytest.raises(UsageError) as refused:
        with_ensembles(snapshot, [name])
    assert why in str(refused.value)


def test_modes_of_questions_and_of_passages_have_nothing_to_vote_on_together(dl19):
    with pytest.raises(UsageError, match=r"these modes share no bank \(Sun grades whole passages; google/"):
        with_ensembles(dl19, ["majority(Sun,google/flan-t5-large.QuestionSelfRatedUnanswerablePromptWithChoices)"])


def test_another_ensemble_is_another_collection_and_the_store_stays_as_it_is(tmp_path):
    snapshot = electorate(tmp_path, {"a": "01", "b": "10", "c": "11"})
    one, other = (with_ensembles(snapshot, [name]) for name in ("majority(a,b)", "majority(a,c)"))
    assert len({snapshot.fingerprint, one.fingerprint, other.fingerprint}) == 3
    assert with_ensembles(one, ["majority(a,b)"]) == one
    assert "majority(a,b)" not in snapshot.graders
