"""What people write is kept with their name and the time, under an id."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Annotated

import msgspec

from exam_core.errors import UsageError

LONGEST_NOTE = 10_000
"""Characters of a note, a reason or an instruction."""
LONGEST_NAME = 80
"""Characters of a reviewer's name."""
Time = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{4}")]
"""A time as ISO 8601 has it."""


def new_id() -> str:
    """An id for a review or a queue that is made now."""
    return uuid.uuid4().hex


def now() -> str:
    """The time as reviews tell it, to the millisecond, so that their order can be read off."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")


def reviewer_name(text: str) -> str:
    """A reviewer's name without blanks around it.

    Raises UsageError where it is empty, too long, or has characters that can't be seen.
    """
    name = text.strip()
    if not name:
        raise UsageError("Say who reviews: a name is kept with each review.")
    if len(name) > LONGEST_NAME:
        raise UsageError(f"A name has at most {LONGEST_NAME} characters; this one has {len(name):,}.")
    if not name.isprintable():
        raise UsageError(f"The name {name!a} has characters that can't be seen. Type it without them.")
    return name
