"""Bit words: all grades of a passage in one or a few machine words, every tau at once.

A word has a field of one bit for each question, for each grade 0, 1, 2, ...: the bit is set where the
passage's grade on the question is at least that. The words of several passages OR together to what
they answer together; the bits of a field are counted by one instruction.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from exam_core.numbers.arrays import slices

UInts = npt.NDArray[np.uint64]
WORD = 64
HIGHEST_TAU = 5
PADDING = 2
"""Empty words at the end: the places -1 and -2 of a ranking, which hold no graded passage, find these."""


@dataclass(frozen=True)
class Words:
    """Grades of P pairs on S questions as (W, P + 2) words, the last two empty, with a field for each of the levels."""

    bits: UInts
    levels: int
    questions: int

    def count(self, words: UInts, level: int, columns: UInts) -> npt.NDArray[np.integer]:
        """(...) questions of (W, ...) words that reach a grade; `columns` (parts, ...) are those that count."""
        total: npt.NDArray[np.integer] = np.zeros(words.shape[1:], np.uint8 if self.questions < 256 else np.int64)
        for part, (word, shift, mask) in enumerate(_fields(self.questions, self.levels)[level]):
            total += np.bitwise_count((words[word] >> shift) & mask & columns[part])
        return total

    def has(self, words: UInts, level: int, question: int) -> npt.NDArray[np.bool_]:
        """(...) whether (W, ...) words say that a question reaches a grade."""
        part, bit = divmod(question, WORD)
        word, shift, _ = _fields(self.questions, self.levels)[level][part]
        return (words[word] >> (shift + np.uint64(bit))) & np.uint64(1) != 0

    def of_pairs(self, pairs: slice) -> Words:
        """The words of some pairs, one after the other."""
        words = self.bits[:, pairs]
        bits = np.empty((len(words), words.shape[1] + PADDING), np.uint64)
        bits[:, :-PADDING], bits[:, -PADDING:] = words, 0
        return Words(bits, self.levels, self.questions)

    def columns(self, enabled: npt.NDArray[np.bool_]) -> UInts:
        """(parts, Q) the (Q, S) questions that count, as bits of a field."""
        columns = np.zeros((-(-self.questions // WORD), len(enabled)), np.uint64)
        for question in range(self.questions):
            part, bit = divmod(question, WORD)
            columns[part] |= enabled[:, question].astype(np.uint64) << np.uint64(bit)
        return columns


def pack(grades: npt.NDArray[np.int8], levels: int | None = None) -> Words:
    """Grades (P, S) as bit words, with as many levels as they have or more; a negative grade reaches nothing.

    >>> words = pack(np.array([[5, 0, 0], [0, 4, 0]], np.int8))
    >>> both = words.bits[:, 0] | words.bits[:, 1]
    >>> [words.has(both, 4, question).item() for question in range(3)]  # what two passages answer together
    [True, True, False]
    """
    pairs, questions = grades.shape
    levels = levels or max(HIGHEST_TAU, int(grades.max(initial=0))) + 1
    fields = _fields(questions, levels)
    bits = np.zeros((fields[-1][-1][0] + 1, pairs + PADDING), np.uint64)
    for question in range(questions):
        part, bit = divmod(question, WORD)
        for word in {fields[level][part][0] for level in range(levels)}:
            # The word's bits for each of the 256 values of a byte; 128 and more are negative grades.
            reached = np.zeros(256, np.uint64)
            for level in range(levels):
                at, shift, _ = fields[level][part]
                if at == word:
                    reached[level:128] |= np.uint64(1) << (shift + np.uint64(bit))
            for some in slices(pairs):
                bits[word, some] |= reached[grades[some, question].view(np.uint8)]
    return Words(bits, levels, questions)


@lru_cache
def _fields(questions: int, levels: int) -> list[list[tuple[int, np.uint64, np.uint64]]]:
    """For each level the word, place and mask of its parts; a part has at most 64 questions.

    As many levels as fit share a word; beyond 64 questions every part has a word of its own.
    """
    width = min(questions, WORD)
    mask = np.uint64(2**width - 1)
    parts, together = -(-questions // WORD), WORD // width
    if parts > 1:
        return [[(level * parts + part, np.uint64(0), mask) for part in range(parts)] for level in range(levels)]
    return [[(level // together, np.uint64(width * (level % together)), mask)] for level in range(levels)]
