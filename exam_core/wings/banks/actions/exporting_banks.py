"""A version of a bank as a file for other tools."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from exam_core.actions.verbs import verb
from exam_core.errors import UsageError
from exam_core.formats.writing import content_of, write_lines
from exam_core.store import Snapshot
from exam_core.store.names import BankRef
from exam_core.store.question_banks import find_bank
from exam_core.wings.banks.bank_forms import BankForm
from exam_core.wings.banks.formats.forms import write_form


@dataclass(frozen=True)
class Exported:
    """A bank as it was written.

    Parameters
    ----------
    bank : with its version
    questions : questions and claims of the bank, those that were left out too
    notes : sentences on what the form has no place for
    lines : of the file
    """

    bank: BankRef
    questions: int
    notes: tuple[str, ...]
    lines: list[bytes] = field(repr=False)


@verb("read")
def export_bank(snapshot: Snapshot, bank: BankRef, path: Path, form: BankForm) -> Exported:
    """Write a version of a question bank, the newest if none is named.

    Parameters
    ----------
    form : one of `forms.BankForm`

    Raises
    ------
    UsageError : there is no such bank or version, or nothing of it has a place in the form
    BadInput : the file can't be written
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
    found = BankRef(name, version)
    if not written.lines:
        raise UsageError(f"{found} has no questions to write as {form}. {' '.join(written.notes)}".strip())
    return Exported(found, len(questions), tuple(written.notes), written.lines)
