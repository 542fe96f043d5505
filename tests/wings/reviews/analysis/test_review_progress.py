"""How far people are with queues: what each answered, skipped, took back, and can still get."""

import msgspec

from exam_core.wings.reviews.analysis.progress import progress
from exam_core.wings.reviews.queue import TAKEN_BACK, Item, Queue

QUEUE = Queue(
    queue_id="k",
    created="2026-01-31T12:00:00.000+00:00",
    author="ann",
    task="relevance",
    sampler="uniform",
    seed=0,
    population=9,
    items=(Item("q1", "d1", shared=True), Item("q1", "d2"), Item("q1", "d3")),
)


def review(item, reviewer, answer, at, skipped=None):
    made = QUEUE.review(QUEUE.items[item], reviewer, answer, skipped=skipped)
    return msgspec.structs.replace(made, created=f"2026-02-01T12:00:{at:02}.000+00:00")


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
