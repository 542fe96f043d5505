"""What a browser sends is written once, in order, and acknowledged when it is on disk."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from exam_core.errors import UsageError
from exam_core.people import new_id
from exam_core.store import Store
from exam_core.wings.reviews import actions
from exam_core.wings.reviews.records import reviews_of
from exam_core.wings.reviews.review import standing
from tests.wings.reviews.queues import a_queue


@pytest.fixture
def own(demo_store, tmp_path):
    """A copy of the demo that a test may change."""
    return Path(shutil.copytree(demo_store, tmp_path / "store"))


def told(item, answer=1, kind="answer"):
    return {"id": new_id(), "item": item, "kind": kind, "answer": answer}


def rows(own):
    store = Store(own)
    return list(reviews_of(store, store.snapshot("demo")).rows)


def test_what_is_sent_again_is_acknowledged_again_and_written_once(own):
    queue, sent = a_queue(own, "demo", "grade", n=5), [told(0), told(1)]
    for _ in range(3):
        found = actions.record_answers(Store(own), "demo", queue, "Ann", sent)
        assert found.on_disk == (sent[0]["id"], sent[1]["id"])
    assert [one.review_id for one in rows(own)] == [one["id"] for one in sent]


def test_two_tabs_that_send_the_same_at_once_write_it_once(own):
    queue, sent, store = a_queue(own, "demo", "grade", n=20), [told(item) for item in range(20)], Store(own)
    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(actions.record_answers, store, "demo", queue, "Ann", sent) for _ in range(16)]
    assert {call.result().on_disk for call in calls} == {tuple(one["id"] for one in sent)}
    assert len(rows(own)) == 20


def test_an_answer_that_was_taken_back_and_given_anew_counts_as_it_was_given_last(own):
    queue = a_queue(own, "demo", "grade", n=5)
    sent = [told(0, 1), told(0, None, "undo"), told(0, 4)]
    actions.record_answers(Store(own), "demo", queue, "Ann", sent)
    assert [one.answer for one in standing(rows(own))] == [4]


def test_who_was_told_the_models_grade_has_seen_it_when_they_answer_again(own):
    queue = a_queue(own, "demo", "grade", n=5)
    for sent in ([told(0, 1)], [told(0, None, "undo"), told(0, 4)], [told(1, 2)]):
        actions.record_answers(Store(own), "demo", queue, "Ann", sent)
    actions.record_answers(Store(own), "demo", queue, "Bob", [told(0, 3)])
    assert [(one.reviewer, one.answer, one.shown) for one in rows(own) if one.answer is not None] == [
        ("Ann", 1, False),
        ("Ann", 4, True),
        ("Ann", 2, False),
        ("Bob", 3, False),
    ]


def test_what_somebody_else_sends_under_the_same_ids_takes_no_answer_away(own):
    queue, sent = a_queue(own, "demo", "grade", n=5), [told(0, 1), told(1, 1)]
    for name, answer in (("Mia", 1), ("Ann", 2), ("Zoe", 3)):  # files of people before and behind hers
        found = actions.record_answers(Store(own), "demo", queue, name, [one | {"answer": answer} for one in sent])
        assert found.on_disk == (sent[0]["id"], sent[1]["id"])
    answers = {(one.reviewer, one.answer) for one in standing(rows(own))}
    assert answers == {("Mia", 1), ("Ann", 2), ("Zoe", 3)}
    # What was exported has all of them, and comes back as it was.
    for form in ("csv", "jsonl"):
        actions.export_reviews(Store(own), Store(own).snapshot("demo"), own / f"r.{form}", form)
        assert not actions.import_reviews(Store(own), "demo", own / f"r.{form}").changed
    assert len(rows(own)) == 6


def test_another_answer_under_an_id_of_ones_own_is_refused(own):
    queue, sent = a_queue(own, "demo", "grade", n=5), told(0, 1)
    actions.record_answers(Store(own), "demo", queue, "Ann", [sent])
    for other in (sent | {"answer": 2}, sent | {"item": 1}):
        found = actions.record_answers(Store(own), "demo", queue, "Ann", [other])
        assert (found.on_disk, list(found.refused)) == ((), [sent["id"]])
    assert len(rows(own)) == 1


def test_what_is_refused_is_named_and_the_rest_is_written(own):
    queue, good, bad = a_queue(own, "demo", "grade", n=5), told(0), told(5)
    found = actions.record_answers(Store(own), "demo", queue, "Ann", [bad, "nonsense", good])
    assert (found.on_disk, list(found.refused)) == ((good["id"],), [bad["id"]])
    assert "none at 5" in found.refused[bad["id"]]
    assert len(rows(own)) == 1


@pytest.mark.parametrize("sent", [None, 7, "text", {"id": "x"}, [[]], [None]], ids=str)
def test_what_is_no_list_of_reviews_writes_nothing(own, sent):
    found = actions.record_answers(Store(own), "demo", a_queue(own, "demo", "grade", n=5), "Ann", sent)
    assert (found.on_disk, found.refused, rows(own)) == ((), {}, [])


def test_without_a_name_nothing_is_written(own):
    with pytest.raises(UsageError, match="Say who reviews"):
        actions.record_answers(Store(own), "demo", a_queue(own, "demo", "grade", n=5), " ", [told(0)])
    assert rows(own) == []


def test_a_review_is_signed_by_who_signed_in_whatever_name_is_sent(own, acts):
    queue = a_queue(own, "demo", "grade", n=1)
    acts("bob@example.org", "reviewer")
    actions.record_answers(Store(own), "demo", queue, "ann@example.org", [told(0)])
    assert [one.reviewer for one in rows(own)] == ["bob@example.org"]
