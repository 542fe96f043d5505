"""Which words of a passage speak to a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from exam_core.texts.scripts import characters, united
from exam_core.texts.words import places, question_keys
from exam_core.wording import composed

MARKED = (
    "Marked words share a stem with the answer key (or, without a key, the question), as the lexical grader counts "
    "them (POURPRE, Lin & Demner-Fushman 2005). They show where to look, not why a model graded so."
)
"""What is said wherever words are marked."""


@dataclass(frozen=True)
class Marked:
    """The words of a passage that a question's key has, too: begin and end of each, in the passage's characters.

    `matched` are the key's stems that the passage has, `missing` the others, in the key's order.
    """

    places: list[tuple[int, int]]
    matched: list[str]
    missing: list[str]


def mark(text: str, question_text: str | None, gold_answers: Sequence[str] = ()) -> Marked:
    """The words that the lexical grader matches: of every gold answer, or else of the question, by their stems.

    It shows where to look; what a language model went by, nobody knows.
    """
    [marking] = mark_all(text, [stems_of(question_text, gold_answers)])
    return marking


def stems_of(question_text: str | None, gold_answers: Sequence[str] = ()) -> list[str]:
    """The stems of a question's key, each once, in order."""
    return list(dict.fromkeys(stem for stems in question_keys(question_text, list(gold_answers)) for stem in stems))


def mark_all(text: str, keys: Sequence[Sequence[str]]) -> list[Marked]:
    """As `mark`, by the stems of several keys; the text is read once."""
    words = [*places(text)]
    known = {stem for _, _, stem in words}
    return [
        Marked(
            united((start, end) for start, end, stem in words if stem in key),
            [stem for stem in key if stem in known],
            [stem for stem in key if stem not in known],
        )
        for key in keys
    ]


def mark_words(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Where some texts occur in a passage, upper or lower case; places that overlap are united."""
    letters = [*characters(text)]
    searched = "".join(letter for *_, letter in letters)
    # A letter may be another number of characters in lower case, or composed with its accent.
    places = [(start, end) for start, end, letter in letters for _ in letter]
    pairs: list[tuple[int, int]] = []
    for word in map(composed, filter(None, words)):
        start = searched.find(word)
        while start >= 0:
            end = start + len(word)
            pairs.append((places[start][0], places[end - 1][1]))
            start = searched.find(word, end)
    return united(pairs)
