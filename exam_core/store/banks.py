"""How a question bank is named: genq, or genq@2 for one of its versions."""

from __future__ import annotations

from dataclasses import dataclass

from exam_core.errors import UsageError
from exam_core.store.snapshot import Snapshot
from exam_core.store.summary import bank_version, banks


@dataclass(frozen=True)
class BankRef:
    """A bank and, where one is meant, its version; without one the newest is meant."""

    name: str
    version: int | None = None

    def __str__(self) -> str:
        return self.name if self.version is None else f"{self.name}@{self.version}"

    @classmethod
    def parse(cls, text: str) -> BankRef:
        """What follows the last @ is a version where it is a number, and part of the name where it is not."""
        name, at, version = text.rpartition("@")
        return cls(name, int(version)) if at and version.isascii() and version.isdigit() else cls(text)


def find_bank(snapshot: Snapshot, text: str) -> tuple[str, int]:
    """The bank that is meant and its version.

    Raises
    ------
    UsageError : there is no such bank, or no such version of it
    """
    asked, known = BankRef.parse(text), banks(snapshot)
    if asked.name not in known:
        raise UsageError(f"There is no bank {text}. There are: {', '.join(known) or 'none'}.")
    newest = bank_version(snapshot, asked.name)
    version = newest if asked.version is None else asked.version
    if not 1 <= version <= newest:
        raise UsageError(f"Bank {asked.name} has versions 1 to {newest}, not {version}.")
    return asked.name, version
