"""Question banks and their versions: which is meant by genq or genq@2, how each came about, and its questions."""

from __future__ import annotations

import pandas as pd

from exam_core.errors import UsageError
from exam_core.store.commits import importer, now
from exam_core.store.names import BankRef
from exam_core.store.snapshot import Snapshot
from exam_core.store.summary import bank_version, banks
from exam_core.tables import QUESTIONS, VERSIONS


def find_bank(snapshot: Snapshot, text: str) -> tuple[str, int]:
    """The bank that is meant and its version.

    Raises UsageError where there is no such bank, or no such version of it.
    """
    bank, known = BankRef.parse(text), banks(snapshot)
    if bank.name not in known:
        raise UsageError(f"There is no bank {text}. There are: {', '.join(known) or 'none'}.")
    newest = bank_version(snapshot, bank.name)
    version = newest if bank.version is None else bank.version
    if not 1 <= version <= newest:
        raise UsageError(f"Bank {bank.name} has versions 1 to {newest}, not {version}.")
    return bank.name, version


def bank_versions(snapshot: Snapshot) -> list[str]:
    """The banks by their names, which stand for the newest versions, then their older versions (genq@1)."""
    names = banks(snapshot)
    older = [
        str(BankRef(name, version)) for name in names for version in range(bank_version(snapshot, name) - 1, 0, -1)
    ]
    return [*names, *older]


def version_questions(snapshot: Snapshot, bank: str, version: int) -> pd.DataFrame:
    """The questions of a version as rows of the table `questions`, in their order; empty where there is none."""
    rows = snapshot.query("SELECT * FROM questions WHERE bank_id = ? AND version = ?", [bank, version])
    return QUESTIONS.frame({name: rows[name] for name in QUESTIONS.names})


def version_row(
    snapshot: Snapshot | None, bank: str, version: int, *, reason: str, author: str = "", base: int | None = None
) -> pd.DataFrame:
    """A row of the table `versions` for a version that is made now; of one that is there, its row as it is.

    Parameters
    ----------
    snapshot : None if there is no collection yet
    author : empty for the account and machine
    base : the version that was edited; None where the bank is brought as a whole
    """
    if snapshot is not None:
        known = snapshot.frame("versions")
        known = known[(known["bank_id"] == bank) & (known["version"] == version)]
        if len(known):
            return known.reset_index(drop=True)
    row = (bank, version, now(), author or importer() or "unknown", reason, base, None)
    return VERSIONS.frame({name: [value] for name, value in zip(VERSIONS.names, row, strict=True)})
