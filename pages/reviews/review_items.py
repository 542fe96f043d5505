"""Items of a queue as the browser shows them: their texts in pieces of which every second is marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import pairwise
from typing import Any

from exam_core.analysis.passage_evidence import labels_of_docs
from exam_core.errors import UsageError
from exam_core.request import Request as Evaluated
from exam_core.store import Snapshot
from exam_core.store.evidence import grades_by
from exam_core.texts.marking import mark
from exam_core.wings.reviews.queue import Item, ItemTexts, Queue
from exam_core.wings.reviews.records import texts_of
from exam_core.wings.reviews.review import ReviewedItem, Task
from pages.shared import data
from pages.shared.selection import Selection

BLOCK = 200
"""Items whose texts are read at once, and kept."""
UNKNOWN = "(only its id is known)"


@dataclass(frozen=True)
class Shown:
    """An item for the browser.

    Parameters
    ----------
    item : its place in the queue
    query, question : None where there is no question
    passage : pieces of the text; the second, fourth ... are marked; None where the task has no passage
    names : its ids
    model : what the grader made of it, in words; None where that is not to be seen, or there is nothing
    """

    item: int
    query: str
    question: str | None
    passage: list[str] | None
    names: str
    model: str | None = None


class Items:
    """The items of a queue, with what the grader made of them.

    Parameters
    ----------
    chosen : where the queue does not say which bank and grader it is of, those of the control bar are taken
    """

    def __init__(self, selection: Selection, queue: Queue) -> None:
        self._snapshot, self._queue, self._chosen = selection.snapshot, queue, selection
        self._asked = _evaluated(selection, queue)

    def place(self, about: ReviewedItem) -> int | None:
        """Where in the queue an item is; None where it is not there."""
        return _places(self._queue).get(about)

    def shown(self, place: int, *, model: bool) -> dict[str, Any]:
        """An item for the browser; the grader's work goes along only where it may be seen."""
        result = self._block(place)[place % BLOCK]
        grade = self.model(place) if model else None
        return vars(result) | {"model": None if grade is None else self.graded(grade)}

    def model(self, place: int) -> int | None:
        """What the grader made of an item: the passage's label, or its grade; None where it has none."""
        item = self._queue.items[place]
        if self._queue.task == "relevance":
            return self._labels().get((item.query_id, item.doc_id or ""))
        if self._queue.task == "grade" and self._asked.grader:
            grades = data.ask(_graded, self._snapshot, self._queue, self._asked.grader, place - place % BLOCK)
            return grades.get((item.doc_id or "", item.question_id or ""))
        return None

    def graded(self, grade: int) -> str:
        """What the grader made of an item, in words."""
        return f"label {grade}" if self._queue.task == "relevance" else f"grade {grade}"

    def _block(self, place: int) -> list[Shown]:
        return data.ask(_shown, self._snapshot, self._queue, place - place % BLOCK)

    def _labels(self) -> dict[tuple[str, str], int]:
        try:
            labelling = self._chosen.exactly(self._asked).labelling
        except UsageError:  # the grader or the bank is gone from the store: the item can be reviewed without
            return {}
        return data.ask(labels_of_docs, self._snapshot, labelling, _docs(self._queue))


def _evaluated(selection: Selection, queue: Queue) -> Evaluated:
    """Of which bank and grader a queue is; what is not ours of it is left out."""
    known = {field.name for field in fields(Evaluated)}
    # A bank or grader that was left open was the only one then.
    record = {
        name: value
        for name, value in queue.evaluation.items()
        if name in known - {"own_taus"} and (value is not None or name not in ("bank", "grader"))
    }
    usual = {
        "judgments": None,
        "bank": selection.request.bank,
        "grader": selection.series[0] if selection.series and selection.of_grades else None,
    }
    return selection.request.but(**usual | record, own_taus=())  # a queue is of one grader, at the tau that it says


@lru_cache(maxsize=8)
def _places(queue: Queue) -> dict[ReviewedItem, int]:
    return {queue.reviewed_item(item): place for place, item in enumerate(queue.items)}


def _items_from(queue: Queue, start: int) -> tuple[Item, ...]:
    return queue.items[start : start + BLOCK]


@lru_cache(maxsize=8)
def _docs(queue: Queue) -> frozenset[str]:
    return frozenset(item.doc_id for item in queue.items if item.doc_id)


def _graded(snapshot: Snapshot, queue: Queue, grader: str, start: int) -> dict[tuple[str, str], int]:
    return grades_by(snapshot, grader, sorted({item.doc_id for item in _items_from(queue, start) if item.doc_id}))


def _shown(snapshot: Snapshot, queue: Queue, start: int) -> list[Shown]:
    items = _items_from(queue, start)
    pairs = zip(items, texts_of(snapshot, queue, items), strict=True)
    return [_one(start + at, item, queue.task, texts) for at, (item, texts) in enumerate(pairs)]


def _one(place: int, item: Item, task: Task, texts: ItemTexts) -> Shown:
    query, question, passage = texts.query_text or UNKNOWN, None, None
    if item.question_id is not None:
        question = texts.question_text or f"{item.question_id} {UNKNOWN}"
    if task != "question":
        text, name = texts.passage_text, query if task == "relevance" else question
        passage = _pieces(text, mark(text, name).places) if text else [f"{item.doc_id} {UNKNOWN}"]
    names = " · ".join(filter(None, [item.query_id, item.doc_id]))
    return Shown(place, query, question, passage, names)


def _pieces(text: str, places: Sequence[tuple[int, int]]) -> list[str]:
    """Cut here and not in the browser, which counts characters in another way."""
    bounds = [0, *(bound for place in places for bound in place), len(text)]
    return [text[start:end] for start, end in pairwise(bounds)]
