"""What reviews add to tests of the whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pandas as pd

from exam_core.errors import StoreError
from exam_core.request import Request
from exam_core.store import Store
from exam_core.wings.reviews import actions, queue
from exam_core.wings.reviews.queue import Draw, Item, to_do
from exam_core.wings.reviews.records import queues_of, review_frame, reviews_of, save_queue
from exam_core.wings.reviews.review import REVIEWS
from tests.store.store_samples import frame
from tests.wings import Record
from tests.wings.reviews.queues import a_queue, made

AUTHOR = "Ann"
COUNTED = ("reviews",)
READING = {"review list": ["review list demo"]}
ELSEWHERE = {
    "bench reviews": "wings/reviews/test_corrected_commands.py",
    "import reviews": "wings/reviews/test_review_commands.py",
    "review queue": "wings/reviews/test_review_commands.py",
    "review import": "wings/reviews/test_review_commands.py",
    "review export": "wings/reviews/test_review_commands.py",
    "review agreement": "wings/reviews/test_review_commands.py",
}
WITHOUT_ROWS = ("review list demo",)
GOLDEN_ASKED = ("review list demo",)
REFUSED: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("leaderboard", {"corrected": 1}, "corrected=1: give True or False."),
    ("leaderboard", {"bank": "open", "measure": "P@20", "corrected": True}, "0 passages of demo were drawn and"),
)
WRITING = ("review queue demo --bank open --n 2", "review import demo {file}")
# Of test_every_page.py and test_guarding.py.
CHARTS = {"pages/reviews/reviews.py": (0, 0, 0, 0)}
OF_PRINT = {"pages/reviews/reviews.py": "without passages to review"}
OF_DEMO = {"pages/reviews/reviews.py": "demo has no queue yet. Draw one"}
TAKES_GRADES: tuple[str, dict[str, str]] = ("pages/reviews/reviews.py", {})
PAGES_THAT_WRITE = {"pages/reviews/reviews.py": "reviewer"}
MORE_VIEWS = {"pages/reviews/reviews.py": ({"review_view": "Queues"}, {"review_view": "Agreement"})}


def golden_made(store: Store) -> None:
    """Review a part of a queue in a golden store."""
    queue = actions.draw_queue(store, "demo", Request(bank="open", tau=3), Draw(n=4), author=AUTHOR)
    sent: list[dict[str, Any]] = [
        {"id": f"{number:032x}", "item": number, "kind": "answer", "answer": number} for number in range(3)
    ]
    actions.record_answers(store, "demo", queue, AUTHOR, sent)


def in_demo(store: Path) -> None:
    """Something of the wing's in a copy of the demo."""
    a_queue(store, "demo", "grade", n=2)


QUEUE = made(*(Item("q1", doc_id, probability=0.5) for doc_id in ("d1", "d2")), queue_id="0" * 32)


def stop_clocks(when: str) -> None:
    """Let it be one time for all that is written, in a process that does nothing else."""
    queue.now = lambda: when  # type: ignore[attr-defined]


def _id(name: str) -> str:
    return name.encode().hex().zfill(32)


def _answer(store: Store, name: str) -> None:
    """A browser sends an answer; several answers are lines of their own, and each of them is there or not."""
    sent = [{"id": _id(name), "item": len(name) % 2, "kind": "answer", "answer": 2, "note": "clear", "seconds": 1.0}]
    done = actions.record_answers(store, "c", QUEUE, "Ann", sent)
    if len(done.on_disk) != len(sent):
        raise StoreError(f"Refused: {done.refused}")


def _reviews(store: Store) -> int:
    """How many reviews there are, which tables and exports take."""
    snapshot = store.snapshot("c")
    assert [actions.reviews_text(store, snapshot, form) for form in ("csv", "jsonl")]
    return len(review_frame(reviews_of(store, snapshot).rows))


RECORDS = {
    "queue": Record(
        lambda store, name: save_queue(store, "c", msgspec.structs.replace(QUEUE, queue_id=_id(name))),
        lambda store: sum(len(to_do(one, [], "Ann")) for one in queues_of(store, "c")),
        lambda store: [repr(one) for one in queues_of(store, "c")],
        lambda store: save_queue(store, "c", QUEUE),
    ),
    "review": Record(
        _answer,
        _reviews,
        lambda store: [repr(one) for one in reviews_of(store, store.snapshot("c")).rows],
        lambda store: _answer(store, "told"),
    ),
}


def table_rows() -> list[pd.DataFrame]:
    """Rows of its tables, with nulls, quotes, line ends and empty texts."""
    return [
        frame(
            REVIEWS,
            "review_id reviewer created task query_id doc_id answer note shown queue_id drawn probability",
            [
                (
                    *("1", "Ann ☃", "2026-01-01T00:00:00.000+00:00", "relevance", "q1", "d2"),
                    *(3, 'a\n"b"', True, "k", 2, 0.1),
                ),
                ("2", "", "2026-01-01T00:00:01.000+00:00", "question", "q2", None, None, None, False, None, None, None),
            ],
        )
    ]


BEGINNINGS = {
    "grades of a reviewer.csv": ("reviewer,qid,docid,question_id,grade\na,q1,d1,x,2\n", "reviews"),
    "reviews.csv": ("reviewer,task,query_id,doc_id,question_id,answer\na,relevance,q1,d1,,2\n", "reviews"),
    "queue.csv": ("query_text,question_text,answer,task,query_id,question_id\nrain,Why?,,question,q1,x\n", "reviews"),
    "reviews.jsonl": (
        '{"reviewer": "a", "task": "relevance", "query_id": "q1", "doc_id": "d1", "answer": 2}\n',
        "reviews",
    ),
    "label studio.json": (
        '[{"id": 1, "annotations": [{"id": 2, "completed_by": 1, "result": []}], "data": {"query_id": "q1", '
        '"question_text": "Why?"}}]\n',
        "reviews",
    ),
    "label studio, indented.json": ('[\n {\n  "id": 1,\n  "annotations": [\n   {\n    "result": [', "reviews"),
}
SAMPLES = {"reviews": "query_id,doc_id,reviewer,relevance\nq1,d1,Ann,1\n"}
WITH_TEXTS = (("reviews", "reviewer,doc_id,answer", "Ann,d1,1"),)
FORMS = (("labelstudio/ls.csv", "reviews", "1 review"), ("labelstudio/min.json", "reviews", "1 review"))
OF_PASSAGES = ("reviews",)
