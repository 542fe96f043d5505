"""Drafts of banks on disk: a file of lines for each, which grows until the draft is committed or thrown away.

Where most of its lines count no more, because somebody typed on or did otherwise, it is written anew without them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import msgspec

from exam_core.errors import StoreError, UsageError
from exam_core.flushing import flush
from exam_core.store.append_only import DAMAGED, MISSING, add, chained, held, lines_below
from exam_core.store.files import files_in, folder_name, modified, write_once
from exam_core.store.layout import refuse_later

DRAFTS = ".drafts"
"""Folder of the store with a folder for each collection; no collection's folder begins so."""
LARGEST = 256 << 20
"""Bytes of a draft that are read: two hundred thousand edits."""
SLACK = 1 << 18
"""Bytes up to which a draft is left as it grew: it is read in some milliseconds."""
_ID = re.compile(r"[0-9a-z-]{1,60}")


def draft_path(store: Path, collection: str, draft_id: str) -> Path:
    """Where a draft is, or would be. Raises UsageError where that is no id of a draft."""
    if not _ID.fullmatch(draft_id):
        raise UsageError(f"There is no draft {draft_id[:80]!r}.")
    return store / DRAFTS / folder_name(collection) / f"{draft_id}.jsonl"


def _store(path: Path) -> Path:
    return path.parents[2]


def draft_paths(store: Path, collection: str) -> list[Path]:
    """The drafts of a collection, the one that was edited last first."""
    listed = files_in(store / DRAFTS / folder_name(collection), "*.jsonl")
    found = {path: edited for path in listed if (edited := modified(path)) is not None}
    return sorted(found, key=lambda path: (-found[path], path.name))


def begin(path: Path, first: bytes) -> None:
    """Write the first line of a draft, a JSON object."""
    refuse_later(_store(path))
    write_once(path, b"".join(chained([first])))


@dataclass(frozen=True)
class DraftFile:
    """A draft's file that is open; it is equal to what it was as long as nobody writes to it.

    Parameters
    ----------
    state : its inode, size and time
    """

    path: Path
    state: tuple[int, int, int]
    file: BinaryIO = field(compare=False)

    def __iter__(self) -> Iterator[bytes]:
        """All lines, the first one first; what is left of one that a kill cut off is among them, and no JSON.

        Raises StoreError where a line is damaged or missing.
        """
        for line in lines_below(self.file):
            if line.fault:
                raise StoreError(f"{self.path}:{line.number}: {WRONG[line.fault]} {REMEDY}")
            yield line.content

    def add(self, line: bytes, again: Callable[[], Sequence[bytes]]) -> None:
        """Add a line; where most of the file says what counts no more, it is written anew without that.

        Raises UsageError where it would be larger than what is read of a draft.

        Parameters
        ----------
        again : gives the lines that say what all of the file says
        """
        size = self.state[1]
        if size + len(line) > SLACK:
            content = b"".join(chained([*again(), line]))
            if len(content) > LARGEST:
                raise UsageError(
                    f"The draft is full ({LARGEST >> 20} MiB), and this was not stored. Commit it, and go on in "
                    "another draft."
                )
            if size > 2 * len(content) or size + len(line) + SLACK > LARGEST:
                write_once(self.path, content)
                return
        add(self.file, self.path, [line])


WRONG = {
    DAMAGED: "this step of the draft is damaged.",
    MISSING: "a step of the draft before this one is missing, or steps changed places.",
}
REMEDY = "Put the file back from a copy, or go on without what was lost: examboard check --repair."


@contextmanager
def reading(path: Path) -> Iterator[DraftFile]:
    """A draft's file, to be read.

    Raises
    ------
    UsageError : it is gone: committed, or thrown away
    StoreError : it can't be read
    """
    try:
        with path.open("rb") as file:
            yield _opened(path, file)
    except FileNotFoundError:
        raise gone(path) from None
    except OSError as error:
        raise StoreError(f"{path}: can't be read ({error.strerror}).") from None


@contextmanager
def growing(path: Path) -> Iterator[DraftFile]:
    """A draft's file, to be added to; nobody else adds anything meanwhile.

    Raises UsageError where it is gone, and StoreError where it can't be written.
    """
    refuse_later(_store(path))
    try:
        with held(path, "r+b") as file:
            yield _opened(path, file)
    except FileNotFoundError:
        raise gone(path) from None
    except OSError as error:
        raise StoreError(f"{path}: can't be written ({error.strerror}). Check the free space.") from None


def _opened(path: Path, file: BinaryIO) -> DraftFile:
    status = os.fstat(file.fileno())
    if status.st_size > LARGEST:
        raise StoreError(f"{path}: is larger than {LARGEST >> 20} MiB, the most that a draft may have.")
    return DraftFile(path, (status.st_ino, status.st_size, status.st_mtime_ns), file)


def remove(path: Path) -> None:
    """Throw a draft away, so that it is gone after a power loss, too; nothing where it is gone already.

    Raises StoreError where it can't be removed.
    """
    refuse_later(_store(path))
    try:
        path.unlink()
        flush(path.parent)
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"{path}: can't be removed ({error.strerror}). Check the rights on the store.") from None


def gone(path: Path) -> UsageError:
    """What is said of a draft that is not there, or is not its asker's."""
    return UsageError(f"There is no draft {path.stem} any more: it was committed or thrown away.")


STEP = Annotated[dict[str, Any], msgspec.Meta(min_length=1)]
"""A line of a draft: an empty object says no step."""
LINES = (
    (
        lambda store, collection: draft_paths(store.path, collection),
        STEP,
        "The draft of a bank can't be opened as it was.",
    ),
)
"""What `check` reads line by line: the files of a collection, what a line says, and what is lost with one."""
