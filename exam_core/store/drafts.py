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
from exam_core.flushing import flush
from exam_core.store.files import files_in, folder_name, modified, sealed, unsealed, write_once
from exam_core.store.layout import refuse_later

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


def _store(path: Path) -> Path:
    """The store of a draft, by the draft's path."""
    return path.parents[2]


def draft_paths(store: Path, collection: str) -> dict[Path, int]:
    """The drafts of a collection and when each was edited, in nanoseconds; the one that was edited last first."""
    listed = files_in(store / DRAFTS / folder_name(collection), "*.jsonl")
    found = {path: edited for path in listed if (edited := modified(path)) is not None}
    return dict(sorted(found.items(), key=lambda one: (-one[1], one[0].name)))


def begin(path: Path, first: bytes) -> None:
    """Write the first line of a draft, a JSON object."""
    refuse_later(_store(path))
    write_once(path, sealed(first) + b"\n")


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
        raise gone(path) from None
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
    refuse_later(_store(path))
    try:
        with path.open("r+b") as file:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX)
            if not path.exists():
                raise gone(path)
            new: list[bytes] = []
            yield _lines(file, path), new
            if new:
                _add(file, new)
    except FileNotFoundError:
        raise gone(path) from None
    except OSError as error:
        raise StoreError(f"{path}: can't be written ({error.strerror}). Check the free space.") from None


def remove(path: Path) -> None:
    """Throw a draft away, so that it is gone after a power loss, too; nothing where it is gone already.

    Raises
    ------
    StoreError : it can't be removed
    """
    refuse_later(_store(path))
    try:
        path.unlink()
        flush(path.parent)
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"{path}: can't be removed ({error.strerror}). Check the rights on the store.") from None


def _lines(file: BinaryIO, path: Path) -> list[bytes]:
    if os.fstat(file.fileno()).st_size > LARGEST:
        raise StoreError(f"{path}: is larger than {LARGEST >> 20} MiB, which no draft is.")
    content = file.read()
    lines = []
    for number, line in enumerate(content.split(b"\n"), 1):
        try:
            lines.append(unsealed(line))
        except ValueError:
            raise StoreError(
                f"{path}:{number}: this step of the draft is damaged. Put the file back from a copy, or remove the "
                "line to lose this step alone."
            ) from None
    return lines


def _add(file: BinaryIO, new: list[bytes]) -> None:
    """A line that was cut off by a kill ends where the next one begins."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 1))
    whole = not size or file.read(1) == b"\n"
    file.seek(0, os.SEEK_END)
    file.write((b"" if whole else b"\n") + b"".join(sealed(line) + b"\n" for line in new))
    file.flush()
    os.fsync(file.fileno())


def gone(path: Path) -> UsageError:
    """What is said of a draft that is not there, or is not its asker's."""
    return UsageError(f"There is no draft {path.stem} any more: it was committed or thrown away.")
