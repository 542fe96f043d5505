"""Why answers of a grader can't be read, from what is known of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from exam_core.readings.chat import YES_OR_NO, ClaimedScale, bare_answer, read_grade
from exam_core.readings.reasons import IN_WORDS, UNVERIFIED


def scale_of(about: Mapping[str, Any], largest: int) -> ClaimedScale:
    """The grades that a grader was asked for, of what the store knows of it and its largest grade."""
    words, pattern = about.get("words"), str(about.get("pattern", ""))
    if isinstance(words, dict):
        return ClaimedScale(largest, tuple((str(word), int(grade)) for word, grade in words.items()), pattern)
    return ClaimedScale(largest, YES_OR_NO if largest == 1 else (), pattern)


def why_unreadable(answer: str, about: Mapping[str, Any], largest: int) -> str:
    """The reason why an answer has no grade: one of `reasons.HELP`; arguments as `scale_of`."""
    if about.get("rated") is False:
        return bare_answer(answer)[1] or UNVERIFIED
    read_answer = read_grade(answer, scale_of(about, largest))
    return IN_WORDS if read_answer.grade is not None else read_answer.reason


def reasons_of(answers: Iterable[tuple[str, int]], about: Mapping[str, Any], largest: int) -> dict[str, int]:
    """How many of some unreadable answers, each given so often, there are for each reason."""
    counts = Counter[str]()
    for answer, times in answers:
        counts[why_unreadable(answer, about, largest)] += int(times)
    return dict(counts)
