"""Readers of banks that take a file of JSON object by object: each is declared by how it takes one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from exam_core.formats.banks.rows import BankRows
from exam_core.formats.json_lines import decode_object, objects, reporting
from exam_core.formats.reading import Reading
from exam_core.progress import Progress, no_progress

T = TypeVar("T")
Takes = Callable[[BankRows, int, T, Any], None]
"""Takes an object: its line, the object by its type, and as it is. A BadLine of it is reported."""
BankReader = Callable[..., Reading]
"""Reads a path as the bank `bank_id`. Raises BadInput where an object can't be taken, or an id has two questions."""


def by_object(typed: type[T], what: str, remedy: str) -> Callable[[Takes[T]], BankReader]:
    """Make a reader of how it takes an object; `what` an object is not, and the remedy, are for its refusal."""
    decoder = msgspec.json.Decoder(typed)

    def declare(take: Takes[T]) -> BankReader:
        def read(path: Path, *, bank_id: str, progress: Progress = no_progress) -> Reading:
            rows = BankRows(path, bank_id)
            for line, raw in objects(path, rows.problems, progress):
                with reporting(rows.problems, line, raw, what, remedy):
                    take(rows, line, *decode_object(raw, decoder))
            return rows.reading()

        read.__doc__ = take.__doc__
        return read

    return declare
