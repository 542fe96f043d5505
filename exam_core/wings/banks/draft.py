"""A draft: a version of a bank that somebody edits, step by step, with undo and redo without end.

A draft is a list of what was done. It is written down line by line, so that a process that is killed loses at most the
line that it was writing. Whoever has read it before goes on from there (`continued`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, NamedTuple

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


SEAL = 32
"""Bytes that a line's seal and end take."""


class Step(NamedTuple):
    """Something that was done: in words, and about how many bytes of the file say it."""

    said: str
    size: int


class _Head(msgspec.Struct):
    """Of a line what says which others count."""

    said: str = ""
    puts: msgspec.Raw = msgspec.Raw()
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
    before : the questions before the last step that counts; None where that takes all lines to be read
    typed : that step, where its question's words may be typed on
    mark : a hash of all lines, by which two states of a draft are told apart
    """

    begun: Begun
    base: Bank
    bank: Bank
    steps: tuple[Step, ...] = ()
    at: int = 0
    before: Bank | None = None
    typed: Put | None = None
    mark: str = ""

    @property
    def can_undo(self) -> str:
        """What undo takes back; empty if there is nothing."""
        return self.steps[self.at - 1].said if self.at else ""

    @property
    def can_redo(self) -> str:
        """What redo does again; empty if there is nothing."""
        return self.steps[self.at].said if self.at < len(self.steps) else ""

    @property
    def size(self) -> int:
        """Bytes of the lines that say what can be undone and redone."""
        return sum(step.size for step in self.steps)


def read_begun(line: bytes) -> Begun | None:
    """The first line of a draft; None if it can't be read."""
    try:
        return msgspec.json.decode(line, type=Begun)
    except (ValueError, RecursionError):
        return None


def read_draft(lines: Iterable[bytes], base: Bank) -> Draft | None:
    """A draft from its lines; None if the first one can't be read. A later line that can't be read was cut off.

    Parameters
    ----------
    lines : can be gone through twice, so that no more than one has to be in memory
    base : the questions of the version that is edited
    """
    begun = read_begun(next(iter(lines), b""))
    if begun is None:
        return None
    done, at, mark = _done(lines)
    counting = {number for number, _ in done[:at]}
    counted = (_line(raw) or Line() for number, raw in enumerate(lines) if number in counting)
    before = _put(base, (put for line in islice(counted, max(0, at - 1)) for put in line.puts))
    last = next(counted, Line())
    typed = _typed(last) if at == len(done) else None
    steps = tuple(step for _, step in done)
    return Draft(begun, base, _put(before, last.puts), steps, at, before, typed, mark)


def continued(draft: Draft, raw: bytes) -> Draft | None:
    """A draft with one more line; None where that takes all lines to be read: redo, or undo after undo."""
    line, mark = _line(raw), _marked(draft.mark, raw)
    back = draft.at > 0 and line is not None and (line.on or line.move == "undo")
    at, before = (draft.at - 1, draft.before) if back else (draft.at, draft.bank)
    if line is None or before is None or (line.move and not back):
        return None
    if line.move:
        return replace(draft, bank=before, at=at, before=None, typed=None, mark=mark)
    steps = (*draft.steps[:at], Step(line.said, len(raw) + SEAL))
    bank = _put(before, line.puts)
    return replace(draft, bank=bank, steps=steps, at=at + 1, before=before, typed=_typed(line), mark=mark)


def compacted(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines that say the same, without what was typed over, or undone and then done otherwise.

    Parameters
    ----------
    lines : can be gone through twice
    """
    done, at, _ = _done(lines)
    there = {number for number, _ in done}
    for number, raw in enumerate(lines):
        if number == 0:
            yield msgspec.json.encode(read_begun(raw))
        elif number in there:
            yield msgspec.json.encode(msgspec.structs.replace(_line(raw) or Line("?"), on=False))
    yield from [msgspec.json.encode(Line(move="undo"))] * (len(done) - at)


def _done(lines: Iterable[bytes]) -> tuple[list[tuple[int, Step]], int, str]:
    """What was done, with the numbers of its lines; how much of it counts; and the draft's mark."""
    done: list[tuple[int, Step]] = []
    at, mark = 0, ""
    for number, raw in enumerate(lines):
        mark = _marked(mark, raw)
        try:
            line = _HEADS.decode(raw) if number else _Head(move="undo")
        except (ValueError, RecursionError):
            continue
        if not (line.said or line.puts or line.move):  # {} is no step
            continue
        if line.move == "undo":
            at = max(0, at - 1)
        elif line.move == "redo":
            at = min(len(done), at + 1)
        else:
            at -= line.on and at > 0
            done[at:] = [(number, Step(line.said, len(raw) + SEAL))]
            at += 1
    return done, at, mark


_LINES, _HEADS = msgspec.json.Decoder(Line), msgspec.json.Decoder(_Head)


def _line(raw: bytes) -> Line | None:
    try:
        line = _LINES.decode(raw)
    except (ValueError, RecursionError):
        return None
    return line if line.said or line.puts or line.move else None


def _marked(mark: str, raw: bytes) -> str:
    return hashlib.sha256(mark.encode() + raw).hexdigest()[:16]


def _typed(line: Line) -> Put | None:
    """What may be typed on: another line may say the same question in yet other words."""
    put = line.puts[0] if line.said == REWORDED and line.puts else None
    return put if put and put.before and put.after else None


REWORDED = "words of a question"


def rewording(draft: Draft, key: Key, text: str) -> Line | None:
    """A question in other words; None where they are its words already. Typing on at the same question is one step.

    Raises UsageError as `step`.
    """
    last = draft.typed if draft.typed and draft.typed.after and draft.typed.after.key == key else None
    rows, was = (draft.before, last.before[0]) if last and draft.before is not None else (draft.bank, key)
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
