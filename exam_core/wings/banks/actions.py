"""Question banks as people change them: an edit, a merge of two banks, and going back; each is a new version."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from exam_core.actions.committing import refuse_nothing, refuse_version
from exam_core.actions.verbs import verb
from exam_core.errors import UsageError, visible
from exam_core.formats import Reading
from exam_core.formats.file_names import file_name
from exam_core.formats.registry import reader
from exam_core.formats.writing import content_of, write_lines
from exam_core.question import order_of
from exam_core.request import BankForm
from exam_core.rights import signed
from exam_core.store import Snapshot, Store
from exam_core.store.names import BankRef
from exam_core.store.question_banks import find_bank, version_row
from exam_core.store.summary import bank_version
from exam_core.wings.banks.bank_files import write_form
from exam_core.wings.banks.editing import Bank, edit_of, frame_of, refuse_faults
from exam_core.wings.banks.versions import Change, applied, diff, join_banks, joined_in_words, questions_of

LONGEST_REASON, LONGEST_AUTHOR = 1000, 200
IN_A_FOLDER = "edit banks in a folder"
_QUERIES_WITH_TEXT = "SELECT query_id FROM queries WHERE query_text IS NOT NULL OR title IS NOT NULL"


@dataclass(frozen=True)
class Edited:
    """What an edit of a bank did.

    `version` is the newest one now: the one that was made, or, if nothing differs, the one that was there. `beside` is
    the newest version of others that came since the edited one and is not in this one; 0 where there is none.
    """

    bank: str
    version: int
    changes: list[Change] = field(default_factory=list)
    beside: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        """Whether a version was made."""
        return bool(self.changes)

    @property
    def ref(self) -> str:
        """The version as it is named, for instance `genq@3`."""
        return str(BankRef(self.bank, self.version))


@dataclass(frozen=True)
class _Details:
    """What a version says of itself, and what comes with it: texts of queries that the collection does not have.

    An empty author stands for the account and machine. `seen` is the version that was edited, as its editor saw it: a
    graded file may have added to version 1 since.
    """

    reason: str
    author: str = ""
    base: int | None = None
    seen: Bank | None = None
    queries: pd.DataFrame | None = None


@verb("edit")
def edit_bank(
    store: Store, collection: str, bank: str, questions: Bank, *, base: int | None, reason: str, author: str = ""
) -> Edited:
    """Make the next version of a bank.

    If others made versions since the one that was edited, this one stands beside theirs (`Edited.beside`). `base`: the
    version that was edited; None makes a new bank. Raises BadInput: a question can't be stored, or two that count have
    the same words; UsageError: no reason, no such version, or there is such a bank already.
    """
    return _edit(store, collection, bank, questions, _checked(store, bank, _Details(reason, author, base)))


@verb("edit")
def edit_bank_from_file(
    store: Store, collection: str, path: Path, *, bank: str, reason: str, author: str = ""
) -> Edited:
    """Make a version of a bank from a file in any bank format, which is the whole edited bank (`edit_of`).

    Texts of queries that the collection doesn't know are stored, too. `bank`: the bank, or the version that was edited
    as `genq@1`; without one it is the newest. Raises BadInput or UsageError: as `edit_bank`.
    """
    store.refuse_file(IN_A_FOLDER)
    name, base = find_bank(store.snapshot(collection), bank)
    details = _checked(store, name, _Details(reason, author, base))
    reading = reader("bank", path)(path, bank_id=name)
    refuse_nothing(path, reading)
    snapshot = store.snapshot(collection)
    known = questions_of(snapshot, name, base)
    questions = edit_of(known, reading.frames["questions"], file_name(path))
    queries = reading.frames.get("queries")
    if queries is not None:
        is_known = queries["query_id"].isin(set(snapshot.query(_QUERIES_WITH_TEXT)["query_id"]))
        queries = queries[~is_known].reset_index(drop=True)
    details = replace(details, seen=known, queries=queries)
    edited = _edit(store, collection, name, questions, details)
    edited.notes[:0] = reading.notes
    if not edited.changed and order_of(questions) != order_of(known):
        edited.notes.append(
            "The file has its questions in another order. A new order is not an edit: to take it, import the file."
        )
    return edited


@verb("edit")
def merge_banks(
    store: Store, collection: str, bank: str, other: str, *, alike: float | None = None, reason: str = ""
) -> Edited:
    """Bring the questions of another bank of the collection into a bank, as a new version of it (`joined`).

    Its newest version is what is changed; `other` may name a version. Raises BadInput or UsageError as `edit_bank`, or
    where there is no such bank.
    """
    store.refuse_file(IN_A_FOLDER)
    snapshot = store.snapshot(collection)
    name, base = find_bank(snapshot, bank)
    ref = BankRef(*find_bank(snapshot, other))
    details = _checked(store, name, _Details(reason or f"merged with {ref}", base=base))
    # Comparing two large banks takes seconds: what others do meanwhile is no reason to keep them waiting.
    joined = join_banks(snapshot, str(BankRef(name, base)), other, alike=alike)
    details = replace(details, seen=questions_of(snapshot, name, base))
    edited = _edit(store, collection, name, joined.bank, details)
    edited.notes[:0] = joined_in_words(joined)
    return edited


@verb("edit")
def revert_bank(store: Store, collection: str, bank: str, *, reason: str, author: str = "") -> Edited:
    """Make a version of a bank that is equal to an earlier one, named as `genq@1`; what was between stays as it is.

    Raises UsageError where no version is named, there is none such, or no reason.
    """
    store.refuse_file(IN_A_FOLDER)
    if BankRef.parse(bank).version is None:
        raise UsageError(f"Bank {bank}: name the version to go back to, for instance {bank}@1.")
    find_bank(store.snapshot(collection), bank)
    with store.locked(collection):
        snapshot = store.snapshot(collection)
        name, version = find_bank(snapshot, bank)
        newest = bank_version(snapshot, name)
        details = _checked(store, name, _Details(reason, author, newest))
        return _committed(store, collection, snapshot, name, questions_of(snapshot, name, version), details)


def _checked(store: Store, bank: str, details: _Details) -> _Details:
    """What is told of a version, without blanks at the ends.

    Raises UsageError where it lacks a reason, or what it says can't be kept or shown.
    """
    store.refuse_file(IN_A_FOLDER)
    refuse_version(bank)
    reason, author = details.reason.strip(), signed(details.author).strip()
    if not reason:
        raise UsageError("--reason: say why the bank is changed, in a few words. Nothing was stored.")
    for option, text, longest in (("--reason", reason, LONGEST_REASON), ("--author", author, LONGEST_AUTHOR)):
        if len(text) > longest:
            raise UsageError(f"{option}: is longer than {longest:,} characters. Say it in fewer. Nothing was stored.")
        if visible(text) != text:
            raise UsageError(f"{option} {visible(text)[:80]}: holds control characters. Leave them out.")
    return replace(details, reason=reason, author=author)


def _edit(store: Store, collection: str, bank: str, mine: Bank, details: _Details) -> Edited:
    """Store an edit as the next version, beside what others stored since the version that was edited."""
    with store.locked(collection):
        snapshot = store.snapshot(collection) if details.base is not None or collection in store.collections() else None
        newest = bank_version(snapshot, bank) if snapshot else 0
        if snapshot is None or details.base is None:
            if newest:
                raise UsageError(
                    f"There is a bank {bank} already, with version {newest}: edit {BankRef(bank, newest)}, or choose "
                    "another name. Nothing was stored."
                )
            refuse_faults(bank, mine, {})
            return _committed(store, collection, snapshot, bank, mine, details)
        find_bank(snapshot, str(BankRef(bank, details.base)))
        base = questions_of(snapshot, bank, details.base)
        # A graded file may have added questions to it meanwhile.
        if details.seen is not None and details.seen != base:
            mine = applied(base, diff(details.seen, mine))
        refuse_faults(bank, mine, base)
        if newest == details.base:
            return _committed(store, collection, snapshot, bank, mine, details)
        changes = diff(base, mine)
        if not changes:
            return Edited(bank, newest)
        edited = _committed(store, collection, snapshot, bank, mine, details)
        return replace(edited, changes=changes, beside=newest)


def _committed(
    store: Store, collection: str, snapshot: Snapshot | None, bank: str, questions: Bank, details: _Details
) -> Edited:
    """Store a state of a bank as its next version, unless the newest one is equal; under the collection's lock."""
    newest = bank_version(snapshot, bank) if snapshot else 0
    changes = diff(questions_of(snapshot, bank, newest) if snapshot and newest else {}, questions)
    if not changes:
        return Edited(bank, newest)
    version = newest + 1
    frames = {
        "questions": frame_of(questions.values(), bank, version),
        "versions": version_row(
            snapshot, bank, version, reason=details.reason, author=details.author, base=details.base
        ),
    }
    digest = hashlib.sha256("".join(frame.to_json(orient="values") for frame in frames.values()).encode()).hexdigest()
    if details.queries is not None and len(details.queries):
        frames["queries"] = details.queries
    ref = str(BankRef(bank, version))
    owns = [("questions", ref), ("versions", ref)]
    reading = Reading(frames, counts={"questions": len(questions)})
    store.commit(collection, reading, source=f"bank:{ref}:{digest[:16]}", sha256=digest, owns=owns)
    return Edited(bank, version, changes)


@dataclass(frozen=True)
class Exported:
    """A bank as it was written, and notes on what the form has no place for; `questions` counts those left out too."""

    bank: BankRef
    questions: int
    notes: tuple[str, ...]
    lines: list[bytes] = field(repr=False)


@verb("read")
def export_bank(snapshot: Snapshot, bank: BankRef, path: Path, form: BankForm) -> Exported:
    """Write a version of a question bank, the newest if none is named.

    Raises UsageError where there is no such bank or version, or nothing of it has a place in the form; BadInput where
    the file can't be written.
    """
    exported = _written_bank(snapshot, bank, form)
    write_lines(path, exported.lines)
    return exported


@verb("read", has_line=False)
def bank_text(snapshot: Snapshot, bank: BankRef, form: BankForm) -> bytes:
    """A version of a question bank as the content of the file that `export_bank` would write. Errors as there."""
    return content_of(_written_bank(snapshot, bank, form).lines)


def _written_bank(snapshot: Snapshot, bank: BankRef, form: BankForm) -> Exported:
    name, version = find_bank(snapshot, str(bank))
    of_bank = "SELECT * FROM questions WHERE bank_id = ? AND version = ?"
    questions = snapshot.query(of_bank, [name, version])
    written = write_form(form, questions, snapshot.frame("queries"))
    ref = BankRef(name, version)
    if not written.lines:
        raise UsageError(f"{ref} has no questions to write as {form}. {' '.join(written.notes)}".strip())
    return Exported(ref, len(questions), tuple(written.notes), written.lines)
