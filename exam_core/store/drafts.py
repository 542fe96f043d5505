"""Drafts of banks on disk: a file of lines for each, which only grows until the draft is committed or thrown away."""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from exam_core.errors import StoreError, UsageError
from exam_core.store.files import folder_name, write_once

DRAFTS = ".drafts"
"""Folder of the store with a folder for each collection; no collection's folder begins so."""
LARGEST = 256 << 20
"""Bytes of a draft that are read: two hundred thousand edits."""
_ID = re.compile(r"[0-9a-z-]{1,60}")


def draft_path(store: Path, collection: str, draft_id: str) -> Path:
    """Where a draft is, or would be.

    Raises
    ------
    UsageError : that is no id of a draft
    """
    if not _ID.fullmatch(draft_id):
        raise UsageError(f"There is no draft {draft_id[:80]!r}.")
    return store / DRAFTS / folder_name(collection) / f"{draft_id}.jsonl"


def draft_paths(store: Path, collection: str) -> list[Path]:
    """The drafts of a collection, the one that was edited last first."""
    found = (store / DRAFTS / folder_name(collection)).glob("*.jsonl")
    return sorted(found, key=lambda path: (-path.stat().st_mtime, path.name))


def begin(path: Path, first: bytes) -> None:
    """Write the first line of a draft."""
    write_once(path, first + b"\n")


def lines_of(path: Path) -> list[bytes]:
    """The lines of a draft.

    Raises
    ------
    UsageError : it is gone: committed, or thrown away
    StoreError : it can't be read
    """
    try:
        with path.open("rb") as file:
            return _lines(file, path)
    except FileNotFoundError:
        raise _gone(path) from None
    except OSError as error:
        raise StoreError(f"{path}: can't be read ({error.strerror}).") from None


@contextmanager
def growing(path: Path) -> Iterator[tuple[list[bytes], list[bytes]]]:
    """The lines of a draft, and a list whose lines are added to them at the end; nobody else adds any meanwhile.

    Raises
    ------
    UsageError : it is gone
    StoreError : it can't be written
    """
    try:
        with path.open("r+b") as file:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX)
            if not path.exists():
                raise _gone(path)
            new: list[bytes] = []
            yield _lines(file, path), new
            if new:
                _add(file, new)
    except FileNotFoundError:
        raise _gone(path) from None
    except OSError as error:
        raise StoreError(f"{path}: can't be written ({error.strerror}). Check the free space.") from None


def _lines(file: BinaryIO, path: Path) -> list[bytes]:
    content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise StoreError(f"{path}: is larger than {LARGEST >> 20} MiB, which no draft is.")
    return content.split(b"\n")


def _add(file: BinaryIO, new: list[bytes]) -> None:
    """A line that was cut off by a kill ends where the next one begins."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 1))
    whole = not size or file.read(1) == b"\n"
    file.seek(0, os.SEEK_END)
    file.write((b"" if whole else b"\n") + b"".join(line + b"\n" for line in new))
    file.flush()
    os.fsync(file.fileno())


def _gone(path: Path) -> UsageError:
    return UsageError(f"There is no draft {path.stem} any more: it was committed or thrown away.")
