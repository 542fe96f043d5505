"""Files of JSON lines that only grow, read: what was read once is not read again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from exam_core.errors import StoreError
from exam_core.store.files import unsealed

Kind = TypeVar("Kind", bound=msgspec.Struct)
LARGEST = 1 << 30
"""Bytes of such a file that are read: some two million reviews."""
_read: dict[tuple[Path, type], tuple[int, int, int, list[Any]]] = {}
"""Of each file how far it was read, its inode, its time, and what it holds so far: only what is new is read again."""


def grown(path: Path, kind: type[Kind]) -> tuple[list[Kind], int]:
    """What a file holds, and to which byte it was read; a last line that somebody is writing is left for later.

    A line that a kill cut off, or that is damaged, is passed over; `check` names it.

    Raises
    ------
    StoreError : it can't be read
    """
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            start, inode, written, known = _read.get((path, kind), (0, 0, 0, []))
            in_place = status.st_size == start and status.st_mtime_ns != written
            if inode != status.st_ino or status.st_size < start or in_place:
                start, known = 0, []
            if status.st_size - start > LARGEST:
                raise StoreError(f"{path}: is larger than {LARGEST >> 20} MiB, which no file of reviews or notes is.")
            file.seek(start)
            content = file.read()
    except OSError as error:
        raise StoreError(f"{path}: can't be read ({error.strerror}).") from None
    whole = content[: content.rfind(b"\n") + 1]
    decoder = msgspec.json.Decoder(kind)
    found = known + [one for line in whole.split(b"\n") if (one := _decoded(decoder, line)) is not None]
    _read[path, kind] = (start + len(whole), status.st_ino, status.st_mtime_ns, found)
    return found, start + len(whole)


def _decoded(decoder: msgspec.json.Decoder[Kind], line: bytes) -> Kind | None:
    """A line as what it holds; None for one that a kill cut off, or that is damaged."""
    try:
        return decoder.decode(unsealed(line))
    except (ValueError, RecursionError):
        return None
