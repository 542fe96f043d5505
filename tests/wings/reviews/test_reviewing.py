"""What a browser sends is checked, written once, in order, and acknowledged when it is on disk."""

import math
from concurrent.futures import ThreadPoolExecutor

import pytest

from exam_core.errors import UsageError
from exam_core.people import LONGEST_NOTE, new_id, reviewer_name
from exam_core.store import Store
from exam_core.wings.reviews import actions
from exam_core.wings.reviews.queue import TAKEN_BACK, Item, review_in
from exam_core.wings.reviews.records import reviews_of
from exam_core.wings.reviews.review import standing
from tests.wings.reviews.queues import a_queue, made


def told(item, answer=1, kind="answer"):
    return {"id": new_id(), "item": item, "kind": kind, "answer": answer}


def rows(own_store):
    store = Store(own_store)
    return list(reviews_of(store, store.snapshot("demo")).rows)


def test_what_is_sent_again_is_acknowledged_again_and_written_once(own_store):
    queue, sent = a_queue(own_store, "demo", "grade", n=5), [told(0), told(1)]
    for _ in range(3):
        found = actions.record_answers(Store(own_store), "demo", queue, "Ann", sent)
        assert found.on_disk == (sent[0]["id"], sent[1]["id"])
    assert [one.review_id for one in rows(own_store)] == [one["id"] for one in sent]


def test_two_tabs_that_send_the_same_at_once_write_it_once(own_store):
    queue, sent, store = a_queue(own_store, "demo", "grade", n=20), [told(item) for item in range(20)], Store(own_store)
    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(actions.record_answers, store, "demo", queue, "Ann", sent) for _ in range(16)]
    assert {call.result().on_disk for call in calls} == {tuple(one["id"] for one in sent)}
    assert len(rows(own_store)) == 20


def test_an_answer_that_was_taken_back_and_given_anew_counts_as_it_was_given_last(own_store):
    queue = a_queue(own_store, "demo", "grade", n=5)
    sent = [told(0, 1), told(0, None, "undo"), told(0, 4)]
    actions.record_answers(Store(own_store), "demo", queue, "Ann", sent)
    assert [one.answer for one in standing(rows(own_store))] == [4]


def test_who_was_told_the_models_grade_has_seen_it_when_they_answer_again(own_store):
    queue = a_queue(own_store, "demo", "grade", n=5)
    for sent in ([told(0, 1)], [told(0, None, "undo"), told(0, 4)], [told(1, 2)]):
        actions.record_answers(Store(own_store), "demo", queue, "Ann", sent)
    actions.record_answers(Store(own_store), "demo", queue, "Bob", [told(0, 3)])
    assert [(one.reviewer, one.answer, one.shown) for one in rows(own_store) if one.answer is not None] == [
        ("Ann", 1, False),
        ("Ann", 4, True),
        ("Ann", 2, False),
        ("Bob", 3, False),
    ]


def test_what_somebody_else_sends_under_the_same_ids_takes_no_answer_away(own_store):
    queue, sent = a_queue(own_store, "demo", "grade", n=5), [told(0, 1), told(1, 1)]
    for name, answer in (("Mia", 1), ("Ann", 2), ("Zoe", 3)):  # files of people before and behind hers
        found = actions.record_answers(
            Store(own_store), "demo", queue, name, [one | {"answer": answer} for one in sent]
        )
        assert found.on_disk == (sent[0]["id"], sent[1]["id"])
    answers = {(one.reviewer, one.answer) for one in standing(rows(own_store))}
    assert answers == {("Mia", 1), ("Ann", 2), ("Zoe", 3)}
    # What was exported has all of them, and comes back as it was.
    for form in ("csv", "jsonl"):
        actions.export_reviews(Store(own_store), Store(own_store).snapshot("demo"), own_store / f"r.{form}", form)
        assert not actions.import_reviews(Store(own_store), "demo", own_store / f"r.{form}").changed
    assert len(rows(own_store)) == 6


def test_another_answer_under_an_id_of_ones_own_is_refused(own_store):
    queue, sent = a_queue(own_store, "demo", "grade", n=5), told(0, 1)
    actions.record_answers(Store(own_store), "demo", queue, "Ann", [sent])
    for other in (sent | {"answer": 2}, sent | {"item": 1}):
        found = actions.record_answers(Store(own_store), "demo", queue, "Ann", [other])
        assert (found.on_disk, list(found.refused)) == ((), [sent["id"]])
    assert len(rows(own_store)) == 1


def test_what_is_refused_is_named_and_the_rest_is_written(own_store):
    queue, good, bad = a_queue(own_store, "demo", "grade", n=5), told(0), told(5)
    found = actions.record_answers(Store(own_store), "demo", queue, "Ann", [bad, "nonsense", good])
    assert (found.on_disk, list(found.refused)) == ((good["id"],), [bad["id"]])
    assert "none at 5" in found.refused[bad["id"]]
    assert len(rows(own_store)) == 1


@pytest.mark.parametrize("sent", [None, 7, "text", {"id": "x"}, [[]], [None]], ids=str)
def test_what_is_no_list_of_reviews_writes_nothing(own_store, sent):
    found = actions.record_answers(Store(own_store), "demo", a_queue(own_store, "demo", "grade", n=5), "Ann", sent)
    assert (found.on_disk, found.refused, rows(own_store)) == ((), {}, [])


def test_without_a_name_nothing_is_written(own_store):
    with pytest.raises(UsageError, match="Say who reviews"):
        actions.record_answers(Store(own_store), "demo", a_queue(own_store, "demo", "grade", n=5), " ", [told(0)])
    assert rows(own_store) == []


def test_a_review_is_signed_by_who_signed_in_whatever_name_is_sent(own_store, acts):
    queue = a_queue(own_store, "demo", "grade", n=1)
    acts("bob@example.org", "reviewer")
    actions.record_answers(Store(own_store), "demo", queue, "ann@example.org", [told(0)])
    assert [one.reviewer for one in rows(own_store)] == ["bob@example.org"]


ID = "0123456789abcdef" * 2
ITEMS = (Item("q1", "d1", None, 0.5, "all"), Item("q1", "d2"))
QUEUE = made(*ITEMS, sampler="runs", seed=3, instruction="As an assessor would.")


def message(**changes):
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
    found = review_in(QUEUE, "Ann", message())
    assert (found.review_id, found.reviewer, found.query_id, found.doc_id) == (ID, "Ann", "q1", "d1")
    assert (found.answer, found.note, found.shown, found.seconds) == (2, "ok", True, 4.3)
    assert (found.probability, found.stratum, found.sampler, found.seed, found.drawn) == (0.5, "all", "runs", 3, 2)
    assert found.instruction == "As an assessor would."


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("id", value) for value in (None, ID.upper(), f"../{ID[3:]}")),
        *(("item", value) for value in (-1, 2, 0.0, True, "0")),
        *(("kind", value) for value in ("delete", ["answer"])),
        *(("answer", value) for value in (4, -1, True, None, "2")),
        *(("note", value) for value in ("x" * (LONGEST_NOTE + 1), {"a": 1}, "half \ud800")),
    ],
    ids=str,
)
def test_what_can_be_no_review_is_refused(field, value):
    with pytest.raises(UsageError):
        review_in(QUEUE, "Ann", message(**{field: value}))


@pytest.mark.parametrize("nothing", [None, 7, "text", [], [ID]])
def test_what_is_no_message_is_refused(nothing):
    with pytest.raises(UsageError, match="without an id"):
        review_in(QUEUE, "Ann", nothing)


@pytest.mark.parametrize("seconds", [None, -1, math.nan, math.inf, 1e9, 10**400, "3", True])
def test_a_time_that_can_be_none_loses_no_answer(seconds):
    found = review_in(QUEUE, "Ann", message(seconds=seconds))
    assert (found.answer, found.seconds) == (2, None)


def test_only_undo_takes_an_answer_back_and_a_skip_has_none():
    undone = review_in(QUEUE, "Ann", message(kind="undo", reason="x"))
    assert (undone.answer, undone.skipped) == (None, TAKEN_BACK)
    skipped = review_in(QUEUE, "Ann", message(kind="skip", reason=TAKEN_BACK, answer=3))
    assert (skipped.answer, skipped.skipped) == (None, "taken back.")
    assert review_in(QUEUE, "Ann", message(kind="skip", reason=" ")).skipped == "no reason given"
    with pytest.raises(UsageError, match="A reason is a text"):
        review_in(QUEUE, "Ann", message(kind="skip", reason=7))


@pytest.mark.parametrize("name", ["", "  ", "a" * 81, "a\nb", "a\u202eb", "a\x00", "\u200b"])
def test_a_name_that_can_not_be_read_is_refused(name):
    with pytest.raises(UsageError):
        reviewer_name(name)


def test_a_name_is_taken_as_it_is_without_blanks_around_it():
    assert reviewer_name(" Zoë <b>O'Neil</b> ") == "Zoë <b>O'Neil</b>"
