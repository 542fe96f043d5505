"""What a browser tells is checked before it is a review."""

import math

import pytest

from exam_core.errors import UsageError
from exam_core.people import LONGEST_NOTE, reviewer_name
from exam_core.wings.reviews.queue import TAKEN_BACK, Item, review_in
from tests.wings.reviews.queues import made

ID = "0123456789abcdef" * 2
ITEMS = (Item("q1", "d1", None, 0.5, "all"), Item("q1", "d2"))
QUEUE = made(*ITEMS, sampler="runs", seed=3, instruction="As an assessor would.")


def told(**changes):
    return {
        "id": ID,
        "item": 0,
        "kind": "answer",
        "answer": 2,
        "shown": True,
        "seconds": 4.26,
        "note": " ok ",
    } | changes


def test_what_is_told_is_a_review_of_the_item_as_it_was_drawn():
    found = review_in(QUEUE, "Ann", told())
    assert (found.review_id, found.reviewer, found.query_id, found.doc_id) == (ID, "Ann", "q1", "d1")
    assert (found.answer, found.note, found.shown, found.seconds) == (2, "ok", True, 4.3)
    assert (found.probability, found.stratum, found.sampler, found.seed, found.drawn) == (0.5, "all", "runs", 3, 2)
    assert found.instruction == "As an assessor would."


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": None},
        {"id": ID.upper()},
        {"id": "../" + ID[3:]},
        {"item": -1},
        {"item": 2},
        {"item": 0.0},
        {"item": True},
        {"item": "0"},
        {"kind": "delete"},
        {"kind": ["answer"]},
        {"answer": 4},
        {"answer": -1},
        {"answer": True},
        {"answer": None},
        {"answer": "2"},
        {"note": "x" * (LONGEST_NOTE + 1)},
        {"note": {"a": 1}},
        {"note": "half \ud800"},
        {"kind": "skip", "reason": 7},
    ],
    ids=str,
)
def test_what_can_be_no_review_is_refused(wrong):
    with pytest.raises(UsageError):
        review_in(QUEUE, "Ann", told(**wrong))


@pytest.mark.parametrize("nothing", [None, 7, "text", [], [ID]])
def test_what_is_no_message_is_refused(nothing):
    with pytest.raises(UsageError, match="without an id"):
        review_in(QUEUE, "Ann", nothing)


@pytest.mark.parametrize("seconds", [None, -1, math.nan, math.inf, 1e9, 10**400, "3", True])
def test_a_time_that_can_be_none_loses_no_answer(seconds):
    found = review_in(QUEUE, "Ann", told(seconds=seconds))
    assert (found.answer, found.seconds) == (2, None)


def test_only_undo_takes_an_answer_back_and_a_skip_has_none():
    undone = review_in(QUEUE, "Ann", told(kind="undo", reason="x"))
    assert (undone.answer, undone.skipped) == (None, TAKEN_BACK)
    skipped = review_in(QUEUE, "Ann", told(kind="skip", reason=TAKEN_BACK, answer=3))
    assert (skipped.answer, skipped.skipped) == (None, "taken back.")
    assert review_in(QUEUE, "Ann", told(kind="skip", reason=" ")).skipped == "no reason given"


@pytest.mark.parametrize("name", ["", "  ", "a" * 81, "a\nb", "a\u202eb", "a\x00", "\u200b"])
def test_a_name_that_can_not_be_read_is_refused(name):
    with pytest.raises(UsageError):
        reviewer_name(name)


def test_a_name_is_taken_as_it_is_without_blanks_around_it():
    assert reviewer_name(" Zoë <b>O'Neil</b> ") == "Zoë <b>O'Neil</b>"
