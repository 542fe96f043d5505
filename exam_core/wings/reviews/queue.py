"""Queues: items drawn with known probabilities, the options of a draw, and a browser's message of an answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import msgspec

from exam_core.declared import Field
from exam_core.errors import UsageError, is_utf8
from exam_core.people import LONGEST_NOTE, Time, new_id, now
from exam_core.wings.reviews.review import SCALES, Probability, Review, ReviewedItem, Sampler, Task, Whole


class Item(msgspec.Struct, frozen=True, omit_defaults=True):
    """An item to be reviewed.

    `probability` is that of coming into the queue; every reviewer gets a `shared` item, so that they can be compared.
    """

    query_id: str
    doc_id: str | None = None
    question_id: str | None = None
    probability: Probability | None = None
    stratum: str | None = None
    shared: bool = False


class ItemTexts(NamedTuple):
    """The texts of an item; empty where only the id is known."""

    query_text: str = ""
    question_text: str = ""
    passage_text: str = ""


class Queue(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A sample, in random order: whoever stops early has reviewed a random part of it.

    `population` is the number of items from which it was drawn; `evaluation` has the runs, depth, bank and grader of
    the draw, in the words of `exam_core.request.Request`; `items` are in the order in which reviewers get them.
    """

    queue_id: str
    created: Time
    author: str
    task: Task
    sampler: Sampler
    seed: Whole
    population: Whole
    items: tuple[Item, ...]
    instruction: str = ""
    evaluation: dict[str, Any] = {}

    def __hash__(self) -> int:
        return hash(self.queue_id)

    def reviewed_item(self, item: Item) -> ReviewedItem:
        """Return what a review of an item is about."""
        return ReviewedItem(self.task, item.query_id, item.doc_id, item.question_id)

    def design(self, item: Item) -> dict[str, Any]:
        """Return the sampling of an item, as fields of a review."""
        return {
            "queue_id": self.queue_id,
            "sampler": self.sampler,
            "seed": self.seed,
            "drawn": len(self.items),
            "stratum": item.stratum,
            "probability": item.probability,
            "instruction": self.instruction or None,
        }

    def review(self, item: Item, reviewer: str, answer: int | None, **fields: Any) -> Review:
        """Return a review of an item of this queue, made now, with these other fields."""
        known = {"review_id": new_id(), **self.reviewed_item(item)._asdict(), **self.design(item), **fields}
        return Review(reviewer=reviewer, created=now(), answer=answer, **known)


TAKEN_BACK = "taken back"
"""The reason of a review whose answer was undone: the item comes again."""


def answered_by(queue: Queue, reviews: Iterable[Review]) -> dict[ReviewedItem, dict[str, Review]]:
    """Return the newest review of each item of a queue by each reviewer; skipped ones too, but none taken back."""
    latest: dict[ReviewedItem, dict[str, Review]] = {}
    for review in sorted(reviews, key=lambda review: review.created):
        if review.queue_id == queue.queue_id:
            latest.setdefault(review.about, {})[review.reviewer] = review
    return {
        about: {reviewer: review for reviewer, review in by.items() if review.skipped != TAKEN_BACK}
        for about, by in latest.items()
    }


def to_do(queue: Queue, reviews: Iterable[Review], reviewer: str) -> list[Item]:
    """Return a reviewer's remaining items, in order: shared ones, and others that nobody has answered yet."""
    done = answered_by(queue, reviews)
    by_item = [(item, done.get(queue.reviewed_item(item), {})) for item in queue.items]
    return [item for item, by in by_item if (reviewer not in by if item.shared else not by)]


LARGEST = 100_000
"""Items of a queue."""


@dataclass(frozen=True)
class Draw:
    """Options of a draw; `shared` is the per cent of the items that every reviewer gets."""

    task: Annotated[
        Task,
        Field(
            "Task: relevance of a passage, its grade on a question, or whether a question is good.",
            label="Task",
            explained="The corrected leaderboard uses answers on relevance; agreement is computed for every task.",
            in_words={
                "relevance": "Relevance of a passage",
                "grade": "Grade of a passage on a question",
                "question": "Quality of a question",
            },
        ),
    ] = "relevance"
    by: Annotated[
        Sampler,
        Field(
            "Sampling: uniform; passages of many runs; disagreements of graders and judges; passages that narrow "
            "intervals.",
            label="Sampler",
            explained="Sampling of items. Each keeps its probability, so no sampling biases a figure. By disagreement, "
            "intervals of a corrected leaderboard contain the true value in less than 95%: choose another for it.",
            in_words={
                "uniform": "Every item alike",
                "runs": "Passages of many runs first",
                "disagreement": "Passages on which graders or judges disagree",
                "gain": "Passages that narrow the intervals most",
            },
        ),
    ] = "gain"
    n: Annotated[int, Field("Number of items.", least=1, most=LARGEST, label="Items", explained="Number of items.")] = (
        200
    )
    seed: Annotated[
        int,
        Field(
            "Seed of the sample; the same seed draws the same items.",
            least=0,
            most=2**31 - 1,
            label="Seed",
            explained="The same seed draws the same items.",
        ),
    ] = 0
    shared: Annotated[
        int,
        Field(
            "Per cent of the items that every reviewer gets: they show how often reviewers err and differ.",
            least=0,
            most=100,
            label="Given to everybody (%)",
            explained="Every reviewer gets these items first; the others are divided among them. Shared items show how "
            "reviewers differ and how often people err, which intervals of a corrected leaderboard need.",
        ),
    ] = 20
    instruction: Annotated[
        str,
        Field(
            "Instruction to reviewers; kept with each review.",
            label="Instruction",
            explained="Shown above every item, and kept with each review.",
        ),
    ] = ""


LONGEST_TIME = 86_400.0
"""Seconds: a longer time, over a day, was not measured."""
KINDS = ("answer", "skip", "undo")
"""Actions on an item."""
_ID = re.compile(r"[0-9a-f]{32}", re.ASCII)


def review_id_of(message: Any) -> str | None:
    """Return the id that a browser gave a review; None where there is none, so that no reply is possible."""
    review_id = message.get("id") if isinstance(message, Mapping) else None
    return review_id if isinstance(review_id, str) and _ID.fullmatch(review_id) else None


def review_in(queue: Queue, reviewer: str, message: Any) -> Review:
    """Return the review in a browser's message. Raises UsageError where it can't be a review of this queue.

    A message has `id`; `item`, its place in the queue; `kind`, one of KINDS; `answer`, where one was given; `reason` of
    a skip; `note`; `shown`, whether the model's grade was; `seconds` that it took.
    """
    review_id = review_id_of(message)
    if review_id is None:
        raise UsageError("A review came without an id; reload the page.")
    place = message.get("item")
    if not _whole(place) or not 0 <= place < len(queue.items):
        raise UsageError(f"The queue has {len(queue.items):,} items, and none at {_short(place)}.")
    kind = message.get("kind")
    if kind not in KINDS:
        raise UsageError(f"{_short(kind)} is not an action on an item: {', '.join(KINDS)}.")
    answer, scale = message.get("answer") if kind == "answer" else None, SCALES[queue.task]
    if kind == "answer" and (not _whole(answer) or answer not in scale):
        raise UsageError(f"{_short(answer)} is not an answer here: give {scale[0]} to {scale[-1]}.")
    # A reason must not read as if an answer had been taken back.
    reason = _text("reason", message.get("reason"))
    reason = f"{reason}." if reason == TAKEN_BACK else reason or "no reason given"
    return queue.review(
        queue.items[place],
        reviewer,
        answer,
        skipped={"undo": TAKEN_BACK, "skip": reason}.get(kind),
        note=_text("note", message.get("note")) or None,
        shown=message.get("shown") is True,
        seconds=_seconds(message.get("seconds")) if kind != "undo" else None,
        review_id=review_id,
    )


def _whole(value: Any) -> bool:
    """Return whether a value is a whole number; True and False are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def _text(name: str, value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > LONGEST_NOTE:
        raise UsageError(f"A {name} is a text of at most {LONGEST_NOTE:,} characters.")
    if not is_utf8(value):
        raise UsageError(f"The {name} has an incomplete character. Type it again.")
    return value.strip()


def _seconds(value: Any) -> float | None:
    """Return a possible time, to the tenth; None for all else: no answer is lost for it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return round(float(value), 1) if 0 <= value <= LONGEST_TIME else None


def _short(value: Any) -> str:
    return ascii(value)[:60]
