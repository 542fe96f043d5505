"""A draft: a version of a bank that somebody edits, step by step, with undo and redo without end.

A draft is a list of what was done. It is written down line by line, so that a process that is killed loses at most the
line that it was writing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import msgspec

from exam_core.banks.question import Bank, Key, Question, reworded
from exam_core.errors import UsageError

Move = Literal["undo", "redo"]


class Begun(msgspec.Struct, frozen=True):
    """The first line: which version is edited; `base` is None for a new bank."""

    bank: str
    base: int | None
    author: str
    created: str


class Put(msgspec.Struct, frozen=True, omit_defaults=True):
    """Some questions, by their keys, and the one that takes their place; None where they are removed."""

    before: tuple[Key, ...]
    after: Question | None = None


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """Each further line: what was done, in words and question by question; or how it was undone or redone.

    One that goes `on` takes the place of the step before it: somebody is still typing.
    """

    said: str = ""
    puts: tuple[Put, ...] = ()
    move: Move | None = None
    on: bool = False


@dataclass(frozen=True)
class Draft:
    """A version that is edited.

    Parameters
    ----------
    steps : all that was done
    at : how many of them count; those behind can be redone
    lines : how many lines were written: a draft that was edited has more
    """

    begun: Begun
    steps: tuple[Line, ...] = ()
    at: int = 0
    lines: int = 0
    base: Bank = field(default_factory=dict)

    @property
    def can_undo(self) -> str:
        """What undo takes back; empty if there is nothing."""
        return self.steps[self.at - 1].said if self.at else ""

    @property
    def can_redo(self) -> str:
        """What redo does again; empty if there is nothing."""
        return self.steps[self.at].said if self.at < len(self.steps) else ""

    @property
    def bank(self) -> dict[Key, Question]:
        """The questions as they are now."""
        return self.after(self.at)

    def after(self, steps: int) -> dict[Key, Question]:
        """The questions after so many steps."""
        rows = dict(self.base)
        for step in self.steps[:steps]:
            for one in step.puts:
                rows = _with(rows, one)
        return rows


def read_draft(lines: Iterable[bytes]) -> Draft | None:
    """A draft from its lines; None if the first one can't be read. A later line that can't be read was cut off."""
    every = iter(lines)
    try:
        begun = msgspec.json.decode(next(every, b""), type=Begun)
    except (ValueError, RecursionError):
        return None
    steps: list[Line] = []
    at, count, decoder = 0, 0, msgspec.json.Decoder(Line)
    for raw in every:
        count += 1
        try:
            line = decoder.decode(raw)
        except (ValueError, RecursionError):
            continue
        if line.move == "undo":
            at = max(0, at - 1)
        elif line.move == "redo":
            at = min(len(steps), at + 1)
        else:
            at -= line.on and at > 0
            steps[at:] = [line]
            at += 1
    return Draft(begun, tuple(steps), at, count)


REWORDED = "words of a question"


def rewording(draft: Draft, key: Key, text: str) -> Line | None:
    """A question in other words; None where they are its words already. Typing on at the same question is one step.

    Raises
    ------
    UsageError : as `step`
    """
    last = draft.steps[-1] if draft.at == len(draft.steps) and draft.at else None
    on = last is not None and last.said == REWORDED and (after := last.puts[0].after) is not None and after.key == key
    rows = draft.after(draft.at - 1) if on else draft.bank
    was = last.puts[0].before[0] if on and last else key
    if draft.bank.get(key, rows.get(was)) is None:
        raise _changed(key)
    if draft.bank[key].text == text:
        return None
    before = replace(draft, steps=draft.steps[:-1], at=draft.at - 1) if on else draft
    return msgspec.structs.replace(step(before, [Put((was,), reworded(rows[was], text))], REWORDED), on=on)


def step(draft: Draft, puts: Sequence[Put], said: str) -> Line:
    """What is done next, checked against what there is.

    Raises
    ------
    UsageError : a question is not there any more, two questions would have the same words, or a text is blank
    """
    rows = draft.bank
    for one in puts:
        if gone := [key for key in one.before if key not in rows]:
            raise _changed(gone[0])
        after = one.after
        if after is not None:
            if not (after.text or "").strip() and after.enabled:
                raise UsageError("A question that is asked needs words. Write them, or switch it off.")
            if not 0 <= after.weight < float("inf"):
                raise UsageError(f"A weight is a number of 0 or more, not {after.weight:g}.")
            if after.key in rows and after.key not in one.before:
                raise UsageError(
                    f"Query {after.query_id} has this question already: {after.text}\nMerge the two, or word one anew."
                )
        rows = _with(rows, one)
    return Line(said, tuple(puts))


def _changed(key: Key) -> UsageError:
    return UsageError(f"Question {key[1]} is not in the draft any more: it was changed in another window.")


def _with(rows: dict[Key, Question], one: Put) -> dict[Key, Question]:
    """The questions with one change; what it changes and is not there any more stays away."""
    there = [key for key in one.before if key in rows]
    after = one.after
    if one.before and not there:
        return rows
    if after is not None and there == [after.key]:
        rows[after.key] = after
        return rows
    if not there:
        return rows if after is None else _added(rows, after)
    gone = set(there)
    found: dict[Key, Question] = {}
    for key, question in rows.items():
        if key == there[0] and after is not None:
            found[after.key] = after
        elif key not in gone:
            found[key] = question
    return found


def _added(rows: dict[Key, Question], question: Question) -> dict[Key, Question]:
    """A new question comes after the last one of its query, or at the end."""
    last = next((key for key in reversed(rows) if key[0] == question.query_id), None)
    if last is None or last == next(reversed(rows)):
        rows[question.key] = question
        return rows
    found: dict[Key, Question] = {}
    for key, there in rows.items():
        found[key] = there
        if key == last:
            found[question.key] = question
    return found
