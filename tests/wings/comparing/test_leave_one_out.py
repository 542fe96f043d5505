"""Each question left out alone: equal to a bank without it."""

import numpy as np
import pytest

from exam_core.analysis.choice import QuestionChoice
from exam_core.analysis.leaderboard import leaderboard
from exam_core.analysis.values import gradebook
from exam_core.wings.comparing.stability import LEFT_OUT, leave_one_out, questions_left_out
from tests.analysis.worlds import choice_of, held, question, ranking, store_of, world

COEFFICIENTS = ["spearman", "kendall"]
OPTIONS = {
    "Cover": {"measure": "Cover@3"},
    "nCover of ranked passages": {"measure": "nCover@3", "ncover_pool": "ranked"},
    "labels": {"measure": "P@3"},
    "graded": {"measure": "nDCG@3"},
    "label rank 2": {"measure": "P@3", "label_rank": 2},
    "queries skipped": {"measure": "Cover@3", "missing": "skip"},
    "by the files' ranks": {"measure": "Cover@3", "order": "rank"},
}


def without(choice, question):
    return choice.labelled(asking=QuestionChoice(drop=frozenset([question])))


@pytest.fixture(scope="session")
def pages_world(tmp_path_factory):
    """A collection whose questions are of pages, and whose rankings are by facet: a question is asked twice."""
    frames = world(3, facets=True)
    frames["questions"]["facet_id"] = None
    yield from held(tmp_path_factory.mktemp("pages"), frames)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_each_question_left_out_is_a_bank_without_it(random_world, options):
    assert_equal_to_banks_without(random_world, choice_of(random_world, **options))


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_a_question_under_two_facets_is_left_out_of_both(pages_world, options):
    assert_equal_to_banks_without(pages_world, choice_of(pages_world, **options))


def assert_equal_to_banks_without(snapshot, choice):
    """Every row of `leave_one_out` is what the leaderboard of a bank without the question says."""
    found, before = leave_one_out(snapshot, choice), leaderboard(snapshot, choice).rows.set_index("run_id")["rank"]
    for row in found.rows.itertuples():
        board = leaderboard(snapshot, without(choice, row.question_id))
        for name in COEFFICIENTS:
            assert getattr(row, name) == pytest.approx(getattr(board.correlation, name), nan_ok=True)
        moved = (board.rows.set_index("run_id")["rank"] - before).abs()
        assert row.rank_change == pytest.approx(np.nanmax(moved))
        assert moved.get(row.run_id, 0.0) == pytest.approx(row.rank_change)


def test_every_enabled_question_has_a_row_with_the_changes_from_the_leaderboard_of_all_questions(random_world):
    choice = choice_of(random_world)
    book = gradebook(random_world, choice.labelling)
    enabled = {name for q, row in enumerate(book.question_ids) for s, name in enumerate(row) if book.enabled[q, s]}
    found = leave_one_out(random_world, choice)
    assert sorted(found.rows["question_id"]) == sorted(enabled)
    assert list(found.rows) == LEFT_OUT.names
    assert found.rows["kendall_change"].dropna().abs().round(9).is_monotonic_decreasing
    whole = leaderboard(random_world, choice).correlation
    for name in COEFFICIENTS:
        assert getattr(found, name) == pytest.approx(getattr(whole, name))
        expected = (found.rows[name] - getattr(whole, name)).tolist()
        assert found.rows[f"{name}_change"].tolist() == pytest.approx(expected, nan_ok=True)


def test_a_question_under_two_facets_names_both(pages_world):
    found = leave_one_out(pages_world, choice_of(pages_world)).rows
    several = found[found["query_id"].str.contains(", ")]
    assert set(several["query_id"]) == {"q0/x, q0/y", "q1/x, q1/y"}


def test_by_hand(tmp_path):
    # q1 asks a and b, q2 asks c; "up" answers a and c, "down" answers b.
    #   up: (1/2 + 1/1) / 2 = 0.75, down: (1/2 + 0) / 2 = 0.25
    #   without a: up (0 + 1) / 2 = 0.5, down (1 + 0) / 2 = 0.5: tied, each moves by half a rank
    #   without b: up 1, down 0: nothing moves
    #   without c: q2 is left out: up 1/2, down 1/2: tied
    asked = (("q1", "a", "u"), ("q1", "b", "d"), ("q2", "c", "u"))
    lists = [(run, query, doc) for run, doc in (("up", "u"), ("down", "d")) for query in ("q1", "q2")]
    frames = {
        "questions": [question(name, query, "genq") for query, name, _ in asked],
        "grades": [("rater", name, query, doc, 5 * (doc == answer)) for query, name, answer in asked for doc in "ud"],
        "rankings": [row for one in lists for row in ranking(*one)],
    }
    snapshot = store_of(tmp_path, frames)
    rows = leave_one_out(snapshot, choice_of(snapshot, measure="Cover@1", tau=4)).rows
    assert rows.set_index("question_id")["rank_change"].to_dict() == {"a": 0.5, "b": 0, "c": 0.5}


def test_without_a_leaderboard_ranks_still_change_and_correlations_are_undefined(tmp_path):
    frames = world(1)
    del frames["leaderboards"]
    snapshot = store_of(tmp_path, frames)
    found = leave_one_out(snapshot, choice_of(snapshot))
    assert found.reference is None
    assert found.rows[[*COEFFICIENTS, "kendall_change"]].isna().all(axis=None)
    assert found.rows["rank_change"].is_monotonic_decreasing


def test_questions_left_out_are_those_of_leave_one_out_with_their_words(plain_world):
    choice = choice_of(plain_world, measure="Cover@5")
    found, bare = questions_left_out(plain_world, choice), leave_one_out(plain_world, choice)
    assert found.rows[bare.rows.columns].equals(bare.rows)
    assert found.rows["question_text"].tolist() == [f"{name}?" for name in bare.rows["question_id"]]
