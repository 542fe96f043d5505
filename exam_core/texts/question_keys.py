"""Which words of a passage would answer a question."""

from __future__ import annotations

from collections.abc import Iterable

from exam_core.texts.words import QUESTION_WORDS, STOP_WORDS, content_stems

_VERDICTS = frozenset({"true", "fals", "ye", "no"})


def question_keys(question_text: object, gold_answers: object) -> list[list[str]]:
    """What to look for: the stems of each gold answer, or of the question's content words.

    A key that says only true or false tells nothing about the words of a passage; then the
    question's words are used.
    """
    answers = [answer for answer in gold_answers if answer] if isinstance(gold_answers, Iterable) else []
    keys = [content_stems(answer) for answer in answers]
    keys = [key for key in keys if key and not set(key) <= _VERDICTS]
    return keys or [content_stems(str(question_text or ""), STOP_WORDS | QUESTION_WORDS)]
