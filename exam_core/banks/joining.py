"""Another bank's questions brought into a bank: what it has already is joined, the rest is added."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from rapidfuzz import fuzz

from exam_core.banks.question import Bank, Key, Question, merged, question_id

ALIKE = 0.9
"""Likeness from which two questions are said to be near-duplicates."""


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


def likeness(one: str, other: str) -> float:
    """Share of letters that two texts have in common, words in any order, from 0 to 1 (rapidfuzz)."""
    return fuzz.token_sort_ratio(one.casefold(), other.casefold()) / 100


def joined(bank: Bank, other: Bank, *, alike: float | None = None) -> Joined:
    """Bring the questions of another bank into a bank.

    Questions are compared within a query and facet. One in the same words is joined: the bank's stays, with the answers
    of both. Of near-duplicates the bank's words stay; the question remembers the other one.

    Parameters
    ----------
    alike : likeness from which near-duplicates are merged, above 0 to 1; None merges none, and names those from
        `ALIKE`
    """
    found = Joined(dict(bank))
    places: dict[tuple[str, str], list[Key]] = {}
    for key, question in bank.items():
        places.setdefault(_place(question), []).append(key)
    for brought in other.values():
        beside = places.setdefault(_place(brought), [])
        best = _nearest(found.bank, beside, brought)
        if best is not None and best.likeness >= (1.0 if alike is None else alike):
            (found.same if _same(best) else found.merged).append(best)
            found.bank[best.question.key] = _both(best.question, brought)
            continue
        new = _with_free_id(found.bank, brought)
        if best is not None and best.likeness >= ALIKE:
            found.near.append(replace(best, brought=new))
        found.bank[new.key] = new
        found.added.append(new)
        beside.append(new.key)
    return found


def _place(question: Question) -> tuple[str, str]:
    return question.query_id, question.facet_id or ""


def _nearest(bank: Bank, keys: list[Key], brought: Question) -> Alike | None:
    """The most alike of some questions; where only ids are known, the one of the same id."""
    if brought.key in keys and (brought.text is None or bank[brought.key].text is None):
        return Alike(bank[brought.key], brought, 1.0)
    if brought.text is None:
        return None
    text = brought.text.strip()
    found = None
    for key in keys:
        words = bank[key].text
        if words is None:
            continue
        near = 1.0 if words.strip() == text else min(likeness(words, text), _BELOW_SAME)
        if found is None or near > found.likeness:
            found = Alike(bank[key], brought, near)
    return found


_BELOW_SAME = 0.9999
"""Likeness of texts that differ: only the same words are 1."""


def _same(pair: Alike) -> bool:
    return pair.likeness == 1.0


def _both(question: Question, brought: Question) -> Question:
    """The bank's question with what the other one adds: its answers, its id, its text where only an id was known."""
    if question.key == brought.key:
        answers = tuple(dict.fromkeys((*(question.gold_answers or ()), *(brought.gold_answers or ()))))
        return replace(
            question, text=brought.text if question.text is None else question.text, gold_answers=answers or None
        )
    return merged([question, brought])


def _with_free_id(bank: Bank, question: Question) -> Question:
    """The question; where its id means another one in the bank, with the id that its words give it."""
    if question.key not in bank or question.text is None:
        return question
    return replace(question, question_id=question_id(question.query_id, question.text, question.facet_id))
