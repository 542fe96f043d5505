"""Which words of a passage speak to a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from exam_core.grading.modes.lexical import question_keys
from exam_core.texts.words import places


@dataclass(frozen=True)
class Marked:
    """The words of a passage that a question's key has, too.

    Parameters
    ----------
    places : begin and end of each word, in the passage's characters
    found, missing : the key's stems that the passage has, and the others, in the key's order
    """

    places: list[tuple[int, int]]
    found: list[str]
    missing: list[str]


def mark(text: str, question_text: str | None, gold_answers: Sequence[str] = ()) -> Marked:
    """The words that the lexical grader matches: of every gold answer, or else of the question, by their stems.

    It shows where to look; what a language model went by, nobody knows.
    """
    key = dict.fromkeys(stem for stems in question_keys(question_text, list(gold_answers)) for stem in stems)
    words = [word for word in places(text) if word[2] in key]
    held = {stem for _, _, stem in words}
    return Marked(
        [(start, end) for start, end, _ in words],
        [stem for stem in key if stem in held],
        [stem for stem in key if stem not in held],
    )


def mark_words(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Where some texts occur in a passage, upper or lower case; places that overlap are united."""
    lower = text.lower()
    if len(lower) != len(text):
        # Some letters have two in lower case: then nothing stands where it stood.
        return []
    found: list[tuple[int, int]] = []
    for word in filter(None, words):
        start = lower.find(word.lower())
        while start >= 0:
            found.append((start, start + len(word)))
            start = lower.find(word.lower(), start + len(word))
    united: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if united and start <= united[-1][1]:
            united[-1] = (united[-1][0], max(end, united[-1][1]))
        else:
            united.append((start, end))
    return united
