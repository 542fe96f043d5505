"""What each answer to a review means, in words, and how graders write theirs."""

from __future__ import annotations

import re
from typing import NamedTuple

from exam_core.grading.modes.prompt_texts import SELF_RATING
from exam_core.wings.reviews.review import SCALES, Task


class ScaleAnswer(NamedTuple):
    """An answer: its number, which is its key, a name, and what it means."""

    value: int
    name: str
    meaning: str


_TREC = {
    0: ("Irrelevant", "The passage has nothing to do with the query."),
    1: ("Related", "The passage seems related to the query but does not answer it."),
    2: ("Highly relevant", "It has some answer, but that is a bit unclear, or hidden among extraneous information."),
    3: ("Perfectly relevant", "The passage is dedicated to the query and contains the exact answer."),
}
"""TREC Deep Learning 2019, overview, section 3: the words that NIST's assessors were given."""
_GRADES = {
    int(value): ("", words)
    for value, words in re.findall(r"^- (\d): The answer (?:is|has) (.+)$", SELF_RATING, re.MULTILINE)
}
_QUESTION = {
    0: ("No", "It is unclear, answered by any passage, or not about the query."),
    1: ("Yes", "Somebody with this query wants an answer to this question."),
}
_WORDS: dict[Task, dict[int, tuple[str, str]]] = {"relevance": _TREC, "grade": _GRADES, "question": _QUESTION}
ASKED: dict[Task, str] = {
    "relevance": "How relevant is the passage to the query?",
    "grade": "How well does the passage answer the question?",
    "question": "Is this a good question for the query?",
}
"""What is asked of each item."""


def scale_of(task: Task) -> list[ScaleAnswer]:
    """The answers that a task takes, from the smallest."""
    return [ScaleAnswer(value, *_capital(*_WORDS[task][value])) for value in SCALES[task]]


def in_words(task: Task, value: int) -> str:
    """An answer by its number and, where it has one, its name."""
    name = _WORDS[task].get(value, ("", ""))[0]
    return f"{value} ({name.lower()})" if name else str(value)


def _capital(name: str, meaning: str) -> tuple[str, str]:
    return name, meaning[:1].upper() + meaning[1:]
