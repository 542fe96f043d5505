"""Another bank's questions brought into a bank: what it has already is joined, the rest is added."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from rapidfuzz import fuzz, process

from exam_core.question import Key, Question, plain
from exam_core.tables import question_id
from exam_core.wings.banks.bank_questions import Bank, merged
from exam_core.wings.banks.duplicates import ALIKE, normalised


@dataclass(frozen=True)
class Alike:
    """A question of the bank and one that was brought, with how alike their words are, from 0 to 1."""

    question: Question
    brought: Question
    likeness: float


@dataclass(frozen=True)
class Joined:
    """A bank and another one as one bank.

    Parameters
    ----------
    bank : the questions
    same : brought ones that the bank has, in the same words
    merged : near-duplicates that became one question, in the bank's words
    near : near-duplicates that both stand in the bank now
    added : brought ones that the bank did not have; `near` are among them
    """

    bank: dict[Key, Question]
    same: list[Alike] = field(default_factory=list)
    merged: list[Alike] = field(default_factory=list)
    near: list[Alike] = field(default_factory=list)
    added: list[Question] = field(default_factory=list)


def nearest(words: str, others: Sequence[str], least: float) -> tuple[int, float] | None:
    """Which of some texts is the most like one, and how alike they are; None where none is at least so alike.

    Parameters
    ----------
    words, others : from `normalised`
    least : share of letters in common, words in any order, from 0 to 1 (rapidfuzz, token_sort_ratio)
    """
    if not words:
        return None
    found = process.extractOne(words, others, scorer=fuzz.ratio, processor=None, score_cutoff=100 * least)
    return None if found is None else (found[2], found[1] / 100)


def joined(bank: Bank, other: Bank, *, alike: float | None = None) -> Joined:
    """Bring the questions of another bank into a bank.

    Questions are compared within a query and facet. One in the same words is joined: the bank's stays, with the answers
    of both. Of near-duplicates the bank's words stay; the question remembers the other one. Questions that are alike
    within one of the banks stay as they are.

    Parameters
    ----------
    alike : likeness from which near-duplicates are merged, above 0 to 1; None merges none, and names those from
        `ALIKE`
    """
    found = Joined(dict(bank))
    places: dict[tuple[str, str], _Place] = defaultdict(_Place)
    for question in bank.values():
        places[_place(question)].add(question, own=True)
    for brought in other.values():
        place = places[_place(brought)]
        near = _nearest(place, found.bank, brought, ALIKE if alike is None else min(alike, ALIKE))
        if near is not None and near.likeness >= (_SAME if alike is None else alike):
            (found.same if near.likeness == _SAME else found.merged).append(near)
            found.bank[near.question.key] = both = _both(near.question, brought)
            places[_place(both)].add(both)
            continue
        new = _with_free_id(found.bank, brought)
        if near is not None and near.likeness >= ALIKE:
            found.near.append(replace(near, brought=new))
        found.bank[new.key] = new
        found.added.append(new)
        place.add(new)
    return found


_SAME = 1.0
_BELOW_SAME = 0.9999
"""Likeness of texts that differ, in case or order for instance: only the same words are 1."""


@dataclass
class _Place:
    """The questions of a query and facet: all by their words, and those that the bank had, to be compared."""

    by_words: dict[str, Key] = field(default_factory=dict)
    keys: list[Key] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    def add(self, question: Question, *, own: bool = False) -> None:
        if question.text is None:
            return
        self.by_words.setdefault(plain(question.text), question.key)
        if own and (words := normalised(question.text)):
            self.keys.append(question.key)
            self.words.append(words)


def _place(question: Question) -> tuple[str, str]:
    return question.query_id, question.facet_id or ""


def _nearest(place: _Place, bank: Bank, brought: Question, least: float) -> Alike | None:
    """The question in the same words, or the most alike; where only ids are known, the one of the same id."""
    known = bank.get(brought.key)
    if known is not None and (brought.text is None or known.text is None):
        return Alike(known, brought, _SAME)
    if brought.text is None:
        return None
    if (key := place.by_words.get(plain(brought.text))) is not None:
        return Alike(bank[key], brought, _SAME)
    near = nearest(normalised(brought.text), place.words, least)
    return None if near is None else Alike(bank[place.keys[near[0]]], brought, min(near[1], _BELOW_SAME))


def _both(question: Question, brought: Question) -> Question:
    """The bank's question with what the other one adds: its answers, its id, its words where only an id was known."""
    if question.key != brought.key:
        return merged([question, brought])
    answers = tuple(dict.fromkeys((*(question.gold_answers or ()), *(brought.gold_answers or ()))))
    told = brought if question.text is None else question
    words = {name: getattr(told, name) for name in ("text", "facet_id", "facet_text")}
    return replace(question, gold_answers=answers or None, **words)


def _with_free_id(bank: Bank, question: Question) -> Question:
    """The question; where its id means another one in the bank, with the id that its words give it."""
    new, number = question, 1
    while new.key in bank:
        made = question_id(question.query_id, question.text or "", question.facet_id)
        new = replace(question, question_id=made if number == 1 else f"{made}-{number}")
        number += 1
    return new
