"""Which question bank is meant by genq, or by genq@2 for one of its versions."""

from __future__ import annotations

from exam_core.errors import UsageError
from exam_core.store.names import BankRef
from exam_core.store.snapshot import Snapshot
from exam_core.store.summary import bank_version, banks

__all__ = ["BankRef", "bank_versions", "find_bank"]


def find_bank(snapshot: Snapshot, text: str) -> tuple[str, int]:
    """The bank that is meant and its version.

    Raises UsageError where there is no such bank, or no such version of it.
    """
    asked, known = BankRef.parse(text), banks(snapshot)
    if asked.name not in known:
        raise UsageError(f"There is no bank {text}. There are: {', '.join(known) or 'none'}.")
    newest = bank_version(snapshot, asked.name)
    version = newest if asked.version is None else asked.version
    if not 1 <= version <= newest:
        raise UsageError(f"Bank {asked.name} has versions 1 to {newest}, not {version}.")
    return asked.name, version


def bank_versions(snapshot: Snapshot) -> list[str]:
    """The banks by their names, which stand for the newest versions, then their older versions (genq@1)."""
    names = banks(snapshot)
    older = [
        str(BankRef(name, version)) for name in names for version in range(bank_version(snapshot, name) - 1, 0, -1)
    ]
    return [*names, *older]
