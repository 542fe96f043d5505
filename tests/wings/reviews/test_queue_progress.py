"""How far people are with queues: what each answered, skipped, took back, and can still get."""

import random

import msgspec

from exam_core.wings.reviews.queue import TAKEN_BACK, Item, to_do
from exam_core.wings.reviews.records import progress, progress_of, progress_of_all
from tests.wings.reviews.queues import made

QUEUE = made(Item("q1", "d1", shared=True), Item("q1", "d2"), Item("q1", "d3"), queue_id="k")
ITEMS = tuple(Item("q", f"d{number}", shared=number < 2) for number in range(6))
"""Two for everybody, four for whoever comes first."""
SHARED = made(*ITEMS)


def review(item, reviewer, answer, at, skipped=None):
    made = QUEUE.review(QUEUE.items[item], reviewer, answer, skipped=skipped)
    return msgspec.structs.replace(made, created=f"2026-02-01T12:00:{at:02}.000+00:00")


def alone(rows, name):
    return progress_of(SHARED, rows, name, len(to_do(SHARED, rows, name)))


def test_each_reviewer_has_a_row_of_what_stands_and_what_is_left():
    found = progress(
        [QUEUE],
        [
            review(0, "ann", 1, 1),
            review(0, "ann", 2, 2),
            review(1, "ann", None, 3, skipped="not English"),
            review(0, "bob", 3, 4),
            review(2, "bob", 1, 5),
            review(2, "bob", None, 6, skipped=TAKEN_BACK),
            msgspec.structs.replace(review(0, "eve", 1, 7), queue_id="another"),
        ],
    )
    rows = [tuple(row) for row in found.rows[["reviewer", "answered", "skipped", "left"]].itertuples(index=False)]
    # Ann had the shared item and skipped d2: d3 is left. Bob took d3 back: it is left, and d2 is Ann's.
    assert rows == [("ann", 1, 1, 1), ("bob", 1, 0, 1)]
    assert (found.reviews, found.elsewhere) == (7, 1)


def test_a_queue_that_nobody_began_is_left_to_all():
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
