"""A draft: a version of a bank that somebody edits, step by step, with undo and redo without end.

A draft is a list of what was done. It is written down line by line, so that a process that is killed loses at most the
line that it was writing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import msgspec

from exam_core.errors import UsageError
from exam_core.question import Key, Question
from exam_core.wings.banks.bank_questions import Bank, reworded
from exam_core.wings.banks.changes import replaced

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
    base, bank : the questions of the version, and as they are now
    steps : all that was done
    at : how many of them count; those behind can be redone
    before : the questions before the last step that counts
    mark : a hash of all lines, by which two states of a draft are told apart
    """

    begun: Begun
    base: Bank
    bank: Bank
    steps: tuple[Line, ...]
    at: int
    before: Bank
    mark: str

    @property
    def can_undo(self) -> str:
        """What undo takes back; empty if there is nothing."""
        return self.steps[self.at - 1].said if self.at else ""

    @property
    def can_redo(self) -> str:
        """What redo does again; empty if there is nothing."""
        return self.steps[self.at].said if self.at < len(self.steps) else ""

    @property
    def typed(self) -> Put | None:
        """The last step, where its question's words may be typed on."""
        line = self.steps[-1] if self.steps and self.at == len(self.steps) else Line()
        put = line.puts[0] if line.said == REWORDED and line.puts else None
        return put if put and put.before and put.after else None


def read_begun(line: bytes) -> Begun | None:
    """The first line of a draft; None if it can't be read."""
    try:
        return msgspec.json.decode(line, type=Begun)
    except (ValueError, RecursionError):
        return None


def read_draft(begun: Begun, lines: Iterable[bytes], base: Bank) -> Draft:
    """A draft from the lines below its first one; one that can't be read was cut off.

    Parameters
    ----------
    base : the questions of the version that is edited
    """
    mark, steps, at = hashlib.sha256(), list[Line](), 0
    for raw in lines:
        mark.update(raw)
        line = _line(raw)
        if line.move == "undo":
            at = max(0, at - 1)
        elif line.move == "redo":
            at = min(len(steps), at + 1)
        elif line.said or line.puts:  # {} is no step
            at -= line.on and at > 0
            steps[at:] = [line]
            at += 1
    before = _put(base, (put for line in steps[: max(0, at - 1)] for put in line.puts))
    bank = _put(before, steps[at - 1].puts) if at else before
    return Draft(begun, base, bank, tuple(steps), at, before, mark.hexdigest()[:16])


def lines_of(draft: Draft) -> list[bytes]:
    """The lines that say what a draft is, without what was typed over, or undone and then done otherwise."""
    steps = [msgspec.structs.replace(line, on=False) for line in draft.steps]
    undone = [Line(move="undo")] * (len(steps) - draft.at)
    return [msgspec.json.encode(one) for one in (draft.begun, *steps, *undone)]


_LINES = msgspec.json.Decoder(Line)


def _line(raw: bytes) -> Line:
    try:
        return _LINES.decode(raw)
    except (ValueError, RecursionError):
        return Line()


REWORDED = "words of a question"


def rewording(draft: Draft, key: Key, text: str) -> Line | None:
    """A question in other words; None where they are its words already. Typing on at the same question is one step.

    Raises UsageError as `step`.
    """
    typed = draft.typed
    last = typed if typed and typed.after and typed.after.key == key else None
    rows, was = (draft.before, last.before[0]) if last else (draft.bank, key)
    if key not in draft.bank or was not in rows:
        raise _changed(key)
    if draft.bank[key].text == text:
        return None
    before = replace(draft, bank=rows)
    return msgspec.structs.replace(step(before, [Put((was,), reworded(rows[was], text))], REWORDED), on=bool(last))


def step(draft: Draft, puts: Sequence[Put], said: str) -> Line:
    """What is done next, checked against what there is.

    Raises UsageError where a question is not there any more, two questions would have the same words, or a text is
    blank.
    """
    there = set(draft.bank)
    for one in puts:
        if gone := [key for key in one.before if key not in there]:
            raise _changed(gone[0])
        there.difference_update(one.before)
        if one.after is not None:
            _check(one.after, there)
            there.add(one.after.key)
    return Line(said, tuple(puts))


def _check(question: Question, there: Collection[Key]) -> None:
    if not (question.text or "").strip() and question.enabled:
        raise UsageError("A question that is asked needs words. Write them, or switch it off.")
    if not 0 <= question.weight < float("inf"):
        raise UsageError(f"A weight is a number of 0 or more, not {question.weight:g}.")
    if question.key in there:
        raise UsageError(
            f"Query {question.query_id} has this question already: {question.text}\nMerge the two, or word one anew."
        )


def _changed(key: Key) -> UsageError:
    return UsageError(f"Question {key[1]} is not in the draft any more: it was changed in another window.")


def _put(bank: Bank, puts: Iterable[Put]) -> Bank:
    """The questions after some changes, one after the other; what one changes and is not there any more stays away.

    Those that have nothing to do with each other are made in one pass: a step may change every question of a bank.
    """
    together: list[tuple[tuple[Key, ...], Question | None]] = []
    touched: set[Key] = set()
    adds = False
    for one in puts:
        keys = {*one.before, *([one.after.key] if one.after else [])}
        # Where an added question stands depends on what of its query is there by then.
        if (adds and one.before) or not touched.isdisjoint(keys):
            bank, together, touched, adds = replaced(bank, together), [], set(), False
        together.append((one.before, one.after))
        touched |= keys
        adds |= not one.before
    return replaced(bank, together)
