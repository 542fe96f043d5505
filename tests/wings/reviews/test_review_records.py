"""Reviews on disk, whoever else writes or is killed; and how far people are with queues."""

import random
from pathlib import Path

import msgspec
import pytest

from exam_core.actions.repairing import repair
from exam_core.errors import UsageError
from exam_core.formats import Reading
from exam_core.people import new_id, now
from exam_core.store import Store
from exam_core.store.checking import check
from exam_core.tables import QUERIES
from exam_core.wings.reviews.queue import TAKEN_BACK, Item, to_do
from exam_core.wings.reviews.records import (
    add_reviews,
    progress,
    progress_of,
    progress_of_all,
    queue_named,
    queues_of,
    review_frame,
    reviews_in,
    reviews_of,
    save_queue,
)
from exam_core.wings.reviews.review import Review, standing
from tests.store.store_samples import lose_record
from tests.wings.reviews.queues import made

ROOT = Path(__file__).parents[1]


def review(reviewer="Ann", doc="d1", answer=2, **more):
    made = {"review_id": new_id(), "created": now(), "task": "relevance", "query_id": "q1", "queue_id": "k"}
    return Review(reviewer=reviewer, doc_id=doc, answer=answer, **(made | more))


@pytest.fixture
def held(store):
    frame = QUERIES.frame({"query_id": ["q1"], "query_text": ["?"]})
    store.commit("c", Reading({"queries": frame}), source="x")
    return store


def there(store):
    return list(reviews_of(store, store.snapshot("c")).rows)


def test_what_was_added_is_there_in_its_order_for_whoever_opens_the_store(held):
    rows = [review(doc=f"d{number}", note='a\n"b"\u2028', seconds=0.1 + 0.2) for number in range(5)]
    add_reviews(held, "c", rows[:3])
    assert there(held) == rows[:3]
    add_reviews(held, "c", rows[3:])
    assert there(held) == rows
    assert there(Store(held.path)) == rows


def test_answers_change_the_fingerprint_of_reviews_and_not_that_of_the_collection(held):
    before = held.snapshot("c").fingerprint, reviews_of(held, held.snapshot("c"))
    add_reviews(held, "c", [review()])
    after = held.snapshot("c").fingerprint, reviews_of(held, held.snapshot("c"))
    assert before[0] == after[0]
    assert before[1] != after[1]


def test_a_reviewer_may_have_any_name(held):
    rows = [review(reviewer=name) for name in ("", "../../x", "Ann/Bob", "a" * 5000, "\x00", "ñ\u202e")]
    add_reviews(held, "c", rows)
    assert there(held) == rows


def test_a_later_answer_counts_and_one_that_was_taken_back_does_not():
    old, new = review(answer=0, created="2026-01-01T00:00:00.000"), review(answer=3, created="2026-01-02T00:00:00.000")
    assert standing([new, old]) == [new]
    gone = review(answer=None, skipped=TAKEN_BACK, created="2026-01-03T00:00:00.000")
    assert standing([new, old, gone]) == []
    assert standing([new, review(reviewer="Bob", answer=1, created="2026-01-01")])[1].reviewer == "Ann"


def test_a_record_that_is_lost_is_named_by_check_and_hides_no_other(held):
    rows = [review(doc=f"d{number}") for number in range(4)]
    add_reviews(held, "c", rows)
    lose_record(held.path, "review")
    held = Store(held.path)
    (found,) = (problem for one in check(held) for problem in one.problems)
    assert (found.kind, "records of the kind review of c" in found.sentence) == ("record", True)
    assert (there(held), len(reviews_of(held, held.snapshot("c")).damaged)) == (rows[1:], 1)
    repair(held)
    later = review(doc="d9")
    add_reviews(held, "c", [later])
    assert [one.problems for one in check(held)] == [[]]
    assert there(held) == [*rows[1:], later]


def test_a_correction_counts_also_where_the_clock_went_back_before_it(held):
    rows = [review(answer=0, created="2026-01-02T00:00:00.000"), review(answer=3, created="2026-01-01T00:00:00.000")]
    add_reviews(held, "c", rows)
    assert [one.answer for one in standing(there(held))] == [3]


def test_rows_of_the_table_are_the_reviews_that_they_were_made_of():
    rows = [review(), review(answer=None, skipped="unclear", probability=0.1, drawn=7, shown=True, seed=0)]
    assert reviews_in(review_frame(rows)) == rows


def queue(**more):
    items = Item("q1", "d1", shared=True), Item("q1", "d2"), Item("q1", "d3")
    return made(*items, **({"queue_id": "abc", "created": now()} | more))


def test_what_is_shared_goes_to_everybody_and_the_rest_to_one():
    drawn = queue()
    ann = [drawn.review(drawn.items[0], "Ann", 1), drawn.review(drawn.items[1], "Ann", 2)]
    assert [item.doc_id for item in to_do(drawn, ann, "Ann")] == ["d3"]
    assert [item.doc_id for item in to_do(drawn, ann, "Bob")] == ["d1", "d3"]
    undone = [*ann, drawn.review(drawn.items[1], "Ann", None, skipped=TAKEN_BACK)]
    assert [item.doc_id for item in to_do(drawn, undone, "Bob")] == ["d1", "d2", "d3"]
    skipped = [drawn.review(drawn.items[1], "Ann", None, skipped="unclear")]
    assert [item.doc_id for item in to_do(drawn, skipped, "Ann")] == ["d1", "d3"]


def test_queues_are_found_by_how_their_id_begins(held):
    save_queue(held, "c", queue())
    save_queue(held, "c", queue(queue_id="abd", created="2020-01-01T00:00:00.000"))
    assert [one.queue_id for one in queues_of(held, "c")] == ["abc", "abd"]
    assert queue_named(held, "c", "abd").queue_id == "abd"
    for wanted in ("ab", "x", ""):
        with pytest.raises(UsageError, match="There: abc, abd"):
            queue_named(held, "c", wanted)


QUEUE = made(Item("q1", "d1", shared=True), Item("q1", "d2"), Item("q1", "d3"), queue_id="k")
ITEMS = tuple(Item("q", f"d{number}", shared=number < 2) for number in range(6))
"""Two for everybody, four for whoever comes first."""
SHARED = made(*ITEMS)


def review_of(item, reviewer, answer, at, skipped=None):
    made = QUEUE.review(QUEUE.items[item], reviewer, answer, skipped=skipped)
    return msgspec.structs.replace(made, created=f"2026-02-01T12:00:{at:02}.000+00:00")


def alone(rows, name):
    return progress_of(SHARED, rows, name, len(to_do(SHARED, rows, name)))


def test_each_reviewer_has_a_row_of_what_stands_and_what_is_left():
    found = progress(
        [QUEUE],
        [
            review_of(0, "ann", 1, 1),
            review_of(0, "ann", 2, 2),
            review_of(1, "ann", None, 3, skipped="not English"),
            review_of(0, "bob", 3, 4),
            review_of(2, "bob", 1, 5),
            review_of(2, "bob", None, 6, skipped=TAKEN_BACK),
            msgspec.structs.replace(review_of(0, "eve", 1, 7), queue_id="another"),
        ],
    )
    rows = [tuple(row) for row in found.rows[["reviewer", "answered", "skipped", "left"]].itertuples(index=False)]
    # Ann had the shared item and skipped d2: d3 is left. Bob took d3 back: it is left, and d2 is Ann's.
    assert rows == [("ann", 1, 1, 1), ("bob", 1, 0, 1)]
    assert (found.reviews, found.elsewhere) == (7, 1)
    rows = progress([QUEUE], []).rows
    assert rows[["items", "shared", "reviewer", "left"]].values.tolist() == [[3, 1, "", 3]]


def test_what_others_answered_is_left_for_nobody_but_what_everybody_gets():
    another = msgspec.structs.replace(SHARED, queue_id="0" * 32)
    rows = [
        SHARED.review(ITEMS[0], "Ann", 1, seconds=2.0),
        SHARED.review(ITEMS[2], "Ann", 1, seconds=9.0),
        SHARED.review(ITEMS[3], "Ann", None, skipped="can't tell", seconds=4.0),
        SHARED.review(ITEMS[4], "Ann", 0, seconds=100.0),
        SHARED.review(ITEMS[4], "Ann", None, skipped=TAKEN_BACK),
        *(another.review(ITEMS[5], name, 1) for name in ("Ann", "Eve")),
    ]
    ann, bob = (alone(rows, name) for name in ("Ann", "Bob"))
    # Ann: one shared item, and items 4 and 5; the middle of 2, 4 and 9 s. Bob: both shared items, and the same two.
    assert (ann.answered, ann.skipped, ann.left, ann.seconds) == (2, 1, 3, 4.0)
    assert (bob.answered, bob.skipped, bob.left, bob.seconds) == (0, 0, 4, None)


def test_all_reviewers_at_once_are_as_far_as_each_by_itself():
    rng = random.Random(0)
    reasons = [(1, None), (0, None), (None, "can't tell"), (None, TAKEN_BACK)]
    rows = []
    for _ in range(60):
        answer, skipped = rng.choice(reasons)
        rows.append(
            SHARED.review(rng.choice(ITEMS), rng.choice("ABCDE"), answer, skipped=skipped, seconds=rng.random())
        )
    rows.append(SHARED.review(ITEMS[0], "who took all back", None, skipped=TAKEN_BACK))
    for first in (3, 20, len(rows)):
        some = rows[-first:]
        names = sorted({one.reviewer for one in some})
        assert progress_of_all(SHARED, some) == [alone(some, name) for name in names]
