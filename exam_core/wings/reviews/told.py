"""What a browser says was answered, checked and made a review: nothing that it sends is believed unseen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from exam_core.errors import UsageError, is_utf8
from exam_core.people import LONGEST_NOTE
from exam_core.wings.reviews.queue import TAKEN_BACK, Queue
from exam_core.wings.reviews.review import SCALES, Review

LONGEST_TIME = 86_400.0
"""Seconds: what took longer than a day was not measured."""
KINDS = ("answer", "skip", "undo")
"""What can be done with an item."""
_ID = re.compile(r"[0-9a-f]{32}", re.ASCII)


def review_id_of(told: Any) -> str | None:
    """The id that a browser gave a review; None where it is none, so that there is nothing to reply to."""
    found = told.get("id") if isinstance(told, Mapping) else None
    return found if isinstance(found, str) and _ID.fullmatch(found) else None


def review_told(queue: Queue, reviewer: str, told: Any) -> Review:
    """The review that a browser tells of. Raises UsageError where it can't be a review of this queue.

    Parameters
    ----------
    told : `id`; `item`, its place in the queue; `kind`, one of KINDS; `answer`, where one was given; `reason` of a
        skip; `note`; `shown`, whether the model's grade was; `seconds` that it took
    """
    review_id = review_id_of(told)
    if review_id is None:
        raise UsageError("A review came without an id; reload the page.")
    place = told.get("item")
    if not _whole(place) or not 0 <= place < len(queue.items):
        raise UsageError(f"The queue has {len(queue.items):,} items, and none at {_short(place)}.")
    kind = told.get("kind")
    if kind not in KINDS:
        raise UsageError(f"{_short(kind)} is not an action on an item: {', '.join(KINDS)}.")
    answer = told.get("answer") if kind == "answer" else None
    if kind == "answer" and (not _whole(answer) or answer not in SCALES[queue.task]):
        scale = SCALES[queue.task]
        raise UsageError(f"{_short(answer)} is not an answer here: give {scale[0]} to {scale[-1]}.")
    return queue.review(
        queue.items[place],
        reviewer,
        answer,
        skipped={"undo": TAKEN_BACK, "skip": _reason(told.get("reason"))}.get(kind),
        note=_text("note", told.get("note")) or None,
        shown=told.get("shown") is True,
        seconds=_seconds(told.get("seconds")) if kind != "undo" else None,
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
