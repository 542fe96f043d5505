"""How far reviewers are, counted by hand."""

import random

import msgspec

from exam_core.wings.reviews.progress import progress_of, progress_of_all
from exam_core.wings.reviews.queue import TAKEN_BACK, Item, Queue

ITEMS = tuple(Item("q", f"d{number}", shared=number < 2) for number in range(6))
"""Two for everybody, four for whoever comes first."""
QUEUE = Queue(
    queue_id="f" * 32,
    created="2026-01-01T00:00:00+00:00",
    author="Carol",
    task="relevance",
    sampler="uniform",
    seed=0,
    population=6,
    items=ITEMS,
)


def test_what_others_answered_is_left_for_nobody_but_what_everybody_gets():
    another = msgspec.structs.replace(QUEUE, queue_id="0" * 32)
    rows = [
        QUEUE.review(ITEMS[0], "Ann", 1, seconds=2.0),
        QUEUE.review(ITEMS[2], "Ann", 1, seconds=9.0),
        QUEUE.review(ITEMS[3], "Ann", None, skipped="can't tell", seconds=4.0),
        QUEUE.review(ITEMS[4], "Ann", 0, seconds=100.0),
        QUEUE.review(ITEMS[4], "Ann", None, skipped=TAKEN_BACK),
        *(another.review(ITEMS[5], name, 1) for name in ("Ann", "Eve")),
    ]
    ann, bob = (progress_of(QUEUE, rows, name) for name in ("Ann", "Bob"))
    # Ann: one shared item, and items 4 and 5; the middle of 2, 4 and 9 s. Bob: both shared items, and the same two.
    assert (ann.answered, ann.skipped, ann.left, ann.seconds) == (2, 1, 3, 4.0)
    assert (bob.answered, bob.skipped, bob.left, bob.seconds) == (0, 0, 4, None)


def test_all_reviewers_at_once_are_as_far_as_each_by_itself():
    rng = random.Random(0)
    reasons = [(1, None), (0, None), (None, "can't tell"), (None, TAKEN_BACK)]
    rows = []
    for _ in range(60):
        answer, skipped = rng.choice(reasons)
        rows.append(QUEUE.review(rng.choice(ITEMS), rng.choice("ABCDE"), answer, skipped=skipped, seconds=rng.random()))
    rows.append(QUEUE.review(ITEMS[0], "who took all back", None, skipped=TAKEN_BACK))
    for first in (3, 20, len(rows)):
        some = rows[-first:]
        names = sorted({one.reviewer for one in some})
        assert progress_of_all(QUEUE, some) == [progress_of(QUEUE, some, name) for name in names]
