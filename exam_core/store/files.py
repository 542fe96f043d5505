"""Files that are never changed: written aside, flushed to disk, then renamed into place."""

from __future__ import annotations

import hashlib
import os
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote, unquote

from exam_core.errors import StoreError, UsageError
from exam_core.flushing import flush, make_folder
from exam_core.temporary import is_temporary, no_room

HASH_DIGITS = 16
LONGEST_FOLDER = 230
"""Bytes of a folder's name that is made of a name: file systems take 255, of which ours add up to 25."""
UNREADABLE = "not readable"
"""How it begins what is wrong with a file that may be whole: somebody else's, or a disk that fails just now."""
A_FOLDER = "a folder stands in its place"
"""What is wrong with a file that is a folder: nobody gets it back by waiting, or by rights."""


def write_once(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all, even if the machine stops meanwhile."""
    with placing(path) as spill, spill.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def placing(path: Path) -> Iterator[Path]:
    """A name to write under, whose file is there under the right one at the end; it is flushed by whoever writes it."""
    part = name_aside(path)
    try:
        with writing(path):
            make_folder(path.parent)
            yield part
            part.replace(path)
            flush(path.parent)
    finally:
        with suppress(OSError):
            part.unlink()


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raise StoreError where a file can't be written."""
    try:
        yield
    except OSError as error:
        if is_temporary(path):
            raise no_room(error.strerror or str(error)) from None
        raise StoreError(
            f"{path}: can't be written ({error.strerror or error}).\nCheck the store's folder and the free space."
        ) from None


def name_aside(path: Path) -> Path:
    """A name beside a file's own, under which nobody sees it; `collect_abandoned` knows it."""
    return path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.part")


def write_or_touch(path: Path, content: bytes) -> bool:
    """Write a file that is named by its hash; one that is there and sound counts as written now. Says whether it was
    written.
    """
    if touch([path]) and not damage(path):
        return False
    write_once(path, content)
    return True


def take_or_touch(file: Path, path: Path) -> bool:
    """As `write_or_touch`, of a file that is written already and named by its hash."""
    if touch([path]) and not damage(path):
        return False
    with writing(path):
        make_folder(path.parent)
        file.replace(path)
        flush(path.parent)
    return True


def free_path(target: Path) -> Path:
    """A path at which nothing is: this one, or one with a time behind it."""
    return target.with_name(f"{target.name}.{time.time_ns()}") if target.exists() else target


def damage(path: Path) -> str:
    """What is wrong with a file that is named by a hash of its content; empty if nothing is."""
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()[:HASH_DIGITS]
        return "" if digest == path.stem[-HASH_DIGITS:] else "damaged"
    except FileNotFoundError:
        return "gone"
    except IsADirectoryError:
        return A_FOLDER
    except OSError as error:
        return f"{UNREADABLE} ({error.strerror})"


def import_again(source: str) -> str:
    """What restores a damaged file of an import from a file or source of this name, as the beginning of a sentence."""
    return f"Import {source} again (undo its import first where that is refused)"


def known_damage(path: Path) -> str:
    """The same, but a file is read once only, and again when it was written to since."""
    try:
        status = path.stat()
    except OSError:
        return damage(path)
    return _damage_as_of(path, status.st_ino, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=1 << 18)
def _damage_as_of(path: Path, _inode: int, _size: int, _modified: int) -> str:
    return damage(path)


def modified(path: Path) -> int | None:
    """When a file was written to last, in nanoseconds; None where it is gone, as files of a listing may be by now."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None


def touch(paths: Iterable[Path]) -> int:
    """Set the files' time to now, where that is allowed; returns how many there are."""
    count = 0
    for path in paths:
        try:
            os.utime(path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            pass  # It is there, and somebody else's: what was not written to today is kept as long as it is listed.
        count += 1
    return count


def files_in(folder: Path, pattern: str) -> list[Path]:
    """What is in a folder, or in folders below it, by a pattern such as `grades/*/*.parquet`; sorted, none without it.

    Raises StoreError where a folder can't be read, which a glob would take for an empty one.
    """
    here, _, below = pattern.partition("/")
    try:
        paths = sorted(path for path in folder.iterdir() if fnmatchcase(path.name, here))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise _unreadable(folder, error) from None
    return [path for file in paths for path in files_in(file, below)] if below else paths


def files_below(folder: Path, pattern: str) -> list[Path]:
    """All files below a folder whose names are so; errors as `files_in`."""
    paths = []
    try:
        for place, _, names in os.walk(folder, onerror=_raise):
            paths += [Path(place, name) for name in names if fnmatchcase(name, pattern)]
    except FileNotFoundError:
        return paths  # gone meanwhile, or never there
    except OSError as error:
        raise _unreadable(folder, error) from None
    return paths


def _raise(error: OSError) -> None:
    raise error


def _unreadable(folder: Path, error: OSError) -> StoreError:
    return StoreError(f"{folder}: can't be read ({error.strerror}). Check the rights on the store's folder.")


def content_name(content: bytes) -> str:
    """First 16 hex digits of the content's SHA-256: the name of an immutable file."""
    return hashlib.sha256(content).hexdigest()[:HASH_DIGITS]


def folder_name(name: str) -> str:
    """A grader's or collection's name as one folder name; any text is possible.

    Raises UsageError where it is longer than a folder's name can be.
    """
    safe = quote(name, safe=" @+,=()")
    if len(safe) > LONGEST_FOLDER:
        raise UsageError(
            f"The name {name[:40]}... is too long: as a folder's name it takes {len(safe):,} bytes, and "
            f"{LONGEST_FOLDER} fit.\nGive a shorter one; a letter outside of a-z takes 6 to 12 bytes."
        )
    return f"%2E{safe[1:]}" if safe.startswith(".") else safe


def plain_name(folder: str) -> str:
    """Undo `folder_name`."""
    return unquote(folder)
