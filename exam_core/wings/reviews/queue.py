"""Queues: items drawn with known probabilities, the request of a draw, and what the browser tells of an answer."""

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
    """What is to be reviewed.

    Parameters
    ----------
    probability : with which it came into the queue
    shared : whether every reviewer gets it, so that they can be compared
    """

    query_id: str
    doc_id: str | None = None
    question_id: str | None = None
    probability: Probability | None = None
    stratum: str | None = None
    shared: bool = False


class ItemTexts(NamedTuple):
    """What is known of an item in words; empty where only the id is known."""

    query_text: str = ""
    question_text: str = ""
    passage_text: str = ""


class Queue(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A sample, in random order: whoever stops early has reviewed a random part of it.

    Parameters
    ----------
    population : how many items it was drawn from
    instruction : what reviewers are told to do
    evaluation : of which runs, depth, bank and grader it was drawn: the words of `exam_core.request.Request`
    items : in the order in which they are given out
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

    def asked(self, item: Item) -> ReviewedItem:
        """What a review of an item is about."""
        return ReviewedItem(self.task, item.query_id, item.doc_id, item.question_id)

    def design(self, item: Item) -> dict[str, Any]:
        """How an item came to be reviewed, by the fields of a review."""
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
        """A review of an item of this queue, made now; `fields` is by its other fields."""
        known = {"review_id": new_id(), **self.asked(item)._asdict(), **self.design(item), **fields}
        return Review(reviewer=reviewer, created=now(), answer=answer, **known)


TAKEN_BACK = "taken back"
"""Why a review has no answer whose answer was undone: the item comes again."""


def answered_by(queue: Queue, reviews: Iterable[Review]) -> dict[ReviewedItem, dict[str, Review]]:
    """The newest review of each item of a queue by each reviewer; also skipped ones, but none that was taken back."""
    latest: dict[ReviewedItem, dict[str, Review]] = {}
    for review in sorted(reviews, key=lambda item: item.created):
        if review.queue_id == queue.queue_id:
            latest.setdefault(review.about, {})[review.reviewer] = review
    return {
        about: {who: entry for who, entry in by.items() if entry.skipped != TAKEN_BACK} for about, by in latest.items()
    }


def to_do(queue: Queue, reviews: Iterable[Review], reviewer: str) -> list[Item]:
    """What is left for a reviewer, in order: what everybody gets, and what nobody has answered yet."""
    done = answered_by(queue, reviews)

    def is_left(item: Item) -> bool:
        by = done.get(queue.asked(item), {})
        return reviewer not in by if item.shared else not by

    return [item for item in queue.items if is_left(item)]


LARGEST = 100_000
"""Items of a queue."""


@dataclass(frozen=True)
class Draw:
    """What is drawn for review, how much of it, and how.

    Parameters
    ----------
    shared : per cent of the items that every reviewer gets
    """

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
"""Seconds: what took longer than a day was not measured."""


KINDS = ("answer", "skip", "undo")
"""What can be done with an item."""


_ID = re.compile(r"[0-9a-f]{32}", re.ASCII)


def review_id_of(text: Any) -> str | None:
    """The id that a browser gave a review; None where it is none, so that there is nothing to reply to."""
    result = text.get("id") if isinstance(text, Mapping) else None
    return result if isinstance(result, str) and _ID.fullmatch(result) else None


def review_told(queue: Queue, reviewer: str, text: Any) -> Review:
    """The review that a browser tells of. Raises UsageError where it can't be a review of this queue.

    Parameters
    ----------
    text : `id`; `item`, its place in the queue; `kind`, one of KINDS; `answer`, where one was given; `reason` of a
        skip; `note`; `shown`, whether the model's grade was; `seconds` that it took
    """
    review_id = review_id_of(text)
    if review_id is None:
        raise UsageError("A review came without an id; reload the page.")
    place = text.get("item")
    if not _whole(place) or not 0 <= place < len(queue.items):
        raise UsageError(f"The queue has {len(queue.items):,} items, and none at {_short(place)}.")
    kind = text.get("kind")
    if kind not in KINDS:
        raise UsageError(f"{_short(kind)} is not an action on an item: {', '.join(KINDS)}.")
    answer = text.get("answer") if kind == "answer" else None
    if kind == "answer" and (not _whole(answer) or answer not in SCALES[queue.task]):
        scale = SCALES[queue.task]
        raise UsageError(f"{_short(answer)} is not an answer here: give {scale[0]} to {scale[-1]}.")
    return queue.review(
        queue.items[place],
        reviewer,
        answer,
        skipped={"undo": TAKEN_BACK, "skip": _reason(text.get("reason"))}.get(kind),
        note=_text("note", text.get("note")) or None,
        shown=text.get("shown") is True,
        seconds=_seconds(text.get("seconds")) if kind != "undo" else None,
        review_id=review_id,
    )


def _whole(value: Any) -> bool:
    """Whether it is a whole number; True and False are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def _reason(value: Any) -> str:
    """Why an item was skipped, which must not read as if an answer had been taken back."""
    reason = _text("reason", value) or "no reason given"
    return f"{reason}." if reason == TAKEN_BACK else reason


def _text(name: str, value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > LONGEST_NOTE:
        raise UsageError(f"A {name} is a text of at most {LONGEST_NOTE:,} characters.")
    if not is_utf8(value):
        raise UsageError(f"The {name} has an incomplete character. Type it again.")
    return value.strip()


def _seconds(value: Any) -> float | None:
    """A time that can be one, to the tenth; None for all else: no answer is lost for it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return round(float(value), 1) if 0 <= value <= LONGEST_TIME else None


def _short(value: Any) -> str:
    return ascii(value)[:60]
