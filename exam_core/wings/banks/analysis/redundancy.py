"""Questions of a query that ask the same: in nearly the same words, or answered by the same passages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from exam_core.analysis.shared_columns import QUERY, QUESTION, QUESTION_TEXT
from exam_core.measures.gradebook import Gradebook
from exam_core.numbers.arrays import Bools, Floats
from exam_core.results import ResultTable, count, decimal, share, text
from exam_core.store.names import page_of
from exam_core.wings.banks.bank_questions import Bank
from exam_core.wings.banks.duplicates import Pair, near_duplicates

SAME_ANSWERS = 0.8
"""Phi of two questions' answers from which they are answered by the same passages."""
OTHER_ANSWERS = 0.5
"""Below this, questions in nearly the same words are told apart by the passages that answer them."""
FEW = 5
"""Fewer passages say nothing of a question."""
WORDS, ANSWERS, BOTH, APART = "words", "answers", "words and answers", "words, but other answers"
PAIRS = ResultTable(
    "bank health: pairs",
    "Pairs of questions of a query that may be duplicates: in nearly the same words, or answered by the same passages",
    QUERY,
    text(
        "by",
        "Alike by",
        f"Words: at least the chosen similarity. Answers: phi of at least {SAME_ANSWERS:g}, and at least {FEW} "
        f"passages that answer both. Words, but other answers: phi below {OTHER_ANSWERS:g}.",
    ),
    share(
        "alike",
        "Alike",
        "Share of common characters, in any order of the words.",
        "characters",
    ),
    decimal(
        "phi",
        "Phi",
        "Correlation of answering the one with answering the other, over the query's passages with a readable grade "
        "on both; NaN where all passages or none answer one of them.",
        source="Yule 1912",
    ),
    count("both", "Answer both", "Passages that answer both questions.", "passages"),
    QUESTION_TEXT,
    replace(QUESTION_TEXT, name="other_text", label="Other question"),
    text("only_one", "Only in the first", "Words of the first question that the other lacks."),
    text("only_other", "Only in the other"),
    QUESTION,
    replace(QUESTION, name="other_id", label="Other question ID"),
)
REDUNDANT = (WORDS, ANSWERS, BOTH)
"""Kinds of pairs of which one question is too many."""


def pairs_of(bank: Bank, book: Gradebook | None, tau: int, alike: float) -> pd.DataFrame:
    """The pairs of questions that may be one: `PAIRS`, the most alike by words first, then by answers.

    Raises UsageError as `near_duplicates`.

    Parameters
    ----------
    bank : the questions that are compared
    book : grades on them; None compares words alone
    alike : of `near_duplicates`
    """
    worded: dict[str, list[Pair]] = {}
    for pair in near_duplicates(bank, alike):
        worded.setdefault(pair.one.query_id, []).append(pair)
    rows: list[tuple[object, ...]] = []
    told = set[Pair]()
    for answers in _answers(book, tau) if book else ():
        # in rankings by facet a page's question is asked under each of its facets
        mine = [pair for name in (answers.unit, page_of(answers.unit)) for pair in worded.get(name, [])]
        mine = [pair for pair in mine if answers.asks(pair)]
        told |= set(mine)
        rows += [_row(answers.unit, pair, answers.of(pair)) for pair in mine]
        seen = {frozenset((pair.one.question_id, pair.other.question_id)) for pair in mine}
        rows += [_of_answers(bank, answers, *names) for names in answers.same() if frozenset(names) not in seen]
    rows += [_row(query, pair, (np.nan, 0)) for query, pairs in worded.items() for pair in pairs if pair not in told]
    found = PAIRS.of(pd.DataFrame(rows, columns=PAIRS.names))
    return found.sort_values(["alike", "phi", "query_id"], ascending=[False, False, True], ignore_index=True)


def redundant(pairs: pd.DataFrame) -> dict[tuple[str, str], Any]:
    """The pair that each redundant question is in, the other way round too: the first one of several."""
    found: dict[tuple[str, str], Any] = {}
    for row in pairs[pairs["by"].isin(REDUNDANT)].to_dict("records"):
        swapped = row | {
            "question_id": row["other_id"],
            "other_id": row["question_id"],
            "question_text": row["other_text"],
            "other_text": row["question_text"],
        }
        for one in (row, swapped):
            found.setdefault((one["query_id"], one["question_id"]), one)
    return found


def phis(answers: Bools, readable: Bools) -> tuple[Floats, Floats]:
    """Phi of each two questions' answers, and how many passages answer both.

    Parameters
    ----------
    answers, readable : (P, S) whether a passage answers a question, and has a readable grade on it

    Returns
    -------
    (S, S) each; phi is NaN where, of the passages with a readable grade on both, all or none answer one of them
    """
    has, known = answers.astype(float), readable.astype(float)
    n, both, one = known.T @ known, has.T @ has, has.T @ known
    size = one * (n - one) * one.T * (n - one.T)
    phi = np.where(size > 0, (n * both - one * one.T) / np.sqrt(np.where(size > 0, size, 1.0)), np.nan)
    return phi, both


@dataclass(frozen=True)
class _AnsweredPairs:
    """Phi of each two enabled questions of a query, and how many passages answer both: (S, S)."""

    unit: str
    places: dict[str, int]
    phi: Floats
    both: Floats

    def asks(self, pair: Pair) -> bool:
        return pair.one.question_id in self.places and pair.other.question_id in self.places

    def of(self, pair: Pair) -> tuple[float, int]:
        at = self.places[pair.one.question_id], self.places[pair.other.question_id]
        return float(self.phi[at]), int(self.both[at])

    def same(self) -> list[tuple[str, str]]:
        """The questions that the same passages answer."""
        names = list(self.places)
        alike = np.triu((self.phi >= SAME_ANSWERS) & (self.both >= FEW), 1)
        return [(names[one], names[other]) for one, other in np.argwhere(alike)]


def _answers(book: Gradebook, tau: int) -> Iterator[_AnsweredPairs]:
    ends = [*book.pair_starts[1:].tolist(), len(book.grades)]
    for query, (start, end) in enumerate(zip(book.pair_starts.tolist(), ends, strict=True)):
        columns = book.columns(query)
        grades = book.grades[start:end, columns]
        names = {book.question_ids[query][column]: place for place, column in enumerate(columns)}
        yield _AnsweredPairs(book.query_ids[query], names, *phis(grades >= tau, grades >= 0))


def _row(unit: str, pair: Pair, answers: tuple[float, int]) -> tuple[object, ...]:
    phi, both = answers
    by = BOTH if phi >= SAME_ANSWERS and both >= FEW else APART if phi < OTHER_ANSWERS else WORDS
    texts = pair.one.text, pair.other.text, *map(" ".join, pair.differing)
    return unit, by, pair.alike, phi, both, *texts, pair.one.question_id, pair.other.question_id


def _of_answers(bank: Bank, answers: _AnsweredPairs, one: str, other: str) -> tuple[object, ...]:
    """A row of a pair that only its answers make one."""
    texts = [_text(bank, answers.unit, name) for name in (one, other)]
    at = answers.places[one], answers.places[other]
    return answers.unit, ANSWERS, np.nan, float(answers.phi[at]), int(answers.both[at]), *texts, None, None, one, other


def _text(bank: Bank, unit: str, name: str) -> str | None:
    found = bank.get((unit, name)) or bank.get((page_of(unit), name))
    return found.text if found else None
