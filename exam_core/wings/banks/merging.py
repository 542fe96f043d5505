"""Two edits of one bank as one: edits of different questions go together, those of one question are a conflict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from exam_core.errors import SHOWN, ExamboardError, UsageError, visible
from exam_core.question import NO_LINEAGE, Key, Lineage, Question, plain
from exam_core.wings.banks.bank_questions import Bank
from exam_core.wings.banks.changes import Change, applied, diff

Way = Literal["mine", "theirs", "both"]
"""Whose edit of a question stays."""
Settle = Literal["refuse"] | Way | Mapping[Key, Way]
"""How conflicts are settled: all in one way, or each in its own by its key; what is not said is refused."""

LONGEST_SHOWN = 300
"""Characters of a text that a message shows."""


@dataclass(frozen=True)
class Conflict:
    """Questions that two people edited, each without having seen what the other did.

    Parameters
    ----------
    base : as they were; none where both added
    mine, theirs : what stands in their place; none where they were removed
    """

    base: tuple[Question, ...]
    mine: tuple[Question, ...]
    theirs: tuple[Question, ...]

    @property
    def key(self) -> Key:
        """By which it is settled: that of its first question."""
        return (self.base or self.mine or self.theirs)[0].key

    @property
    def query_id(self) -> str:
        """Of its questions."""
        return self.key[0]

    @property
    def both(self) -> tuple[Question, ...] | None:
        """Mine and theirs side by side; None where one excludes the other, as a change and a removal do."""
        base, mine, theirs = map(_bank, (self.base, self.mine, self.theirs))
        kept: list[Question] = []
        for key in dict.fromkeys([*theirs, *mine]):
            sides = [side.get(key) for side in (mine, theirs) if side.get(key) != base.get(key)]
            found = [one for one in sides or [base[key]] if one is not None]
            if len(set(found)) > 1:
                return None
            kept += found[:1]
        words = [name for one in kept if (name := words_of(one))]
        if len(words) > len(set(words)) or set(kept) in (set(self.mine), set(self.theirs)):
            return None
        return tuple(kept)

    def settled(self, way: Way) -> tuple[Question, ...] | None:
        """What stays; None where `both` can't."""
        return {"mine": self.mine, "theirs": self.theirs, "both": self.both}[way]

    @property
    def in_words(self) -> list[str]:
        """Both texts and what else differs, a line each."""
        where = f"query {self.query_id}" + (f", question {self.key[1]}" if self.base else ", added by both")
        told = {"was": self.base, "mine": self.mine, "theirs": self.theirs}
        differing = differing_fields((*self.base, *self.mine, *self.theirs))
        lines = [f"  {name + ':':7} {_told(rows, differing)}" for name, rows in told.items() if rows or self.base]
        return [where, *lines]


class Conflicting(ExamboardError):  # noqa: N818
    """Two edits of the same questions; nothing is stored.

    Parameters
    ----------
    bank : its name
    version : the newest one, which holds the others' edits
    merging : both edits, to be settled and committed on the newest version
    conflicts : what is in the way: all conflicts, or those that can't be settled as it was asked
    """

    def __init__(self, bank: str, version: int, merging: Merging, conflicts: Iterable[Conflict] = ()) -> None:
        self.bank, self.version, self.merging = bank, version, merging
        self.conflicts = tuple(conflicts) or merging.conflicts
        lines = [line for one in self.conflicts[:SHOWN] for line in one.in_words]
        more = len(self.conflicts) - SHOWN
        super().__init__(
            "\n".join(
                [
                    f"Bank {bank}: {_counted(len(self.conflicts))} changed by somebody else, too, since the version "
                    f"that was edited (the newest is {bank}@{version}).",
                    *lines,
                    *([f"... and {more:,} more."] if more > 0 else []),
                    "Keep mine, theirs or, where two texts differ, both (--conflicts), or edit "
                    f"{bank}@{version} instead. Nothing was stored.",
                ]
            )
        )

    def settled(self, settle: Settle) -> dict[Key, Question]:
        """The bank with both edits, its conflicts settled: commit it with `version` as its base.

        Raises Conflicting where some conflicts are not settled, or can't be settled so.
        """
        return self.merging.settled(settle, bank=self.bank, version=self.version)


@dataclass(frozen=True)
class Merging:
    """Two edits of one bank, compared.

    Parameters
    ----------
    newest : the bank with their edit
    changes : of mine, those that are no part of a conflict and that the newest version does not have
    conflicts : in the order of my changes
    """

    newest: Bank
    changes: tuple[Change, ...]
    conflicts: tuple[Conflict, ...]

    def settled(self, settle: Settle = "refuse", *, bank: str, version: int) -> dict[Key, Question]:
        """The bank with both edits.

        Raises
        ------
        Conflicting : some conflicts are not settled, or can't be settled so
        UsageError : a conflict is settled that there isn't
        """
        chosen = _chosen(self.conflicts, settle)
        left = [one for one in self.conflicts if one.key not in chosen or one.settled(chosen[one.key]) is None]
        if left:
            raise Conflicting(bank, version, self, left)
        changes = [*self.changes]
        for one in self.conflicts:
            changes += _in_place_of(one.theirs, one.settled(chosen[one.key]) or ())
        return applied(self.newest, changes)


def three_way(base: Bank, mine: Bank, theirs: Bank) -> Merging:
    """Compare two edits of a bank, question by question.

    Two changes meet if they touch the same question, before or after, or bring the same words into one query and
    facet. Changes that meet are no conflict where both sides come to the same; then a question remembers all that it
    is for either side. The order of questions is theirs.
    """
    groups = _groups(diff(base, mine), diff(base, theirs))
    changes: list[Change] = []
    conflicts: list[Conflict] = []
    for group in groups:
        if not group.mine:
            continue
        if not group.theirs:
            changes += group.mine
            continue
        sides = [tuple(bank[key] for key in group.keys if key in bank) for bank in (base, mine, theirs)]
        conflict = Conflict(*sides)
        agreed = _agreed(conflict)
        if agreed is None:
            conflicts.append(conflict)
        else:
            changes += [Change((old,), new) for old, new in zip(conflict.theirs, agreed, strict=True) if old != new]
    return Merging(theirs, tuple(changes), tuple(conflicts))


@dataclass
class _MeetingChanges:
    """Changes that meet, directly or by others, and the keys that they touch."""

    mine: list[Change]
    theirs: list[Change]
    keys: dict[Key, None]


_Touched = tuple[str, ...]
"""A question's key, or words within a query and facet."""


def _groups(mine: list[Change], theirs: list[Change]) -> list[_MeetingChanges]:
    """All changes in groups; no question is touched by two of them."""
    leader: dict[_Touched, _Touched] = {}

    def find(one: _Touched) -> _Touched:
        while leader.setdefault(one, one) != one:
            leader[one] = leader[leader[one]]
            one = leader[one]
        return one

    touched = [(change, _touched(change)) for change in (*mine, *theirs)]
    for _, ones in touched:
        for one in ones[1:]:
            leader[find(one)] = find(ones[0])
    groups: dict[_Touched, _MeetingChanges] = {}
    for place, (change, ones) in enumerate(touched):
        group = groups.setdefault(find(ones[0]), _MeetingChanges([], [], {}))
        (group.mine if place < len(mine) else group.theirs).append(change)
        group.keys |= dict.fromkeys(question.key for question in _questions(change))
    return list(groups.values())


def _questions(change: Change) -> list[Question]:
    return [*change.before, *([change.after] if change.after else [])]


def _touched(change: Change) -> list[_Touched]:
    """What a change is about: keys have two parts, words three and more."""
    questions = _questions(change)
    return [*(one.key for one in questions), *(name for one in questions if (name := words_of(one)))]


def words_of(question: Question) -> tuple[str, str, str] | None:
    """What no two questions that count share: query, facet and `plain` text; None where it is off or has no text."""
    if not question.enabled or question.text is None:
        return None
    return question.query_id, question.facet_id or "", plain(question.text)


def _bank(questions: Iterable[Question]) -> dict[Key, Question]:
    return {question.key: question for question in questions}


def _agreed(conflict: Conflict) -> list[Question] | None:
    """What both sides come to, in the order of theirs; None if they differ in more than what questions remember."""
    mine = _bank(conflict.mine)
    if set(mine) != set(_bank(conflict.theirs)):
        return None
    found = []
    for theirs in conflict.theirs:
        own = mine[theirs.key]
        if replace(own, lineage=NO_LINEAGE) != replace(theirs, lineage=NO_LINEAGE):
            return None
        found.append(replace(theirs, lineage=_united(theirs.lineage, own.lineage)))
    return found


def _united(one: Lineage, other: Lineage) -> Lineage:
    reworded = tuple(dict.fromkeys(one.reworded_from + other.reworded_from))
    merged = dict.fromkeys(one.merged_from + other.merged_from)
    return Lineage(reworded, tuple(name for name in merged if name not in reworded))


def _chosen(conflicts: Iterable[Conflict], settle: Settle) -> dict[Key, Way]:
    if settle == "refuse":
        return {}
    keys = [one.key for one in conflicts]
    if isinstance(settle, str):
        return dict.fromkeys(keys, settle)
    if unknown := [key for key in settle if key not in keys]:
        query_id, question_id = unknown[0]
        raise UsageError(f"There is no conflict about question {question_id} of query {query_id} to settle.")
    return dict(settle)


def _in_place_of(old: tuple[Question, ...], new: tuple[Question, ...]) -> list[Change]:
    """Changes that put questions where others stand."""
    if old == new:
        return []
    first, rest = new[:1], new[1:] if old else new
    replaced = [Change(old, first[0] if first else None)] if old else []
    return [*replaced, *(Change((), one) for one in rest)]


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


def _told(questions: tuple[Question, ...], differing: list[str]) -> str:
    if not questions:
        return "(removed)"
    return " + ".join(_question_told(one, differing) for one in questions)


def _question_told(question: Question, differing: list[str]) -> str:
    words = "(text unknown)" if question.text is None else f'"{_cut(question.text.strip())}"'
    return " ".join([words, *(f"[{told}]" for told in fields_told(question, differing))])


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


def _counted(count: int) -> str:
    return "1 question was" if count == 1 else f"{count:,} questions were"
