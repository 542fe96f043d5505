"""What was changed between two versions of a bank, question by question; and a bank with changes made to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from exam_core.errors import visible
from exam_core.question import Key, Question
from exam_core.wings.banks.bank_questions import Bank

How = Literal["added", "reworded", "merged", "changed", "removed"]
LONGEST_SHOWN = 300
"""Characters of a text that a message shows."""


@dataclass(frozen=True)
class Change:
    """Some questions of a bank, and the one that stands in their place.

    Parameters
    ----------
    before : none where a question is added, several where they were merged
    after : None where it was removed
    """

    before: tuple[Question, ...]
    after: Question | None

    @property
    def how(self) -> How:
        """What was done, in one word."""
        if self.after is None:
            return "removed"
        if not self.before:
            return "added"
        if len(self.before) > 1:
            return "merged"
        return "changed" if self.before[0].key == self.after.key else "reworded"

    @property
    def query_id(self) -> str:
        """Of its questions."""
        return (self.after or self.before[0]).query_id


def diff(old: Bank, new: Bank) -> list[Change]:
    """What makes the new version of the old one, in the order of the new one; what was removed comes last.

    A question that is gone is taken for the one that remembers it, or that it remembers where the new version is the
    earlier one (`Question.lineage`), under the same query.
    """
    gone = {key for key in old if key not in new}
    remembered = {(key[0], parent): key for key in gone for parent in old[key].lineage.parents}
    changes: list[Change] = []
    for key, after in new.items():
        parents = [(after.query_id, parent) for parent in after.lineage.parents]
        parents += [remembered[key]] if key in remembered and key not in old else []
        taken = [parent for parent in dict.fromkeys(parents) if parent in gone]
        gone.difference_update(taken)
        same = [old[key]] if key in old else []
        before = (*same, *(old[parent] for parent in taken))
        if before != (after,):
            changes.append(Change(before, after))
    return changes + [Change((question,), None) for key, question in old.items() if key in gone]


def applied(bank: Bank, changes: Iterable[Change]) -> dict[Key, Question]:
    """The bank with changes made to it: each result stands where the first of its questions stood.

    What is added comes after the last question of its query, or at the end.
    """
    return replaced(bank, [([question.key for question in one.before], one.after) for one in changes])


def replaced(bank: Bank, changes: Iterable[tuple[Sequence[Key], Question | None]]) -> dict[Key, Question]:
    """The same with changes as keys and results, in one pass; a change of what is not there any more is none."""
    placed: dict[Key, Question | None] = {}
    added: list[Question] = []
    for before, after in changes:
        there = [key for key in before if key in bank]
        placed |= dict.fromkeys(there)
        if there and after is not None:
            placed[there[0]] = after
        elif not before and after is not None:
            added.append(after)
    stand = (placed.get(key, question) for key, question in bank.items())
    return _with_added([question for question in stand if question is not None], added)


def _with_added(rows: list[Question], added: list[Question]) -> dict[Key, Question]:
    by_query: dict[str, list[Question]] = {}
    for question in added:
        by_query.setdefault(question.query_id, []).append(question)
    last = {question.query_id: place for place, question in enumerate(rows)}
    found: dict[Key, Question] = {}
    for place, question in enumerate(rows):
        found[question.key] = question
        if last[question.query_id] == place:
            found |= {new.key: new for new in by_query.pop(question.query_id, [])}
    return found | {new.key: new for rest in by_query.values() for new in rest}


_SAID = {
    "kind": "kind",
    "importance": "importance",
    "weight": "weight",
    "enabled": "enabled",
    "gold_answers": "answers",
    "choices": "choices",
    "facet_id": "facet",
    "facet_text": "facet's title",
    "creators": "creators",
    "extra": "other fields",
}
"""Fields besides the text and what they are called."""


def differing_fields(questions: Iterable[Question]) -> list[str]:
    """Names of the fields besides text and lineage in which questions differ."""
    questions = list(questions)
    return [name for name in _SAID if len({getattr(one, name) for one in questions}) > 1]


def fields_told(question: Question, names: Iterable[str] = tuple(_SAID)) -> list[str]:
    """Fields of a question besides its text in words, for instance `weight 2`."""
    told = []
    for name in names:
        value = getattr(question, name)
        if name == "enabled":
            told.append("on" if value else "off")
        elif isinstance(value, tuple):
            told.append(f"{_SAID[name]} {_cut(', '.join(value) or 'none')}")
        else:
            told.append(f"{_SAID[name]} {value:g}" if name == "weight" else f"{_SAID[name]} {_cut(value or 'none')}")
    return told


def _cut(text: str) -> str:
    shown = visible(text[: LONGEST_SHOWN + 1], line_ends=False)
    return shown if len(text) <= LONGEST_SHOWN else f"{shown[:LONGEST_SHOWN]}..."
