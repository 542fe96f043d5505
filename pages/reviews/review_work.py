"""The view in which somebody reviews: which queue, and one item after the other, by whoever says who they are."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import lru_cache
from itertools import pairwise
from threading import Lock
from typing import Any

import streamlit as st

from exam_core.analysis.passage_evidence import labels_of_docs
from exam_core.errors import ExamboardError, UsageError
from exam_core.grading.modes.prompt_texts import SELF_RATING
from exam_core.people import LONGEST_NOTE
from exam_core.request import Request
from exam_core.store import Snapshot
from exam_core.store.evidence import grades_by
from exam_core.texts.marking import mark
from exam_core.wings.reviews import actions
from exam_core.wings.reviews.queue import TAKEN_BACK, Item, ItemTexts, Queue, answered_by, to_do
from exam_core.wings.reviews.records import progress_of, queues_of, reviews_of, texts_of
from exam_core.wings.reviews.review import SCALES, Review, ReviewedItem, Task
from pages.reviews import review_desk
from pages.reviews.review_queues import QUEUE, VIEW, queue_in_words
from pages.shared import data, doing, show
from pages.shared.selection import Selection

_TREC = {
    0: ("Irrelevant", "The passage has nothing to do with the query."),
    1: ("Related", "The passage seems related to the query but does not answer it."),
    2: ("Highly relevant", "It has some answer, but that is a bit unclear, or hidden among extraneous information."),
    3: ("Perfectly relevant", "The passage is dedicated to the query and contains the exact answer."),
}
"""TREC Deep Learning 2019, overview, section 3: the words that NIST's assessors were given."""
_GRADES = {
    int(value): ("", words[:1].upper() + words[1:])
    for value, words in re.findall(r"^- (\d): The answer (?:is|has) (.+)$", SELF_RATING, re.MULTILINE)
}
_QUESTION = {
    0: ("No", "It is unclear, answered by any passage, or not about the query."),
    1: ("Yes", "Somebody with this query wants an answer to this question."),
}
# By task and answer: its name, and what it means.
_WORDS: dict[Task, dict[int, tuple[str, str]]] = {"relevance": _TREC, "grade": _GRADES, "question": _QUESTION}
ASKED: dict[Task, str] = {
    "relevance": "How relevant is the passage to the query?",
    "grade": "How well does the passage answer the question?",
    "question": "Is this a good question for the query?",
}


def in_words(task: Task, value: int) -> str:
    """An answer by its number and, where it has one, its name."""
    name = _WORDS[task].get(value, ("", ""))[0]
    return f"{value} ({name.lower()})" if name else str(value)


KEPT = 600.0
"""Seconds after which what somebody has before them is given to others: they went away."""


class Taken:
    """Which items of a queue reviewers have before them, so that no two get the same.

    Only this process knows it. Two that serve the same store may hand out the same item: then it has two reviews.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._held: dict[str, dict[str, tuple[float, frozenset[ReviewedItem]]]] = {}

    def by_others(self, queue: str, reviewer: str) -> tuple[frozenset[ReviewedItem], int]:
        """What others have before them, and how many they are."""
        with self._lock:
            by_reviewer, now = self._held.get(queue, {}), self._clock()
            for name in [name for name, (until, _) in by_reviewer.items() if until < now]:
                del by_reviewer[name]
            others = [items for name, (_, items) in by_reviewer.items() if name != reviewer and items]
            return frozenset[ReviewedItem]().union(*others), len(others)

    def take(self, queue: str, reviewer: str, items: Iterable[ReviewedItem]) -> None:
        """Say what a reviewer has before them now; what they had before is free again."""
        with self._lock:
            self._held.setdefault(queue, {})[reviewer] = self._clock() + KEPT, frozenset(items)


taken = Taken()
"""Of all visitors of this dashboard."""


BLOCK = 200
"""Items whose texts are read at once, and kept."""
UNKNOWN = "(only its id is known)"


class Items:
    """The items of a queue, with what the grader made of them.

    Where the queue does not say which bank and grader it is of, those of the control bar are taken.
    """

    def __init__(self, selection: Selection, queue: Queue) -> None:
        self._snapshot, self._queue, self._selection = selection.snapshot, queue, selection
        self._request = _request_of(selection, queue)

    def place(self, about: ReviewedItem) -> int | None:
        """Where in the queue an item is; None where it is not there."""
        return _places(self._queue).get(about)

    def shown(self, place: int, *, model: bool) -> dict[str, Any]:
        """An item for the browser (see `_fields`); the grader's work goes along in words where it may be seen."""
        block = data.ask(_block, self._snapshot, self._queue, place - place % BLOCK)
        grade = self.model(place) if model else None
        return block[place % BLOCK] | {"model": None if grade is None else self.graded(grade)}

    def model(self, place: int) -> int | None:
        """What the grader made of an item: the passage's label, or its grade; None where it has none."""
        item = self._queue.items[place]
        if self._queue.task == "relevance":
            try:
                labelling = self._selection.exactly(self._request).labelling
            except UsageError:  # the grader or the bank is gone from the store: the item can be reviewed without
                return None
            labels = data.ask(labels_of_docs, self._snapshot, labelling, _docs(self._queue))
            return labels.get((item.query_id, item.doc_id or ""))
        if self._queue.task == "grade" and self._request.grader:
            grades = data.ask(_grades, self._snapshot, self._queue, self._request.grader, place - place % BLOCK)
            return grades.get((item.doc_id or "", item.question_id or ""))
        return None

    def graded(self, grade: int) -> str:
        """What the grader made of an item, in words."""
        return f"label {grade}" if self._queue.task == "relevance" else f"grade {grade}"


def _request_of(selection: Selection, queue: Queue) -> Request:
    """What a queue was drawn from; fields that other versions wrote and this one does not know are left out."""
    known = {field.name for field in fields(Request)}
    # A bank or grader that was left open was the only one then.
    drawn_from = {
        name: value
        for name, value in queue.evaluation.items()
        if name in known - {"own_taus"} and (value is not None or name not in ("bank", "grader"))
    }
    usual = {
        "judgments": None,
        "bank": selection.request.bank,
        "grader": selection.series[0] if selection.series and selection.of_grades else None,
    }
    return selection.request.but(**usual | drawn_from, own_taus=())  # a queue is of one grader, at the tau that it says


@lru_cache(maxsize=8)
def _places(queue: Queue) -> dict[ReviewedItem, int]:
    return {queue.reviewed_item(item): place for place, item in enumerate(queue.items)}


@lru_cache(maxsize=8)
def _docs(queue: Queue) -> frozenset[str]:
    return frozenset(item.doc_id for item in queue.items if item.doc_id)


def _grades(snapshot: Snapshot, queue: Queue, grader: str, start: int) -> dict[tuple[str, str], int]:
    items = queue.items[start : start + BLOCK]
    return grades_by(snapshot, grader, sorted({item.doc_id for item in items if item.doc_id}))


def _block(snapshot: Snapshot, queue: Queue, start: int) -> list[dict[str, Any]]:
    items = queue.items[start : start + BLOCK]
    pairs = zip(items, texts_of(snapshot, queue, items), strict=True)
    return [_fields(place, item, queue.task, texts) for place, (item, texts) in enumerate(pairs, start)]


def _fields(place: int, item: Item, task: Task, texts: ItemTexts) -> dict[str, Any]:
    """Place in the queue, query, question (or None), ids, and the passage in pieces of which every second is marked."""
    query, question, passage = texts.query_text or UNKNOWN, None, None
    if item.question_id is not None:
        question = texts.question_text or f"{item.question_id} {UNKNOWN}"
    if task != "question":
        text, name = texts.passage_text, query if task == "relevance" else question
        passage = _pieces(text, mark(text, name).places) if text else [f"{item.doc_id} {UNKNOWN}"]
    names = " · ".join(filter(None, [item.query_id, item.doc_id]))
    return {"item": place, "query": query, "question": question, "passage": passage, "names": names}


def _pieces(text: str, places: Sequence[tuple[int, int]]) -> list[str]:
    # Cut here and not in the browser, which counts characters in another way.
    bounds = [0, *(bound for place in places for bound in place), len(text)]
    return [text[start:end] for start, end in pairwise(bounds)]


AHEAD = 20
"""Items that the browser holds."""
CHARACTERS = 200_000
"""Of all texts that it holds; where passages are long, it holds fewer."""
SHOWN = "review_shown"
REASON = "can't tell"
HELP = {
    "queue": "Items drawn with known probabilities.",
    "shown": "Off: the model's grade shows after your answer. On: before your answer, which biases it. "
    "Each review records the setting.",
}


def draw(selection: Selection) -> None:
    """Who reviews which queue, and the desk."""
    queues = {queue.queue_id: queue for queue in queues_of(data.store(), selection.snapshot.collection)}
    if not queues:
        show.text(f"{selection.snapshot.collection} has no queue yet. Draw one: a sample of items to review.")
        doing.choose("Draw a queue", key="review_to_queues", **{VIEW: "Queues"})
        return
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    queue_id = _queue(left, queues)
    if name := review_desk.ask_reviewer(right):
        work(selection, queues[queue_id], name)


def _queue(place: Any, queues: Mapping[str, Queue]) -> str:
    """Which queue is reviewed; where it is not the newest, by its id in the address, because its words are long."""
    request = st.session_state.get(QUEUE, st.query_params.get(QUEUE))
    if request and request not in queues:
        show.text("The queue of this link is not here; the newest is shown.")
    st.session_state[QUEUE] = request if request in queues else next(iter(queues))
    picked: str = place.selectbox(
        "Queue", list(queues), format_func=lambda name: queue_in_words(queues[name]), key=QUEUE, help=HELP["queue"]
    )
    if picked != next(iter(queues)):
        st.query_params[QUEUE] = picked
    elif QUEUE in st.query_params:
        del st.query_params[QUEUE]
    return picked


@st.fragment
def work(selection: Selection, queue: Queue, reviewer: str) -> None:
    """The desk of a reviewer; it alone runs anew when something was answered."""
    store, collection = data.store(), selection.snapshot.collection
    shown = st.toggle("Show the model's grade first", key=SHOWN, help=HELP["shown"], persist_state="session")
    key = review_desk.key_of(str(store.path), collection, queue.queue_id, reviewer)
    recorded = _recorded(selection, queue, reviewer, review_desk.sent(key))
    if recorded is None:
        return
    show.problems([*recorded.reviews.damaged])
    rows = [row for row in recorded.reviews.rows if row.queue_id == queue.queue_id]
    fields = _given(Items(selection, queue), queue, reviewer, rows, shown=shown)
    done = not fields["left"]
    if done and doing.choose("See the agreement", key="review_to_agreement", **{VIEW: "Agreement"}):
        st.rerun()  # of the whole page: a button in a fragment runs that alone
    review_desk.draw_desk(key, fields | {"on_disk": recorded.on_disk, "refused": recorded.refused, "model": shown})


def _recorded(selection: Selection, queue: Queue, reviewer: str, sent: list[Any]) -> actions.Recorded | None:
    """What became of what the browser sent; None where reviews can't even be read.

    What could not be written stays in the browser, unacknowledged, and comes again.
    """
    store = data.store()
    try:
        return actions.record_answers(store, selection.snapshot.collection, queue, reviewer, sent)
    except ExamboardError as error:
        show.problems(str(error).splitlines())
    try:
        return actions.Recorded((), {}, reviews_of(store, selection.snapshot))
    except ExamboardError:
        return None


def _given(items: Items, queue: Queue, reviewer: str, rows: Sequence[Review], *, shown: bool) -> dict[str, Any]:
    """What the desk needs: items ahead, how far the reviewer is, and what is said of the last answer."""
    scale, words = SCALES[queue.task], _WORDS[queue.task]
    others, together = taken.by_others(queue.queue_id, reviewer)
    left = to_do(queue, rows, reviewer)
    ahead = [reviewed for item in left if (reviewed := queue.reviewed_item(item)) not in others or item.shared]
    # Near the end each holds fewer, so that nobody waits for what another one has before them.
    offered = ahead[: min(AHEAD, max(2, math.ceil(len(ahead) / (together + 1))))]
    records: list[dict[str, Any]] = []
    for reviewed in offered:
        if (place := items.place(reviewed)) is not None:
            records.append(items.shown(place, model=shown))
        if sum(len(piece) for item in records for piece in item["passage"] or ()) > CHARACTERS:
            break
    taken.take(queue.queue_id, reviewer, offered[: len(records)])
    far = progress_of(queue, rows, reviewer, len(left))
    return {
        "items": records,
        "scale": [dict(zip(("value", "name", "meaning"), (value, *words[value]), strict=True)) for value in scale],
        "asked": ASKED[queue.task],
        "instruction": queue.instruction,
        "reason": REASON,
        "longest": LONGEST_NOTE,
        "finished": far.answered + far.skipped,
        "left": far.left,
        "seconds": far.seconds,
        "together": together,
        **_last(items, queue, reviewer, rows),
    }


def _last(items: Items, queue: Queue, reviewer: str, rows: Sequence[Review]) -> dict[str, Any]:
    """What the reviewer did last, to be taken back, and how it compares; nothing is said of what was skipped."""
    mine = [row for row in rows if row.reviewer == reviewer]
    last = max(enumerate(mine), key=lambda item: (item[1].created, item[0]), default=(0, None))[1]
    place = items.place(last.about) if last else None
    if last is None or place is None or last.skipped == TAKEN_BACK:
        return {"before": None, "said": None}
    text = None
    if last.answer is not None:
        words = [f"The last item: you said {in_words(queue.task, last.answer)}"]
        model = items.model(place)
        words += [] if model is None else [f"the model: {items.graded(model)}"]
        by = answered_by(queue, [review for review in rows if review.about == last.about]).get(last.about, {})
        for name, review in sorted(by.items()):
            if name != reviewer and review.answer is not None:
                words.append(f"{name}: {in_words(queue.task, review.answer)}")
        text = {"item": place, "words": "; ".join(words) + "."}
    return {"before": items.shown(place, model=False), "said": text}
