"""Near duplicates: questions of a query that say the same in nearly the same words, in one bank or across two."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import fuzz, process

from exam_core.errors import UsageError
from exam_core.question import Question
from exam_core.wings.banks.bank_questions import Bank

ALIKE = 0.9
"""Questions at least so alike are near duplicates where nobody says."""
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
    groups = _by_query(bank.values())
    return _pairs([(group, group) for group in groups.values()], alike, same=True)


def across(one: Bank, other: Bank, alike: float = ALIKE) -> list[Pair]:
    """All pairs of a question of one bank and a question of the other under the same query; see `near_duplicates`.

    A question that both banks have is a pair with itself.

    Raises UsageError as `near_duplicates`.
    """
    mine, theirs = _by_query(one.values()), _by_query(other.values())
    return _pairs([(mine[query], theirs[query]) for query in mine if query in theirs], alike, same=False)


_Side = Sequence[tuple[str, int, Question]]
"""Normalised text, place in the bank, and question; the shortest text first."""


def _by_query(questions: Iterable[Question]) -> Mapping[str, _Side]:
    groups: dict[str, list[tuple[str, int, Question]]] = {}
    for place, question in enumerate(questions):
        if text := normalised(question.text):
            groups.setdefault(question.query_id, []).append((text, place, question))
    for group in groups.values():
        group.sort(key=lambda row: (len(row[0]), row[1]))
    return groups


def _pairs(groups: Sequence[tuple[_Side, _Side]], alike: float, *, same: bool) -> list[Pair]:
    if not LEAST_ALIKE <= alike <= 1:
        raise UsageError(f"--alike {alike:g}: choose {LEAST_ALIKE:g} to 1; 1 finds questions of the same words only.")
    if sum(_work(rows, columns, alike) for rows, columns in groups) > MOST_WORK:
        most = max(max(len(side) for side in group) for group in groups)
        raise UsageError(
            f"There is too much to compare: a query has {most:,} questions, or their texts are very long. Raise "
            "--alike, which leaves fewer lengths to compare, or look at fewer questions."
        )
    found: list[tuple[float, int, int, Pair]] = []
    for rows, columns in groups:
        for row, column, value in _alike(rows, columns, alike):
            (_, first, one), (_, second, other) = rows[row], columns[column]
            if not same or first < second:
                found.append((-value, first, second, Pair(one, other, value)))
        if len(found) > MOST_PAIRS:
            raise UsageError(
                f"More than {MOST_PAIRS:,} pairs of questions are at least {alike:g} alike. Raise --alike, or merge "
                "what is the same first."
            )
    return [pair for *_, pair in sorted(found, key=lambda row: row[:3])]


def _windows(rows: _Side, columns: _Side, alike: float) -> Iterator[tuple[int, int]]:
    """For each row the columns that are neither too short nor too long to be so alike."""
    lengths = [len(text) for text, _, _ in columns]
    ratio = (2 - alike) / alike
    for text, _, _ in rows:
        # One more each way: the bound itself must not fall to rounding.
        yield bisect_left(lengths, int(len(text) / ratio)), bisect_right(lengths, int(len(text) * ratio) + 1)


def _work(rows: _Side, columns: _Side, alike: float) -> float:
    """Steps of comparing the rows with the columns: a machine word of the one for each character of the other."""
    return float(
        sum(
            (high - low) * (_OF_A_PAIR + len(text) * (len(text) // _WORD + 1))
            for (text, _, _), (low, high) in zip(rows, _windows(rows, columns, alike), strict=True)
        )
    )


def _alike(rows: _Side, columns: _Side, alike: float) -> Iterator[tuple[int, int, float]]:
    """Row, column and likeness of what is alike enough; a block of some million cells at a time."""
    windows = list(_windows(rows, columns, alike))
    start = 0
    while start < len(rows):
        low = windows[start][0]
        end = start + 1
        while end < len(rows) and (end + 1 - start) * (windows[end][1] - low) <= _CELLS:
            end += 1
        high = windows[end - 1][1]
        cells = process.cdist(
            [text for text, _, _ in rows[start:end]],
            [text for text, _, _ in columns[low:high]],
            scorer=fuzz.ratio,
            score_cutoff=100 * alike - 1e-6,
            dtype=np.float64,
        )
        for row, column in np.argwhere(cells > 0).tolist():
            yield start + row, low + column, round(float(cells[row, column]) / 100, 9)
        start = end
