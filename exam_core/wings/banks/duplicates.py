"""Near duplicates: questions of a query that say the same in nearly the same words."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import fuzz, process

from exam_core.errors import UsageError
from exam_core.question import Question
from exam_core.wings.banks.bank_questions import Bank

ALIKE = 0.9
"""Questions at least so alike are near duplicates where nobody says."""
LIKENESS = "Share of equal letters, with the words of each question sorted (rapidfuzz's token_sort_ratio)."
LEAST_ALIKE = 0.5
"""Below this, any two questions of a query are alike."""
MOST_PAIRS = 100_000
"""More pairs than somebody could look at; they would fill the memory."""
MOST_WORK = 3e10
"""Steps of the comparison that are taken at most: about half a minute."""
_OF_A_PAIR, _WORD, _CELLS = 100, 64, 2**22
_AROUND = " .,;:?!¿¡…\"'`´“”„‘’«»‹›()[]{}"
"""What stands around a word and is no part of it; C++ and C# stay two words."""


@dataclass(frozen=True)
class Pair:
    """Two questions of a query in nearly the same words.

    Parameters
    ----------
    alike : share of the characters that both have in common, from `LEAST_ALIKE` to 1
    """

    one: Question
    other: Question
    alike: float

    @property
    def differing(self) -> tuple[list[str], list[str]]:
        """Words that only the one has, and words that only the other has, ascending."""
        words = [Counter(normalised(question.text).split()) for question in (self.one, self.other)]
        return sorted((words[0] - words[1]).elements()), sorted((words[1] - words[0]).elements())


def normalised(text: str | None) -> str:
    """What is compared of a question: its words in lower case, without punctuation around them, ascending.

    Compatible characters are the same (Unicode's NFKC). Empty where there are no words: such a question is like none.
    """
    folded = unicodedata.normalize("NFKC", text or "").casefold()
    return " ".join(sorted(filter(None, (word.strip(_AROUND) for word in folded.split()))))


def near_duplicates(bank: Bank, alike: float = ALIKE) -> list[Pair]:
    """All pairs of questions of a query that are at least so alike, the most alike first, then in the bank's order.

    Two questions are as alike as twice the longest common subsequence of their normalised texts is long, over the
    length of both (Indel similarity). In what order the words stand makes no difference. Every pair is compared that
    could be so alike, by its lengths; facets of a query are compared with each other.

    Raises UsageError where `alike` is out of range, or there is more to compare, or to show, than can be.

    Parameters
    ----------
    alike : from 0.5 to 1; 1 finds questions of the same words

    Source: Levenshtein 1966 without substitutions, as in rapidfuzz's `token_sort_ratio`.
    """
    if not LEAST_ALIKE <= alike <= 1:
        raise UsageError(f"--alike {alike:g}: choose {LEAST_ALIKE:g} to 1; 1 finds questions of the same words only.")
    groups = _by_query(bank.values())
    if sum(_work(rows, alike) for rows in groups) > MOST_WORK:
        raise UsageError(
            f"There is too much to compare: a query has {max(map(len, groups)):,} questions, or their texts are very "
            "long. Raise --alike, which leaves fewer lengths to compare, or look at fewer questions."
        )
    found: list[tuple[float, int, int, Pair]] = []
    for rows in groups:
        for row, column, value in _alike(rows, alike):
            (_, first, one), (_, second, other) = rows[row], rows[column]
            if first < second:
                found.append((-value, first, second, Pair(one, other, value)))
        if len(found) > MOST_PAIRS:
            raise UsageError(
                f"More than {MOST_PAIRS:,} pairs of questions are at least {alike:g} alike. Raise --alike, or merge "
                "equal questions first."
            )
    return [pair for *_, pair in sorted(found, key=lambda row: row[:3])]


_Questions = Sequence[tuple[str, int, Question]]
"""Of a query: normalised text, place in the bank, and question; the shortest text first."""


def _by_query(questions: Iterable[Question]) -> list[_Questions]:
    groups: dict[str, list[tuple[str, int, Question]]] = {}
    for place, question in enumerate(questions):
        if text := normalised(question.text):
            groups.setdefault(question.query_id, []).append((text, place, question))
    return [sorted(group, key=lambda row: (len(row[0]), row[1])) for group in groups.values()]


def _windows(rows: _Questions, alike: float) -> Iterator[tuple[int, int]]:
    """For each row those that are neither too short nor too long to be so alike."""
    lengths = [len(text) for text, _, _ in rows]
    ratio = (2 - alike) / alike
    for length in lengths:
        # One more each way: the bound itself must not fall to rounding.
        yield bisect_left(lengths, int(length / ratio)), bisect_right(lengths, int(length * ratio) + 1)


def _work(rows: _Questions, alike: float) -> float:
    """Steps of comparing the rows with each other: a machine word of the one for each character of the other."""
    return float(
        sum(
            (high - low) * (_OF_A_PAIR + len(text) * (len(text) // _WORD + 1))
            for (text, _, _), (low, high) in zip(rows, _windows(rows, alike), strict=True)
        )
    )


def _alike(rows: _Questions, alike: float) -> Iterator[tuple[int, int, float]]:
    """Row, column and likeness of what is alike enough; a block of some million cells at a time."""
    texts, windows = [text for text, _, _ in rows], list(_windows(rows, alike))
    start = 0
    while start < len(rows):
        low = windows[start][0]
        end = start + 1
        while end < len(rows) and (end + 1 - start) * (windows[end][1] - low) <= _CELLS:
            end += 1
        cells = process.cdist(
            texts[start:end],
            texts[low : windows[end - 1][1]],
            scorer=fuzz.ratio,
            score_cutoff=100 * alike - 1e-6,
            dtype=np.float64,
        )
        for row, column in np.argwhere(cells > 0).tolist():
            yield start + row, low + column, round(float(cells[row, column]) / 100, 9)
        start = end
