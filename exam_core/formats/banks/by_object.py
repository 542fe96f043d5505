"""Readers of banks that take a file of JSON object by object: each is declared by how it takes one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from exam_core.formats.banks.documents import decode_object, objects
from exam_core.formats.banks.rows import BankRows
from exam_core.formats.json_lines import reporting
from exam_core.formats.reading import Reading
from exam_core.progress import Progress, no_progress

T = TypeVar("T")


class BankReader(Protocol):
    """A reader of banks. Raises BadInput where an object can't be taken, or an id comes again with another question."""

    def __call__(self, path: Path, *, bank_id: str, progress: Progress = no_progress) -> Reading:
        """Read a file as the bank of this name."""


def by_object(
    typed: type[T], what: str, remedy: str
) -> Callable[[Callable[[BankRows, int, T, Any], None]], BankReader]:
    """Make a reader of a function that takes an object: its line, the object by its type, and as it is.

    A BadLine of the function is reported, with what the object is not and the remedy.
    """
    decoder = msgspec.json.Decoder(typed)

    def declare(take: Callable[[BankRows, int, T, Any], None]) -> BankReader:
        def read(path: Path, *, bank_id: str, progress: Progress = no_progress) -> Reading:
            rows = BankRows(path, bank_id)
            for line, raw in objects(path, rows.problems, progress):
                with reporting(rows.problems, line, raw, what, remedy):
                    take(rows, line, *decode_object(raw, decoder))
            return rows.reading()

        read.__doc__ = take.__doc__
        return read

    return declare
